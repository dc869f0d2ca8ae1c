//! Kernels of one OpenCL.std instruction, written as SPIR-V.

use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Operand};
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionModel, FunctionControl,
    MemoryAccess, MemoryModel, StorageClass,
};

/// Name of the kernel.
pub const NAME: &str = "measure";

/// A module with the kernel `out[i] = op(a[i])`, `op(a[i], b[i])` or, with `int`, an `int` array
/// as `b`. Numbers have `bits` bits, and the arrays hold vectors of `lanes` of them; a vector of
/// three takes the place of one of four.
pub fn module(op: u32, bits: u32, operands: usize, int: bool, lanes: u32) -> Vec<u32> {
    let mut b = Builder::new();
    b.set_version(1, 0);
    for capability in [
        Capability::Addresses,
        Capability::Kernel,
        Capability::Int64,
        Capability::Float64,
        Capability::Float16,
        Capability::Vector16,
    ] {
        b.capability(capability);
    }
    let set = b.ext_inst_import("OpenCL.std");
    b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
    let void = b.type_void();
    let long = b.type_int(64, 0);
    let long3 = b.type_vector(long, 3);
    let mut number = b.type_float(bits, None);
    let mut integer = b.type_int(32, 0);
    if lanes > 1 {
        number = b.type_vector(number, lanes);
        integer = b.type_vector(integer, lanes);
    }
    let id_pointer = b.type_pointer(None, StorageClass::Input, long3);
    let array = b.type_pointer(None, StorageClass::CrossWorkgroup, number);
    let int_array = b.type_pointer(None, StorageClass::CrossWorkgroup, integer);
    let id = b.variable(id_pointer, None, StorageClass::Input, None);
    let built_in = Operand::BuiltIn(BuiltIn::GlobalInvocationId);
    b.decorate(id, Decoration::BuiltIn, [built_in]);

    let mut params: Vec<(u32, u32)> = vec![(array, number); operands];
    if int {
        params[1] = (int_array, integer);
    }
    params.push((array, number));
    let types: Vec<u32> = params.iter().map(|(pointer, _)| *pointer).collect();
    let signature = b.type_function(void, types);
    let build = |b: &mut Builder| -> Result<u32, rspirv::dr::Error> {
        let function = b.begin_function(void, None, FunctionControl::NONE, signature)?;
        let mut arrays = Vec::new();
        for (pointer, _) in &params {
            arrays.push(b.function_parameter(*pointer)?);
        }
        b.begin_block(None)?;
        let ids = b.load(long3, None, id, None, [])?;
        let index = b.composite_extract(long, None, ids, [0])?;
        let mut values = Vec::new();
        let align = |ty: u32| {
            let size = if ty == integer { 4 } else { bits / 8 };
            Operand::LiteralBit32(size * lanes.next_power_of_two())
        };
        for (param, (pointer, ty)) in arrays.iter().zip(&params) {
            let place = b.in_bounds_ptr_access_chain(*pointer, None, *param, index, [])?;
            if values.len() < operands {
                let access = Some(MemoryAccess::ALIGNED);
                let value = b.load(*ty, None, place, access, [align(*ty)])?;
                values.push(Operand::IdRef(value));
            } else {
                let result = b.ext_inst(number, None, set, op, values.clone())?;
                b.store(place, result, Some(MemoryAccess::ALIGNED), [align(*ty)])?;
            }
        }
        b.ret()?;
        b.end_function()?;
        Ok(function)
    };
    let function = build(&mut b).expect("the instructions are in order");
    b.entry_point(ExecutionModel::Kernel, function, NAME, [id]);
    b.module().assemble()
}

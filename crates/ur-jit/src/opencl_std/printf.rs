//! `printf`: the arguments go to memory, a function of the runtime formats them.

use super::{Result, Unsupported};
use crate::ir::{FunctionBuilder, Type, Value};

/// Emits a call of the runtime's `ur_jit_printf`. `args` are the format, a pointer to a
/// zero-terminated string, and what it prints.
///
/// Each argument takes whole 8-byte slots: integers extended to 64 bits, floating-point numbers as
/// doubles, pointers as they are, vectors one slot for each lane. The types are not described: the
/// format says what stands where, as in C.
pub(super) fn printf(fb: &mut FunctionBuilder, result: &Type, args: &[Value]) -> Result<Value> {
    let mut slots = Vec::new();
    for arg in &args[1..] {
        for i in 0..arg.ty.lanes() {
            let lane = fb.lane(arg, i);
            slots.push(match lane.ty {
                Type::Half | Type::Float | Type::Double => {
                    let wide = fb.float_cast(&lane, &Type::Double);
                    fb.bitcast(&wide, &Type::I64)
                }
                Type::Int(n) if n <= 64 => fb.int_cast(&lane, &Type::I64, true),
                Type::Ptr(_) => fb.cast("ptrtoint", &lane, &Type::I64),
                _ => return Err(Unsupported(format!("printf of {}", arg.ty))),
            });
        }
    }
    let count = slots.len() as u64;
    let block = fb.alloca(&Type::I64, count.max(1), 8);
    for (i, slot) in slots.iter().enumerate() {
        let at = fb.ptr_add(&block, &Value::i64(8 * i as i64));
        fb.store(slot, &at, 8);
    }
    let written = fb.call_attributes(
        "ur_jit_printf",
        &Type::I32,
        &[args[0].clone(), block, Value::int(&Type::I64, count.into())],
        "nounwind",
    );
    Ok(if *result == Type::Void {
        Value::new(&Type::Void, "")
    } else {
        fb.int_cast(&written, result, true)
    })
}

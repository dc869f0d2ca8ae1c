//! Every instruction compiled and run.

mod exact;
mod integers;
mod memory;
#[path = "../../../examples/ulp/quad.rs"]
mod quad;
mod shapes;
mod special;
mod ulp;

use super::{ClOp, translate};
use crate::ir::{FunctionBuilder, Linkage, ModuleBuilder, Type, Value};
use crate::testing::Compiled;

/// Operands as memory: up to four places to read, one to write, one that pointer operands point to.
type Call = unsafe extern "C" fn(*const *const u8, *mut u8, *mut u8);

/// An operand of the instruction under test.
#[derive(Clone)]
enum Operand {
    /// A value of that type, given with each call.
    Value(Type),
    /// A pointer to the memory that comes back as the second result.
    Pointer,
}

/// One instruction on fixed types, compiled.
struct Instruction {
    call: Call,
    operands: usize,
    /// Holds the code that `call` points into.
    _code: Compiled,
}

impl Instruction {
    fn new(op: ClOp, result: &Type, operands: &[Operand], literals: &[u32]) -> Instruction {
        let m = ModuleBuilder::new();
        let params = [Type::PTR; 3];
        let mut fb = FunctionBuilder::new(&m, "run", Linkage::External, &Type::Void, &params);
        let (inputs, out, side) = (fb.param(0), fb.param(1), fb.param(2));
        let mut values = 0;
        let args: Vec<Value> = operands
            .iter()
            .map(|operand| match operand {
                Operand::Value(ty) => {
                    let place = fb.ptr_add(&inputs, &Value::i64(8 * values));
                    values += 1;
                    let place = fb.load(&Type::PTR, &place, 8);
                    fb.load(ty, &place, 1)
                }
                Operand::Pointer => side.clone(),
            })
            .collect();
        let value = match translate(&mut fb, op, result, &args, literals) {
            Ok(value) => value,
            Err(message) => panic!("{op:?}: {message}"),
        };
        if value.ty != Type::Void {
            assert_eq!(value.ty, *result, "{op:?}");
            fb.store(&value, &out, 1);
        }
        fb.ret(None);
        fb.finish();
        let code = Compiled::new(&m);
        Instruction {
            // SAFETY: built with this signature, and kept together with its code.
            call: unsafe { code.function("run") },
            operands: values as usize,
            _code: code,
        }
    }

    /// Of values only.
    fn of(op: ClOp, result: &Type, operands: &[Type]) -> Instruction {
        let operands: Vec<Operand> = operands.iter().cloned().map(Operand::Value).collect();
        Instruction::new(op, result, &operands, &[])
    }

    /// Runs it; `inputs` hold the operands that are values. Results are at most `N` bytes.
    fn run<const N: usize>(&self, inputs: &[&[u8]], side: &mut [u8]) -> [u8; N] {
        assert_eq!(inputs.len(), self.operands);
        let mut places = [std::ptr::null(); 4];
        for (place, input) in places.iter_mut().zip(inputs) {
            *place = input.as_ptr();
        }
        let mut out = [0u8; N];
        // SAFETY: the tests give memory that is as large as the operands, and the code reads it
        // without assuming an alignment.
        unsafe { (self.call)(places.as_ptr(), out.as_mut_ptr(), side.as_mut_ptr()) };
        out
    }
}

/// A floating-point type under test.
trait Float: Copy + PartialOrd + std::fmt::Debug {
    const TYPE: Type;
    /// Bits of the fraction.
    const FRACTION: i32;
    /// Exponent of the smallest normal number.
    const LOWEST: i32;
    /// Exponent above the largest number.
    const TOP: i32;
    fn bytes(self) -> [u8; 8];
    fn from_bytes(bytes: [u8; 8]) -> Self;
    /// The number with the low bits of `bits`.
    fn from_low_bits(bits: u64) -> Self;
    fn wide(self) -> f64;
    fn narrow(value: f64) -> Self;
    /// Number of bits.
    fn width() -> u32 {
        Self::TYPE.scalar_bits()
    }
}

macro_rules! float {
    ($name:ident, $int:ty, $type:expr, $fraction:expr, $lowest:expr, $top:expr, $wide:expr, $narrow:expr) => {
        impl Float for $name {
            const TYPE: Type = $type;
            const FRACTION: i32 = $fraction;
            const LOWEST: i32 = $lowest;
            const TOP: i32 = $top;
            fn bytes(self) -> [u8; 8] {
                u64::from(self.to_bits()).to_ne_bytes()
            }
            fn from_bytes(bytes: [u8; 8]) -> Self {
                Self::from_low_bits(u64::from_ne_bytes(bytes))
            }
            fn from_low_bits(bits: u64) -> Self {
                $name::from_bits(bits as $int)
            }
            fn wide(self) -> f64 {
                $wide(self)
            }
            fn narrow(value: f64) -> Self {
                $narrow(value)
            }
        }
    };
}

/// A half as its bits.
#[derive(Clone, Copy, Debug)]
struct Half(u16);

impl Half {
    fn to_bits(self) -> u16 {
        self.0
    }
    fn from_bits(bits: u16) -> Half {
        Half(bits)
    }
}

impl PartialEq for Half {
    fn eq(&self, other: &Half) -> bool {
        self.wide() == other.wide()
    }
}

impl PartialOrd for Half {
    fn partial_cmp(&self, other: &Half) -> Option<std::cmp::Ordering> {
        self.wide().partial_cmp(&other.wide())
    }
}

float!(f32, u32, Type::Float, 23, -126, 128, f64::from, |v| v
    as f32);
float!(f64, u64, Type::Double, 52, -1022, 1024, |v| v, |v| v);
float!(
    Half,
    u16,
    Type::Half,
    10,
    -14,
    16,
    |h: Half| crate::ir::f64_from_f16(h.0),
    |v| Half(crate::ir::f16_from_f64(v))
);

/// Calls an instruction of floating-point values.
fn call<F: Float>(instruction: &Instruction, inputs: &[F]) -> F {
    let mut bytes = [[0u8; 8]; 4];
    for (place, input) in bytes.iter_mut().zip(inputs) {
        *place = input.bytes();
    }
    let slices: [&[u8]; 4] = [&bytes[0], &bytes[1], &bytes[2], &bytes[3]];
    let mut side = [0u8; 64];
    F::from_bytes(instruction.run::<8>(&slices[..inputs.len()], &mut side))
}

/// Equal, or both NaN; zeros differ by sign.
fn same<F: Float>(a: F, b: F) -> bool {
    (a.wide().is_nan() && b.wide().is_nan()) || a.bytes() == b.bytes()
}

/// A sequence of numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let x = self.0 ^ (self.0 >> 33);
        x.wrapping_mul(0xff51afd7ed558ccd) ^ (x >> 29)
    }

    /// Between 0 and 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * 2f64.powi(-53)
    }
}

#[test]
fn unknown_operands_are_refused() {
    let m = ModuleBuilder::new();
    let mut fb = FunctionBuilder::new(&m, "f", Linkage::External, &Type::Void, &[Type::I32]);
    let x = fb.param(0);
    let ty = Type::I32;
    assert!(translate(&mut fb, ClOp::sin, &ty, std::slice::from_ref(&x), &[]).is_err());
    assert!(translate(&mut fb, ClOp::s_abs, &ty, &[], &[]).is_err());
    let y = Value::float(&Type::Float, 1.0);
    assert!(translate(&mut fb, ClOp::s_abs, &ty, std::slice::from_ref(&y), &[]).is_err());
    assert!(translate(&mut fb, ClOp::cross, &Type::Float, &[y.clone(), y], &[]).is_err());
}

//! Atomic instructions and fences.
//!
//! A scope only says how few threads need to see an order; on a CPU every atomic operation is seen
//! by all, so scopes are not looked at.

use crate::ir::{FunctionBuilder, Type, Value};
use crate::opencl_std::{Result, Unsupported};
use ur_spirv::spirv::Op;

/// Where an ordering is going to stand; not every ordering is allowed everywhere.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Load,
    Store,
    ReadWrite,
    /// The side of a compare-and-exchange that stores nothing.
    Failure,
}

/// Emits atomic instruction `op`. `args` are all its operands in SPIR-V's order (scope and memory
/// semantics among them, as values). The result is of type void where the instruction has none.
///
/// # Errors
/// [`Unsupported`] for other instructions and for values that are not integers of 8 to 64 bits or
/// floating-point numbers.
pub fn translate(fb: &mut FunctionBuilder, op: Op, result: &Type, args: &[Value]) -> Result<Value> {
    within(fb, op, result, args, "")
}

/// As [`translate`] for memory that only work-items of one thread can reach; the vectoriser makes
/// plain accesses of it.
///
/// # Errors
/// As [`translate`].
pub fn translate_alone(
    fb: &mut FunctionBuilder,
    op: Op,
    result: &Type,
    args: &[Value],
) -> Result<Value> {
    within(fb, op, result, args, "syncscope(\"singlethread\") ")
}

fn within(
    fb: &mut FunctionBuilder,
    op: Op,
    result: &Type,
    args: &[Value],
    scope: &str,
) -> Result<Value> {
    let operands = match op {
        Op::AtomicStore
        | Op::AtomicExchange
        | Op::AtomicIAdd
        | Op::AtomicISub
        | Op::AtomicSMin
        | Op::AtomicUMin
        | Op::AtomicSMax
        | Op::AtomicUMax
        | Op::AtomicAnd
        | Op::AtomicOr
        | Op::AtomicXor
        | Op::AtomicFAddEXT
        | Op::AtomicFMinEXT
        | Op::AtomicFMaxEXT => 4,
        Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => 6,
        _ => 3,
    };
    if args.len() < operands {
        return Err(Unsupported(format!("{op:?} with {} operands", args.len())));
    }
    let (ptr, semantics) = (&args[0], &args[2]);
    Ok(match op {
        Op::AtomicLoad => {
            let order = ordering(semantics, Place::Load);
            let align = alignment(op, result)?;
            fb.inst(
                result,
                format!("load atomic {result}, {ptr} {order}, align {align}"),
            )
        }
        Op::AtomicStore => store(fb, op, ptr, &args[3], semantics)?,
        Op::AtomicFlagClear => store(fb, op, ptr, &Value::i32(0), semantics)?,
        Op::AtomicFlagTestAndSet => {
            let old = modify(fb, op, "xchg", ptr, &Value::i32(1), semantics, scope)?;
            fb.icmp("ne", &old, &Value::i32(0))
        }
        Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
            let (new, expected) = (&args[4], &args[5]);
            let align = alignment(op, &new.ty)?;
            let success = ordering(semantics, Place::ReadWrite);
            let failure = ordering(&args[3], Place::Failure);
            let pair = Type::structure(&[new.ty.clone(), Type::I1]);
            let both = fb.inst(
                &pair,
                format!("cmpxchg {ptr}, {expected}, {new} {success} {failure}, align {align}"),
            );
            fb.extract_value(&both, &[0])
        }
        Op::AtomicIIncrement => {
            modify(fb, op, "add", ptr, &Value::int(result, 1), semantics, scope)?
        }
        Op::AtomicIDecrement => {
            modify(fb, op, "sub", ptr, &Value::int(result, 1), semantics, scope)?
        }
        _ => {
            let name = match op {
                Op::AtomicExchange => "xchg",
                Op::AtomicIAdd => "add",
                Op::AtomicISub => "sub",
                Op::AtomicSMin => "min",
                Op::AtomicUMin => "umin",
                Op::AtomicSMax => "max",
                Op::AtomicUMax => "umax",
                Op::AtomicAnd => "and",
                Op::AtomicOr => "or",
                Op::AtomicXor => "xor",
                Op::AtomicFAddEXT => "fadd",
                Op::AtomicFMinEXT => "fmin",
                Op::AtomicFMaxEXT => "fmax",
                _ => return Err(Unsupported(format!("{op:?}"))),
            };
            modify(fb, op, name, ptr, &args[3], semantics, scope)?
        }
    })
}

/// Emits the fence that `semantics` (a value) asks for, if any.
pub fn fence(fb: &mut FunctionBuilder, semantics: &Value) {
    let order = ordering(semantics, Place::ReadWrite);
    if order != "monotonic" {
        fb.line(format!("fence {order}"));
    }
}

fn store(
    fb: &mut FunctionBuilder,
    op: Op,
    ptr: &Value,
    value: &Value,
    semantics: &Value,
) -> Result<Value> {
    let order = ordering(semantics, Place::Store);
    let align = alignment(op, &value.ty)?;
    fb.line(format!(
        "store atomic {value}, {ptr} {order}, align {align}"
    ));
    Ok(Value::new(&Type::Void, ""))
}

/// Reads, changes and writes; the old value.
fn modify(
    fb: &mut FunctionBuilder,
    op: Op,
    name: &str,
    ptr: &Value,
    value: &Value,
    semantics: &Value,
    scope: &str,
) -> Result<Value> {
    let order = ordering(semantics, Place::ReadWrite);
    let align = alignment(op, &value.ty)?;
    Ok(fb.inst(
        &value.ty,
        format!("atomicrmw {name} {ptr}, {value} {scope}{order}, align {align}"),
    ))
}

/// Alignment of an atomic variable, if there can be one of that type.
fn alignment(op: Op, ty: &Type) -> Result<u64> {
    match ty {
        Type::Int(8 | 16 | 32 | 64) | Type::Half | Type::Float | Type::Double | Type::Ptr(_) => {
            Ok(ty.size())
        }
        _ => Err(Unsupported(format!("{op:?} on {ty}"))),
    }
}

/// LLVM's ordering for a mask of memory semantics: the nearest one that is allowed at `place`. A
/// mask that is not known before the kernel runs asks for everything.
fn ordering(semantics: &Value, place: Place) -> &'static str {
    let mask = semantics.text.parse::<u64>().unwrap_or(0x10);
    let (acquire, release) = (mask & 0xa != 0, mask & 0xc != 0);
    if mask & 0x10 != 0 {
        return "seq_cst";
    }
    match place {
        Place::Load | Place::Failure if acquire => "acquire",
        Place::Store if release => "release",
        Place::ReadWrite => match (acquire, release) {
            (true, true) => "acq_rel",
            (true, false) => "acquire",
            (false, true) => "release",
            (false, false) => "monotonic",
        },
        _ => "monotonic",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Linkage, ModuleBuilder};
    use crate::testing::Compiled;

    #[test]
    fn orderings_fit_their_place() {
        let of = |mask, place| ordering(&Value::i32(mask), place);
        assert_eq!(of(0, Place::Load), "monotonic");
        assert_eq!(of(0x4, Place::Load), "monotonic");
        assert_eq!(of(0x8, Place::Load), "acquire");
        assert_eq!(of(0x2, Place::Store), "monotonic");
        assert_eq!(of(0x8, Place::Store), "release");
        assert_eq!(of(0x208, Place::ReadWrite), "acq_rel");
        assert_eq!(of(0x4, Place::Failure), "monotonic");
        assert_eq!(of(0x10, Place::Failure), "seq_cst");
        let dynamic = Value::new(&Type::I32, "%s");
        assert_eq!(ordering(&dynamic, Place::Store), "seq_cst");
    }

    /// A function `fn(*mut T, value: *const T, out: *mut T)` doing `op`.
    fn build(m: &ModuleBuilder, name: &str, op: Op, ty: &Type, order: i32) {
        let params = [Type::PTR, Type::PTR, Type::PTR];
        let mut fb = FunctionBuilder::new(m, name, Linkage::External, &Type::Void, &params);
        let (ptr, value, out) = (fb.param(0), fb.param(1), fb.param(2));
        let x = fb.load(ty, &value, ty.align());
        let (scope, semantics) = (Value::i32(1), Value::i32(order));
        let args = match op {
            Op::AtomicLoad
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicFlagClear
            | Op::AtomicFlagTestAndSet => vec![ptr, scope, semantics],
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                let next = fb.ptr_add(&value, &Value::i64(ty.size() as i64));
                let expected = fb.load(ty, &next, ty.align());
                vec![ptr, scope, semantics.clone(), semantics, x, expected]
            }
            _ => vec![ptr, scope, semantics, x],
        };
        let result = if op == Op::AtomicFlagTestAndSet {
            Type::I1
        } else {
            ty.clone()
        };
        let old = translate(&mut fb, op, &result, &args).unwrap();
        if old.ty == Type::I1 {
            let old = fb.int_cast(&old, ty, false);
            fb.store(&old, &out, ty.align());
        } else if old.ty != Type::Void {
            fb.store(&old, &out, ty.align());
        }
        fb.ret(None);
        fb.finish();
    }

    type Fn64 = unsafe extern "C" fn(*mut u64, *const u64, *mut u64);

    type IntFn = fn(i64, i64) -> i64;

    #[test]
    fn integers_of_every_width_and_order() {
        let reference: [(Op, IntFn); 12] = [
            (Op::AtomicExchange, |_, b| b),
            (Op::AtomicIIncrement, |a, _| a.wrapping_add(1)),
            (Op::AtomicIDecrement, |a, _| a.wrapping_sub(1)),
            (Op::AtomicIAdd, |a, b| a.wrapping_add(b)),
            (Op::AtomicISub, |a, b| a.wrapping_sub(b)),
            (Op::AtomicSMin, i64::min),
            (Op::AtomicSMax, i64::max),
            (Op::AtomicAnd, |a, b| a & b),
            (Op::AtomicOr, |a, b| a | b),
            (Op::AtomicXor, |a, b| a ^ b),
            (Op::AtomicStore, |_, b| b),
            (Op::AtomicLoad, |a, _| a),
        ];
        let m = ModuleBuilder::new();
        for bits in [8u32, 16, 32, 64] {
            for (op, _) in &reference {
                for order in [0, 2, 4, 8, 16] {
                    let name = format!("{op:?}.{bits}.{order}");
                    build(&m, &name, *op, &Type::Int(bits), order);
                }
            }
        }
        let code = Compiled::new(&m);
        for bits in [8u32, 16, 32, 64] {
            let mask = u64::MAX >> (64 - bits);
            let signed = |v: u64| ((v << (64 - bits)) as i64) >> (64 - bits);
            for (op, f) in &reference {
                for order in [0, 2, 4, 8, 16] {
                    // SAFETY: the function was built with this signature.
                    let function: Fn64 =
                        unsafe { code.function(&format!("{op:?}.{bits}.{order}")) };
                    for (a, b) in [(5u64, 3u64), (3, u64::MAX), (1 << (bits - 1), 1), (0, 0)] {
                        let (mut cell, value, mut old) = (a & mask, b & mask, 0u64);
                        // SAFETY: all three point to 8 aligned bytes.
                        unsafe { function(&mut cell, &value, &mut old) };
                        let want = f(signed(a), signed(b)) as u64 & mask;
                        assert_eq!(cell, want, "{op:?} {bits} {a} {b}");
                        if *op != Op::AtomicStore {
                            assert_eq!(old, a & mask, "{op:?} {bits} {a} {b}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn compare_exchange_and_flags() {
        let m = ModuleBuilder::new();
        build(&m, "cas", Op::AtomicCompareExchange, &Type::I64, 0x8);
        build(&m, "umin", Op::AtomicUMin, &Type::I64, 0x10);
        build(&m, "umax", Op::AtomicUMax, &Type::I64, 0);
        build(&m, "set", Op::AtomicFlagTestAndSet, &Type::I32, 0x2);
        build(&m, "clear", Op::AtomicFlagClear, &Type::I32, 0x4);
        let code = Compiled::new(&m);
        let call = |name: &str, cell: &mut u64, value: [u64; 2]| {
            let mut old = 0;
            // SAFETY: built with this signature; all pointers are to aligned live memory.
            unsafe {
                let f: Fn64 = code.function(name);
                f(cell, value.as_ptr(), &mut old);
            }
            old
        };
        let mut cell = 7;
        assert_eq!((call("cas", &mut cell, [9, 8]), cell), (7, 7));
        assert_eq!((call("cas", &mut cell, [9, 7]), cell), (7, 9));
        assert_eq!(
            (call("umax", &mut cell, [u64::MAX, 0]), cell),
            (9, u64::MAX)
        );
        assert_eq!((call("umin", &mut cell, [1, 0]), cell), (u64::MAX, 1));
        let mut flag = 0;
        assert_eq!((call("set", &mut flag, [0, 0]), flag), (0, 1));
        assert_eq!((call("set", &mut flag, [0, 0]), flag), (1, 1));
        call("clear", &mut flag, [0, 0]);
        assert_eq!(flag, 0);
    }

    #[test]
    fn float_sums_lose_nothing_between_threads() {
        let m = ModuleBuilder::new();
        build(&m, "add", Op::AtomicFAddEXT, &Type::Float, 0);
        build(&m, "max", Op::AtomicFMaxEXT, &Type::Double, 0);
        build(&m, "min", Op::AtomicFMinEXT, &Type::Float, 0);
        let code = Compiled::new(&m);
        // SAFETY: built with this signature.
        let add: Fn64 = unsafe { code.function("add") };
        let mut cell = 0u64;
        let address = &raw mut cell as usize;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(move || {
                    let value = u64::from(1f32.to_bits());
                    let mut old = 0;
                    for _ in 0..10_000 {
                        // SAFETY: the cell outlives the scope and is only changed atomically.
                        unsafe { add(address as *mut u64, &value, &mut old) };
                    }
                });
            }
        });
        assert_eq!(f32::from_bits(cell as u32), 40_000.0);
        // SAFETY: as above.
        let (max, min): (Fn64, Fn64) = unsafe { (code.function("max"), code.function("min")) };
        let (mut cell, mut old) = (1f64.to_bits(), 0);
        // SAFETY: all pointers are to live aligned memory.
        unsafe { max(&mut cell, &2.5f64.to_bits(), &mut old) };
        assert_eq!(f64::from_bits(cell), 2.5);
        let mut cell = u64::from(1f32.to_bits());
        // SAFETY: as above.
        unsafe { min(&mut cell, &u64::from((-3f32).to_bits()), &mut old) };
        assert_eq!(f32::from_bits(cell as u32), -3.0);
    }

    #[test]
    fn wide_values_are_refused() {
        let m = ModuleBuilder::new();
        let mut fb = FunctionBuilder::new(&m, "f", Linkage::External, &Type::Void, &[Type::PTR]);
        let v2 = Type::vector(&Type::I32, 2);
        let args = [fb.param(0), Value::i32(1), Value::i32(0)];
        assert!(translate(&mut fb, Op::AtomicLoad, &v2, &args).is_err());
    }
}

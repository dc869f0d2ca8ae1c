//! Choosing lanes and bits.

use crate::ir::{FunctionBuilder, Type, Value};

/// `x`'s lanes in the order of `mask`, of whose elements only the low bits count.
pub(super) fn shuffle(fb: &mut FunctionBuilder, result: &Type, x: &Value, mask: &Value) -> Value {
    let count = x.ty.lanes().next_power_of_two();
    let low = fb.binary("and", mask, &Value::int(&mask.ty, i128::from(count) - 1));
    let mut lanes = Vec::new();
    for i in 0..result.lanes() {
        let index = fb.lane(&low, i);
        lanes.push(fb.extract_element(x, &index));
    }
    fb.from_lanes(result, &lanes)
}

/// As [`shuffle`], of the lanes of two vectors.
pub(super) fn shuffle2(fb: &mut FunctionBuilder, result: &Type, args: &[Value]) -> Value {
    let all: Vec<Option<u32>> = (0..2 * args[0].ty.lanes()).map(Some).collect();
    let both = fb.shuffle(&args[0], &args[1], &all);
    shuffle(fb, result, &both, &args[2])
}

/// `args[1]` where the condition `args[2]` holds, else `args[0]`. A scalar condition is any number
/// but 0, a vector's are the elements' highest bits.
pub(super) fn select(fb: &mut FunctionBuilder, args: &[Value]) -> Value {
    let condition = &args[2];
    let zero = Value::zero(&condition.ty);
    let predicate = if condition.ty.is_vector() {
        "slt"
    } else {
        "ne"
    };
    let holds = fb.icmp(predicate, condition, &zero);
    fb.select(&holds, &args[1], &args[0])
}

/// Bits of `args[1]` where those of `args[2]` are set, else of `args[0]`.
pub(super) fn bitselect(fb: &mut FunctionBuilder, args: &[Value]) -> Value {
    let ty = args[0].ty.clone();
    let int = ty.as_int();
    let bits: Vec<Value> = args.iter().map(|a| fb.bitcast(a, &int)).collect();
    let keep = fb.not(&bits[2]);
    let a = fb.binary("and", &bits[0], &keep);
    let b = fb.binary("and", &bits[1], &bits[2]);
    let both = fb.binary("or", &a, &b);
    fb.bitcast(&both, &ty)
}

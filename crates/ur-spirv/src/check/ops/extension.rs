//! Instructions of extensions: dot products, integer functions, function pointers, clocks, fences.

use super::Checked;
use crate::Result;
use crate::check::shape::{Elem, Shape};
use crate::types::Type;
use rspirv::spirv::{Op, PackedVectorFormat};

pub fn check(it: &Checked<'_>) -> Result<bool> {
    use Op as O;
    match it.inst.op {
        O::SDot | O::UDot | O::SUDot => dot(it, false)?,
        O::SDotAccSat | O::UDotAccSat | O::SUDotAccSat => dot(it, true)?,
        O::UCountLeadingZerosINTEL | O::UCountTrailingZerosINTEL => integers(it, 1)?,
        O::AbsISubINTEL
        | O::AbsUSubINTEL
        | O::IAddSatINTEL
        | O::UAddSatINTEL
        | O::IAverageINTEL
        | O::UAverageINTEL
        | O::IAverageRoundedINTEL
        | O::UAverageRoundedINTEL
        | O::ISubSatINTEL
        | O::USubSatINTEL => integers(it, 2)?,
        O::FmaKHR => floats(it, 3)?,
        O::ArithmeticFenceEXT => floats(it, 1)?,
        O::FunctionPointerCallINTEL => call(it)?,
        O::ReadClockKHR => clock(it)?,
        O::SubgroupBlockPrefetchINTEL => {
            it.pointer(0)?;
            it.integer(1)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Result and the first `count` operands are alike and integers.
fn integers(it: &Checked<'_>, count: usize) -> Result<()> {
    alike(it, count, |elem| matches!(elem, Elem::Int(_)))
}

/// Result and the first `count` operands are alike and floats.
fn floats(it: &Checked<'_>, count: usize) -> Result<()> {
    alike(it, count, |elem| matches!(elem, Elem::Float(_)))
}

fn alike(it: &Checked<'_>, count: usize, kind: fn(Elem) -> bool) -> Result<()> {
    let result = it.result()?;
    it.rule(kind(result.elem), "the result is of the wrong kind")?;
    for n in 0..count {
        it.rule(
            it.shape(n)? == result,
            &format!("operand {n} is not like the result"),
        )?;
    }
    Ok(())
}

/// Two integer vectors, or two words that hold four bytes each and say so; an accumulator like the
/// result if `accumulates`.
fn dot(it: &Checked<'_>, accumulates: bool) -> Result<()> {
    let (a, b, result) = (it.shape(0)?, it.shape(1)?, it.result()?);
    it.rule(a == b, "the vectors are not alike")?;
    let literal = if accumulates { 3 } else { 2 };
    let width = match (a, it.inst.args.get(literal)) {
        (
            Shape {
                elem: Elem::Int(width),
                lanes: 2..,
            },
            None,
        ) => width,
        (
            Shape {
                elem: Elem::Int(32),
                lanes: 1,
            },
            Some(format),
        ) => {
            it.rule(
                *format == PackedVectorFormat::PackedVectorFormat4x8Bit as u32,
                "an unknown packed format",
            )?;
            8
        }
        _ => {
            return Err(
                it.invalid("takes integer vectors, or 32-bit integers with a packed format")
            );
        }
    };
    it.rule(
        matches!(result, Shape { elem: Elem::Int(bits), lanes: 1 } if bits >= width),
        "the result is no integer at least as wide as the elements",
    )?;
    if accumulates {
        it.same_as_result(2)?;
    }
    Ok(())
}

/// A call of a function by its address: pointer, arguments.
fn call(it: &Checked<'_>) -> Result<()> {
    let (_, pointee) = it.pointer(0)?;
    let Type::Function { ret, params } = it.module.ty(pointee) else {
        return Err(it.invalid("the pointer is not to a function"));
    };
    it.rule(
        *ret == it.inst.ty,
        "the result is not of the type that the function returns",
    )?;
    let args = it.inst.args_from(1);
    it.rule(
        args.len() == params.len(),
        "the number of arguments is not the function's",
    )?;
    for (arg, param) in args.iter().zip(params) {
        it.rule(
            it.module.type_id_of(*arg) == *param,
            &format!("argument {arg} is not of its parameter's type"),
        )?;
    }
    Ok(())
}

fn clock(it: &Checked<'_>) -> Result<()> {
    it.word(0)?;
    let result = it.result()?;
    let wide = Shape {
        elem: Elem::Int(64),
        lanes: 1,
    };
    let pair = Shape {
        elem: Elem::Int(32),
        lanes: 2,
    };
    it.rule(
        result == wide || result == pair,
        "the result is neither a 64-bit integer nor a pair of 32-bit ones",
    )
}

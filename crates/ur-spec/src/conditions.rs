//! What a call's arguments must be, as conditions that a program can check.

use crate::ctype::CType;
use crate::expression::{Expr, Op, Part, Place};
use crate::model::{Dir, Function, Param, Spec};

/// A reason to refuse a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The result of a call that is refused.
    pub code: String,
    /// When it is refused.
    pub test: Test,
}

/// When a call is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// When this is true.
    When(Expr),
    /// When the function given for a parameter is null.
    NoFunction(String),
    /// When one of the handles in an array, counted by another parameter, is null.
    NullAmong(String, String),
}

/// The conditions of a function in the order in which they are checked: what is missing, numbers
/// that name nothing, what spec/ says about the function, and last what stands in structs.
///
/// # Panics
/// On a condition that cannot be read, which [`crate::check`] reports first.
pub fn checks(spec: &Spec, function: &Function) -> Vec<Check> {
    let mut all = Vec::new();
    let mut add = |code: &str, test: Test| {
        let check = Check {
            code: format!("UR_RESULT_ERROR_{code}"),
            test,
        };
        if !all.contains(&check) {
            all.push(check);
        }
    };
    for param in &function.params {
        missing(spec, param, &mut add);
    }
    for param in &function.params {
        number(spec, whole(&param.name), &param.r#type, None, &mut add);
    }
    for result in &function.returns {
        for condition in &result.when {
            let expr = Expr::parse(condition).expect("conditions are checked before");
            let code = result.code.trim_start_matches("UR_RESULT_ERROR_");
            add(code, Test::When(null_last(expr)));
        }
    }
    for param in &function.params {
        members(spec, param, &mut add);
        among(spec, param, &mut add);
    }
    all
}

fn whole(param: &str) -> Place {
    Place {
        param: param.to_owned(),
        part: Part::Whole,
    }
}

fn is(op: Op, place: Place, number: u64) -> Expr {
    Expr::Binary(
        op,
        Box::new(Expr::Place(place)),
        Box::new(Expr::Number(number)),
    )
}

/// `x == NULL` of `NULL == x`, so that the same condition is the same expression.
fn null_last(expr: Expr) -> Expr {
    match expr {
        Expr::Binary(Op::Equal, a, b) if *a == Expr::Number(0) => Expr::Binary(Op::Equal, b, a),
        other => other,
    }
}

fn missing(spec: &Spec, param: &Param, add: &mut impl FnMut(&str, Test)) {
    let Some(parsed) = CType::parse(&param.r#type) else {
        return;
    };
    if param.optional || param.unchecked {
        return;
    }
    let null = Test::When(is(Op::Equal, whole(&param.name), 0));
    if parsed.is_pointer() {
        add("INVALID_NULL_POINTER", null);
    } else if spec.callback(&parsed.base).is_some() {
        add("INVALID_NULL_POINTER", Test::NoFunction(param.name.clone()));
    } else if spec.handle(&parsed.base).is_some() {
        add("INVALID_NULL_HANDLE", null);
    }
}

/// A number that must be one of an enumeration's values, or bits of a set.
///
/// Values between those of an enumeration pass: adapters may have queries of their own there.
fn number(
    spec: &Spec,
    place: Place,
    c_type: &str,
    only_if: Option<Place>,
    add: &mut impl FnMut(&str, Test),
) {
    let wrong = if let Some(flags) = spec.flags(c_type) {
        let mask = Box::new(Expr::Constant(flags.mask_name()));
        Expr::Binary(Op::BitAnd, Box::new(Expr::Place(place)), mask)
    } else if let Some(values) = spec.enumeration(c_type) {
        let largest = values.values.iter().map(|v| v.value).max().unwrap_or(0);
        is(Op::Greater, place, u64::from(largest))
    } else {
        return;
    };
    let wrong = match only_if {
        None => wrong,
        Some(pointer) => Expr::Binary(
            Op::And,
            Box::new(is(Op::Unequal, pointer, 0)),
            Box::new(wrong),
        ),
    };
    add("INVALID_ENUMERATION", Test::When(wrong));
}

/// The numbers in the struct that a parameter points to.
fn members(spec: &Spec, param: &Param, add: &mut impl FnMut(&str, Test)) {
    let Some(parsed) = CType::parse(&param.r#type) else {
        return;
    };
    // How many there are is in another parameter, and the first one says nothing of the others.
    if parsed.stars != 1 || param.dir != Some(Dir::In) || param.len.is_some() {
        return;
    }
    let Some(record) = spec.record(&parsed.base).filter(|r| !r.is_union) else {
        return;
    };
    for member in &record.members {
        if member.dir != Some(Dir::In) || member.unchecked {
            continue;
        }
        let place = Place {
            param: param.name.clone(),
            part: Part::Pointee(member.name.clone()),
        };
        let only_if = Some(whole(&param.name));
        number(spec, place, &member.r#type, only_if, add);
    }
}

/// Null handles in an array.
fn among(spec: &Spec, param: &Param, add: &mut impl FnMut(&str, Test)) {
    let Some(parsed) = CType::parse(&param.r#type) else {
        return;
    };
    let handle = spec.handle(&parsed.base).is_some_and(|h| h.dispatchable());
    if let (true, 1, Some(Dir::In), Some(len)) = (handle, parsed.stars, param.dir, &param.len) {
        let code = if param.name == "phEventWaitList" {
            "INVALID_EVENT_WAIT_LIST"
        } else {
            "INVALID_NULL_HANDLE"
        };
        add(code, Test::NullAmong(param.name.clone(), len.clone()));
    }
}

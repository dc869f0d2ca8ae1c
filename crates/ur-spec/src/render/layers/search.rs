//! Arguments for tests: those that are right, and for each condition some that only it refuses.

use std::collections::BTreeMap;

use crate::conditions::{Check, Test, checks};
use crate::ctype::CType;
use crate::expression::{Expr, Op, Part, Place};
use crate::model::{Function, Spec};

/// Values of the places that the conditions of a function speak of.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    values: BTreeMap<Place, u64>,
    /// Arrays that have a null handle, and where.
    pub(super) null_among: BTreeMap<String, usize>,
}

/// Arguments and what they show.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// What is wrong with them, or `right`.
    pub(super) what: String,
    pub(super) arguments: Arguments,
    /// The result that the layer gives.
    pub(super) code: String,
}

/// At most so many values differ from those that are right.
const CHANGES: usize = 4;

/// All that is needed to try arguments of one function.
pub(super) struct Search<'a> {
    spec: &'a Spec,
    function: &'a Function,
    checks: Vec<Check>,
    candidates: Vec<(Place, Vec<u64>)>,
    /// What the places have when nothing else is said.
    usual: BTreeMap<Place, u64>,
    constants: BTreeMap<String, u64>,
}

impl<'a> Search<'a> {
    pub(super) fn new(spec: &'a Spec, function: &'a Function) -> Search<'a> {
        let mut search = Search {
            spec,
            function,
            checks: checks(spec, function),
            candidates: Vec::new(),
            usual: BTreeMap::new(),
            constants: BTreeMap::new(),
        };
        search.candidates = search.candidates();
        let places = search.candidates.iter().map(|(place, _)| place);
        search.usual = places.map(|p| (p.clone(), search.usual(p))).collect();
        for check in &search.checks {
            if let Test::When(expr) = &check.test {
                for name in expr.constants() {
                    let value = crate::expression::constant(spec, name).map_or(0, u64::from);
                    search.constants.insert(name.to_owned(), value);
                }
            }
        }
        search
    }

    fn c_type(&self, place: &Place) -> String {
        place.c_type(self.spec, &|name: &str| {
            let param = self.function.params.iter().find(|p| p.name == name);
            param.map_or_else(String::new, |p| p.r#type.clone())
        })
    }

    /// The value of a place when nothing else is said.
    fn usual(&self, place: &Place) -> u64 {
        let c_type = self.c_type(place);
        let parsed = CType::parse(&c_type);
        let base = parsed.as_ref().map_or("", |t| t.base.as_str());
        let pointer = parsed.as_ref().is_some_and(|t| t.is_pointer());
        let param = self.function.params.iter().find(|p| p.name == place.param);
        let optional = param.is_some_and(|p| p.optional);
        match &place.part {
            Part::Whole if pointer || self.spec.handle(base).is_some() => u64::from(!optional),
            Part::Whole if self.spec.callback(base).is_some() => u64::from(!optional),
            Part::Pointee(_) if pointer => 0,
            Part::Pointee(member) if member == "stype" => self.stype(&place.param),
            _ if self.spec.flags(&c_type).is_some() => 0,
            _ if self.spec.enumeration(&c_type).is_some() => self.first(&c_type),
            Part::Whole => {
                let counts = |p: &&crate::model::Param| p.len.as_deref() == Some(&place.param);
                let counted = self.function.params.iter().find(counts);
                u64::from(!counted.is_some_and(|p| p.optional))
            }
            _ => 1,
        }
    }

    fn first(&self, enumeration: &str) -> u64 {
        let values = self.spec.enumeration(enumeration).map(|e| &e.values);
        values
            .into_iter()
            .flatten()
            .map(|v| u64::from(v.value))
            .min()
            .unwrap_or_default()
    }

    fn stype(&self, param: &str) -> u64 {
        let whole = Place {
            param: param.to_owned(),
            part: Part::Whole,
        };
        let base = CType::parse(&self.c_type(&whole)).map_or_else(String::new, |t| t.base);
        let stype = self.spec.record(&base).and_then(|r| r.stype.clone());
        stype
            .and_then(|name| crate::expression::constant(self.spec, &name))
            .map_or(0, u64::from)
    }

    /// The value of a place in these arguments.
    pub(super) fn value(&self, arguments: &Arguments, place: &Place) -> u64 {
        let set = arguments
            .values
            .get(place)
            .or_else(|| self.usual.get(place));
        set.copied().unwrap_or_else(|| self.usual(place))
    }

    fn holds(&self, expr: &Expr, arguments: &Arguments) -> bool {
        let named = |name: &str| self.constants.get(name).copied().unwrap_or_default();
        expr.value(&named, &|place| self.value(arguments, place)) != 0
    }

    /// The places inside a parameter that were given a value or are spoken of.
    pub(super) fn parts(&self, param: &str) -> Vec<&Place> {
        let inside = |place: &&Place| place.param == param && place.part != Part::Whole;
        self.candidates
            .iter()
            .map(|(place, _)| place)
            .filter(inside)
            .collect()
    }

    fn candidates(&self) -> Vec<(Place, Vec<u64>)> {
        let mut out: Vec<(Place, Vec<u64>)> = Vec::new();
        let exprs: Vec<&Expr> = self
            .checks
            .iter()
            .filter_map(|check| match &check.test {
                Test::When(expr) => Some(expr),
                _ => None,
            })
            .collect();
        let places = exprs.iter().flat_map(|expr| expr.places());
        for place in places {
            if out.iter().any(|(known, _)| known == place) {
                continue;
            }
            let c_type = self.c_type(place);
            let parsed = CType::parse(&c_type);
            let pointer = parsed.is_some_and(|t| t.is_pointer());
            let values = if pointer || self.spec.handle(&c_type).is_some() || c_type == "bool" {
                vec![0, 1]
            } else {
                self.numbers(place, &c_type, &exprs)
            };
            out.push((place.clone(), values));
        }
        out
    }

    /// Numbers to try: small ones, and what stands beside the constants that the place is
    /// compared with.
    fn numbers(&self, place: &Place, c_type: &str, exprs: &[&Expr]) -> Vec<u64> {
        let mut values = vec![0];
        if let Some(flags) = self.spec.flags(c_type) {
            let speaks = exprs.iter().filter(|e| e.places().contains(&place));
            let constants = speaks.flat_map(|e| e.constants());
            let known = |name: &str| flags.values.iter().find(|v| v.name == name);
            let mut bits: Vec<u64> = constants
                .filter_map(known)
                .map(|v| u64::from(v.value))
                .collect();
            bits.dedup();
            values.extend(&bits);
            for (i, a) in bits.iter().enumerate() {
                values.extend(bits[i + 1..].iter().map(|b| a | b));
            }
            let mask = flags.mask();
            values.push(1 << mask.trailing_zeros());
            values.push(u64::from(mask) & 0x8000_0000);
        } else if let Some(named) = self.spec.enumeration(c_type) {
            // The named numbers that conditions speak of, what lies behind them and behind all.
            let speaks = exprs.iter().filter(|e| e.places().contains(&place));
            let spoken: Vec<&str> = speaks.flat_map(|e| e.constants()).collect();
            for value in &named.values {
                let number = u64::from(value.value);
                if spoken.contains(&value.name.as_str()) {
                    values.extend([number, number + 1]);
                }
            }
            let largest = named.values.iter().map(|v| u64::from(v.value)).max();
            let largest = largest.unwrap_or_default();
            values.extend([largest, largest + 1, 0x7fff_ffff]);
        } else {
            values.extend([1, 2, 3]);
            let speaks = exprs.iter().filter(|e| e.places() == [place]);
            for number in speaks.flat_map(|e| e.numbers()).filter(|n| *n > 1) {
                values.extend([number + 1, 0x7fff_ffff]);
            }
        }
        values.sort_unstable();
        values.dedup();
        values
    }

    fn refuses(&self, check: &Check, arguments: &Arguments) -> bool {
        match &check.test {
            Test::When(expr) => self.holds(expr, arguments),
            // A case that gives no function is made by hand, see `cases`.
            Test::NoFunction(param) => {
                let place = Place {
                    param: param.clone(),
                    part: Part::Whole,
                };
                self.value(arguments, &place) == 0
            }
            Test::NullAmong(array, _) => arguments.null_among.contains_key(array),
        }
    }

    /// The result of these arguments; `None` when none refuses them.
    fn result(&self, arguments: &Arguments) -> Option<&str> {
        let first = self.checks.iter().find(|c| self.refuses(c, arguments));
        first.map(|check| check.code.as_str())
    }

    /// Changes `from` in so many of the places until it is as wanted.
    fn near(
        &self,
        from: &mut Arguments,
        changes: usize,
        places: &[&(Place, Vec<u64>)],
        good: &impl Fn(&Arguments) -> bool,
    ) -> bool {
        if changes == 0 {
            return good(from);
        }
        for (index, (place, values)) in places.iter().enumerate() {
            let before = from.values.get(place).copied();
            let now = self.value(from, place);
            for value in values.iter().filter(|v| **v != now) {
                from.values.insert(place.clone(), *value);
                if self.near(from, changes - 1, &places[index + 1..], good) {
                    return true;
                }
            }
            match before {
                Some(before) => from.values.insert(place.clone(), before),
                None => from.values.remove(place),
            };
        }
        false
    }

    /// The arguments as wanted that are nearest to `from`, with changes in some places only.
    fn nearest(
        &self,
        from: &Arguments,
        places: &[&(Place, Vec<u64>)],
        good: &impl Fn(&Arguments) -> bool,
    ) -> Option<Arguments> {
        let mut found = from.clone();
        (0..=CHANGES)
            .any(|changes| self.near(&mut found, changes, places, good))
            .then_some(found)
    }

    /// Arguments that nothing refuses.
    pub(super) fn right(&self) -> Option<Arguments> {
        let all: Vec<_> = self.candidates.iter().collect();
        self.nearest(&Arguments::default(), &all, &|a| self.result(a).is_none())
    }

    /// The places that have to do with an expression: its own first, then those that stand in a
    /// condition with one of them.
    fn related(&self, expr: &Expr) -> Vec<&(Place, Vec<u64>)> {
        let own = expr.places();
        let mut near: Vec<&Place> = own.clone();
        for check in &self.checks {
            if let Test::When(other) = &check.test {
                let places = other.places();
                if places.iter().any(|place| own.contains(place)) {
                    near.extend(places);
                }
            }
        }
        let mut out: Vec<_> = Vec::new();
        let candidates = |mine: bool| {
            let near = &near;
            let own = &own;
            self.candidates
                .iter()
                .filter(move |(place, _)| near.contains(&place) && own.contains(&place) == mine)
        };
        out.extend(candidates(true));
        out.extend(candidates(false));
        out
    }

    /// Every case of the function: the right one first. Conditions that no arguments show alone
    /// come back by their text.
    pub(super) fn cases(&self) -> (Vec<Case>, Vec<String>) {
        let mut missing = Vec::new();
        let Some(right) = self.right() else {
            return (Vec::new(), vec![self.function.name.clone()]);
        };
        let mut cases = vec![Case {
            what: "right".to_owned(),
            arguments: right.clone(),
            code: "UR_RESULT_SUCCESS".to_owned(),
        }];
        for check in &self.checks {
            match &check.test {
                Test::When(expr) => {
                    for (what, alternative) in self.alternatives(expr) {
                        match self.shows(&right, check, &alternative) {
                            Some(arguments) => cases.push(Case {
                                what,
                                arguments,
                                code: check.code.clone(),
                            }),
                            None => missing.push(format!("{}: {what}", self.function.name)),
                        }
                    }
                }
                Test::NoFunction(param) => {
                    let mut arguments = right.clone();
                    let place = Place {
                        param: param.clone(),
                        part: Part::Whole,
                    };
                    arguments.values.insert(place, 0);
                    cases.push(Case {
                        what: format!("{param} == 0"),
                        arguments,
                        code: check.code.clone(),
                    });
                }
                Test::NullAmong(array, len) => {
                    cases.extend(self.nulls(&right, check, array, len));
                }
            }
        }
        (cases, missing)
    }

    /// The ways in which a condition can be true: each side of an `||`, and for numbers that
    /// name nothing the nearest one and the largest.
    fn alternatives(&self, expr: &Expr) -> Vec<(String, Expr)> {
        match expr {
            Expr::Binary(Op::Or, a, b) => {
                let mut all = self.alternatives(a);
                all.extend(self.alternatives(b));
                all
            }
            _ => {
                let what = text(expr);
                let mut all = vec![(what.clone(), expr.clone())];
                let constants = expr.constants();
                let place = expr.places().last().map(|p| (*p).clone());
                let extreme = match expr {
                    _ if constants.iter().any(|c| c.ends_with("_MASK")) => Some(0x8000_0000),
                    Expr::Binary(Op::Greater, _, b) if matches!(**b, Expr::Number(1..)) => {
                        Some(0x7fff_ffff)
                    }
                    _ => None,
                };
                if let (Some(number), Some(place)) = (extreme, place) {
                    let equal = Expr::Binary(
                        Op::Equal,
                        Box::new(Expr::Place(place)),
                        Box::new(Expr::Number(number)),
                    );
                    let both = Expr::Binary(Op::And, Box::new(expr.clone()), Box::new(equal));
                    all.push((format!("{what}, at {number:#x}"), both));
                }
                all
            }
        }
    }

    /// Arguments that are refused for this alone; or, if there are none, for this first.
    fn shows(&self, right: &Arguments, check: &Check, alternative: &Expr) -> Option<Arguments> {
        let holds = |a: &Arguments| self.holds(alternative, a);
        let alone = |a: &Arguments| {
            let others = self.checks.iter().filter(|c| c.code != check.code);
            holds(a) && !others.into_iter().any(|c| self.refuses(c, a))
        };
        let first = |a: &Arguments| holds(a) && self.result(a) == Some(&check.code);
        let places = self.related(alternative);
        self.nearest(right, &places, &alone)
            .or_else(|| self.nearest(right, &places, &first))
    }

    /// An array with a null handle at its start, and one at its end.
    fn nulls(&self, right: &Arguments, check: &Check, array: &str, len: &str) -> Vec<Case> {
        let whole = |name: &str| Place {
            param: name.to_owned(),
            part: Part::Whole,
        };
        let at = |count: u64, index: usize| {
            let mut arguments = right.clone();
            arguments.values.insert(whole(array), 1);
            arguments.values.insert(whole(len), count);
            arguments.null_among.insert(array.to_owned(), index);
            (self.result(&arguments) == Some(&check.code)).then(|| Case {
                what: format!("{array}[{index}] of {count} == 0"),
                arguments,
                code: check.code.clone(),
            })
        };
        [at(1, 0), at(3, 2)].into_iter().flatten().collect()
    }
}

/// An expression as it is read.
fn text(expr: &Expr) -> String {
    match expr {
        Expr::Number(number) => number.to_string(),
        Expr::Constant(name) => name.clone(),
        Expr::Place(place) => match &place.part {
            Part::Whole => place.param.clone(),
            Part::Member(member) => format!("{}.{member}", place.param),
            Part::Pointee(member) => format!("{}->{member}", place.param),
            Part::Element(index) => format!("{}[{index}]", place.param),
        },
        Expr::Choice(condition, yes, no) => {
            format!("({} ? {} : {})", text(condition), text(yes), text(no))
        }
        Expr::Binary(op, a, b) => {
            let sign = crate::expression::sign(*op);
            let side = |e: &Expr| match e {
                Expr::Binary(..) => format!("({})", text(e)),
                _ => text(e),
            };
            format!("{} {sign} {}", side(a), side(b))
        }
    }
}

//! Errors, special values, dead lanes and processors.

#[path = "../../../examples/ulp/error.rs"]
mod error;
// The other tests of this crate have it as well.
#[allow(dead_code, clippy::duplicate_mod)]
#[path = "../../../examples/ulp/quad.rs"]
mod quad;
#[path = "../../../examples/ulp/vectors.rs"]
mod vectors;

use super::*;
use crate::llvm::{Context, Target};
use std::sync::atomic::{AtomicUsize, Ordering};
use ur_jit_abi::code::Loaded;
use vectors::{
    Case, Compiled, EXPORTS, cases, compile, error_of, name, narrow, quiet, special, widen,
};

/// Processors to compile for: a name, and LLVM's processor and features.
const TARGETS: [(&str, Option<&str>, Option<&str>); 3] = [
    ("host", None, None),
    ("SSE2", Some("x86-64"), None),
    ("SSE4.1", Some("x86-64"), Some("+sse4.1")),
];

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let x = self.0 ^ (self.0 >> 33);
        x.wrapping_mul(0xff51_afd7_ed55_8ccd) ^ (x >> 29)
    }
}

/// Operands of every kind: special ones, any bits, and numbers of middle size.
fn operands(case: &Case, bits: u32, count: usize) -> (Vec<u64>, Vec<u64>) {
    let mut random = Random(u64::from(bits));
    let all = u64::MAX >> (64 - bits);
    let specials = special(bits);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    let middle = |random: &mut Random, range: f64| {
        let unit = (random.next() >> 11) as f64 * 2f64.powi(-53);
        narrow((unit - 0.5) * range, bits)
    };
    if case.operands == 1 {
        x.extend(&specials);
        y.resize(x.len(), 0);
    } else {
        for i in 0..specials.len() {
            for step in [1, 7, 31, 101, 997] {
                x.push(specials[i]);
                y.push(specials[(i * step + step) % specials.len()]);
            }
        }
    }
    while x.len() < count {
        match x.len() % 4 {
            0 => {
                x.push(random.next() & all);
                y.push(random.next() & all);
            }
            1 => {
                x.push(middle(&mut random, 2.0));
                y.push(middle(&mut random, 2.0));
            }
            2 => {
                x.push(middle(&mut random, 60.0));
                y.push(middle(&mut random, 60.0));
            }
            _ => {
                x.push(random.next() & all);
                y.push(middle(&mut random, 8.0));
            }
        }
    }
    for number in x.iter_mut().chain(&mut y) {
        *number = quiet(*number, bits);
    }
    (x, y)
}

/// Each function with its name and width.
fn functions() -> Vec<(Case, String, u32)> {
    let mut list = Vec::new();
    for bits in [32, 64] {
        for case in cases() {
            if let Some(name) = name(&case, bits) {
                list.push((case, name, bits));
            }
        }
    }
    list
}

/// Runs every function on a target and gives the largest error of each, by name.
fn check(target: usize, lanes: u32, count: usize) {
    let (label, cpu, features) = TARGETS[target];
    let mut failures = String::new();
    for (case, name, bits) in functions() {
        let compiled = compile(&name, case.operands, bits, lanes, cpu, features)
            .unwrap_or_else(|error| panic!("{label}: {error}"));
        let (x, y) = operands(&case, bits, count);
        let out = compiled.run(&x, &y, u64::MAX);
        let (mut worst, mut at) = (0.0, (0.0, 0.0, 0.0));
        for i in 0..x.len() {
            let (a, b, got) = (widen(x[i], bits), widen(y[i], bits), widen(out[i], bits));
            let error = error_of((case.exact)(a, b), got, bits);
            if error > worst || (error.is_infinite() && failures.len() < 3000 && error > case.limit)
            {
                worst = error;
                at = (a, b, got);
            }
        }
        println!("{label} {name} of {lanes}: {worst:.3} ULP at {:e}", at.0);
        if worst > case.limit {
            failures += &format!(
                "{label} {name} of {lanes}: {worst} ULP at {:e}, {:e}, which gives {:e}; {} allowed\n",
                at.0, at.1, at.2, case.limit
            );
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn errors_are_within_the_limits_on_this_processor() {
    check(0, 16, 20_000);
}

#[test]
fn errors_are_within_the_limits_with_sse2() {
    check(1, 8, 6_000);
}

#[test]
fn errors_are_within_the_limits_with_sse41() {
    check(2, 4, 6_000);
}

#[test]
fn any_number_of_lanes_gives_the_same() {
    for (case, name, bits) in functions() {
        let (x, y) = operands(&case, bits, 1000);
        let run = |lanes| {
            compile(&name, case.operands, bits, lanes, None, None)
                .unwrap_or_else(|error| panic!("{error}"))
                .run(&x, &y, u64::MAX)
        };
        let one = run(2);
        let other = run(32);
        for i in 0..x.len() {
            let (a, b) = (widen(one[i], bits), widen(other[i], bits));
            assert!(
                one[i] == other[i] || (a.is_nan() && b.is_nan()),
                "{name}({:e}) is {a:e} in 2 lanes, {b:e} in 32",
                widen(x[i], bits)
            );
        }
    }
}

/// The function of one value, applied to numbers given as their bits.
fn alone(case: &Case, name: &str, bits: u32, x: &[u64], y: &[u64], cpu: Option<&str>) -> Vec<u64> {
    let ty = if bits == 32 { "float" } else { "double" };
    let definitions = scalar(name, Features::of(cpu, None)).expect("defined");
    let mut text = String::new();
    for definition in &definitions {
        text += &definition.text;
        for (_, declaration) in &definition.calls {
            text += declaration;
            text.push('\n');
        }
    }
    let second = if case.operands == 2 {
        format!(", {ty} %b")
    } else {
        String::new()
    };
    text += &format!(
        "define void @masked(ptr %x, ptr %y, ptr %out, i64 %count, i64 %mask) {{
        entry:
          br label %next
        next:
          %i = phi i64 [ 0, %entry ], [ %j, %next ]
          %px = getelementptr {ty}, ptr %x, i64 %i
          %a = load {ty}, ptr %px
          %py = getelementptr {ty}, ptr %y, i64 %i
          %b = load {ty}, ptr %py
          %r = call {ty} @{PREFIX}{name}({ty} %a{second})
          %po = getelementptr {ty}, ptr %out, i64 %i
          store {ty} %r, ptr %po
          %j = add i64 %i, 1
          %more = icmp ult i64 %j, %count
          br i1 %more, label %next, label %end
        end:
          ret void
        }}"
    );
    let context = Context::new();
    let module = context
        .parse(&text)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let target = Target::new(cpu, None).expect("a target");
    module.run(&target, "default<O2>").expect("runs");
    let object = target.object(&module).expect("compiles");
    let code = crate::link::load(object.bytes(), &["masked"]).expect("links");
    Compiled::new(code, 1, bits).run(x, y, u64::MAX)
}

#[test]
fn one_value_gives_what_lanes_give() {
    for cpu in [None, Some("x86-64")] {
        for (case, name, bits) in functions() {
            let (x, y) = operands(&case, bits, 4000);
            let lanes = compile(&name, case.operands, bits, 8, cpu, None)
                .unwrap_or_else(|error| panic!("{error}"))
                .run(&x, &y, u64::MAX);
            let one = alone(&case, &name, bits, &x, &y, cpu);
            for i in 0..x.len() {
                let (a, b) = (widen(one[i], bits), widen(lanes[i], bits));
                assert!(
                    one[i] == lanes[i] || (a.is_nan() && b.is_nan()),
                    "{name}({:e}) is {a:e} alone, {b:e} in lanes",
                    widen(x[i], bits)
                );
            }
        }
    }
}

#[test]
fn names_have_definitions_and_others_none() {
    for name in names() {
        let definition = function(name, 8, Features::default()).expect("defined");
        assert!(definition.text.contains(&format!("@{}(", definition.name)));
        assert!(function(name, 3, Features::default()).is_none());
        assert!(function(name, 128, Features::default()).is_none());
    }
    assert!(function("fmod", 8, Features::default()).is_none());
}

#[test]
fn every_function_has_a_case() {
    let tested: Vec<String> = functions().into_iter().map(|(_, name, _)| name).collect();
    for name in names() {
        assert!(tested.iter().any(|t| t == name), "{name} is not measured");
    }
}

#[test]
fn dead_lanes_change_nothing() {
    for (case, name, bits) in functions() {
        let compiled = compile(&name, case.operands, bits, 8, None, None).expect("compiles");
        let usual = narrow(0.75, bits);
        for wild in [f64::INFINITY, f64::NAN, 1e30, -1e-40, -1.0] {
            let mut x = vec![usual; 8];
            let y = x.clone();
            let want = compiled.run(&x, &y, u64::MAX);
            x[3] = narrow(wild, bits);
            let got = compiled.run(&x, &y, !(1 << 3));
            for lane in (0..8).filter(|lane| *lane != 3) {
                assert_eq!(got[lane], want[lane], "{name}, {wild} in a dead lane");
            }
        }
    }
}

#[test]
fn what_is_written_for_avx512_gives_the_same() {
    let host = Features::of(None, None);
    let written_for = Features {
        avx2: true,
        avx512: true,
        ..host
    };
    for (case, name, bits) in functions() {
        let object = vectors::object_of(&name, case.operands, bits, 16, written_for, None, None);
        let object = object.unwrap_or_else(|error| panic!("{error}"));
        let code = crate::link::load(&object, &EXPORTS).expect("links");
        let (x, y) = operands(&case, bits, 1000);
        let got = Compiled::new(code, 16, bits).run(&x, &y, u64::MAX);
        let usual = compile(&name, case.operands, bits, 8, None, None);
        let want = usual
            .unwrap_or_else(|error| panic!("{error}"))
            .run(&x, &y, u64::MAX);
        for i in 0..x.len() {
            let (a, b) = (widen(got[i], bits), widen(want[i], bits));
            assert!(
                got[i] == want[i] || (a.is_nan() && b.is_nan()),
                "{name}({:e}) is {a:e}, usually {b:e}",
                widen(x[i], bits)
            );
        }
    }
}

#[test]
fn avx512_compiles() {
    let cpu = Some("x86-64-v4");
    assert!(Features::of(cpu, None).avx512);
    for (case, name, bits) in functions() {
        let object = vectors::object(&name, case.operands, bits, 16, cpu, None);
        assert!(!object.unwrap_or_else(|error| panic!("{error}")).is_empty());
    }
}

#[test]
fn only_live_rare_lanes_call_the_scalar_function() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    extern "C" fn counted(x: f32) -> f32 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        x.sin()
    }
    let object = vectors::object("sinf", 1, 32, 8, None, None).expect("compiles");
    let image = crate::link::link(&object, &EXPORTS).expect("links");
    let resolve = |name: &str| (name == "sinf").then_some(counted as *const () as usize);
    let compiled = Compiled::new(Loaded::new(&image, resolve).expect("loads"), 8, 32);
    let x: Vec<u64> = [1.0, 1e9, 2.0, f64::INFINITY, -1e20, f64::NAN, 0.5, 1e10]
        .map(|x| narrow(x, 32))
        .into();
    let calls = |mask| {
        let before = CALLS.load(Ordering::Relaxed);
        let out = compiled.run(&x, &x, mask);
        assert_eq!(out[0], narrow(f64::from(1f32.sin()), 32));
        CALLS.load(Ordering::Relaxed) - before
    };
    assert_eq!(calls(0b0000_0101), 0);
    assert_eq!(calls(0b1000_0001), 1);
    // Infinities and NaN are found to be rare by the same comparison.
    assert_eq!(calls(0b1111_1111), 5);
}

//! The vector functions of `ur_jit::vector::math`, compiled by themselves and run over arrays.

// Each of the programs and tests that this belongs to needs a part of it.
#![allow(dead_code)]

use super::error::error;
use super::quad::{Quad, Split};
use ur_jit::link::load;
use ur_jit::llvm::{Context, Target};
use ur_jit::vector::math::{self, Features};
use ur_jit_abi::code::Loaded;

/// A function with its limit and exact value.
pub struct Case {
    /// The scalar function's name without the `f` of those on floats.
    pub base: &'static str,
    /// Number of operands.
    pub operands: u32,
    /// OpenCL's limit in ULP.
    pub limit: f64,
    /// The exact value.
    pub exact: fn(f64, f64) -> Quad,
}

/// All functions that exist for vectors.
pub fn cases() -> Vec<Case> {
    let one = |base, limit, exact| Case {
        base,
        operands: 1,
        limit,
        exact,
    };
    let two = |base, limit, exact| Case {
        operands: 2,
        ..one(base, limit, exact)
    };
    vec![
        one("sin", 4.0, |x, _| Quad::new(x).sin()),
        one("cos", 4.0, |x, _| Quad::new(x).cos()),
        one("tan", 5.0, |x, _| Quad::new(x).tan()),
        one("exp", 3.0, |x, _| Quad::new(x).exp()),
        one("exp2", 3.0, |x, _| Quad::new(x).exp2()),
        one("exp10", 3.0, |x, _| Quad::new(x).exp10()),
        one("expm1", 3.0, |x, _| Quad::new(x).expm1()),
        one("log", 3.0, |x, _| Quad::new(x).log()),
        one("log2", 3.0, |x, _| Quad::new(x).log2()),
        one("log10", 3.0, |x, _| Quad::new(x).log10()),
        one("log1p", 2.0, |x, _| Quad::new(x).log1p()),
        two("pow", 16.0, |x, y| Quad::new(x).pow(Quad::new(y))),
        one("atan", 5.0, |x, _| Quad::new(x).atan()),
        two("atan2", 6.0, |x, y| Quad::new(x).atan2(Quad::new(y))),
        one("asin", 4.0, |x, _| Quad::new(x).asin()),
        one("acos", 4.0, |x, _| Quad::new(x).acos()),
        one("sinh", 4.0, |x, _| Quad::new(x).sinh()),
        one("cosh", 4.0, |x, _| Quad::new(x).cosh()),
        one("tanh", 5.0, |x, _| Quad::new(x).tanh()),
        one("asinh", 4.0, |x, _| Quad::new(x).asinh()),
        one("acosh", 4.0, |x, _| Quad::new(x).acosh()),
        one("atanh", 5.0, |x, _| Quad::new(x).atanh()),
        one("cbrt", 2.0, |x, _| Quad::new(x).cbrt()),
        one("erf", 16.0, |x, _| Quad::new(x).erf()),
        one("erfc", 16.0, |x, _| Quad::new(x).erfc()),
        two("hypot", 4.0, |x, y| Quad::new(x).hypot(Quad::new(y))),
    ]
}

/// The scalar function's name for numbers of that many bits, if the vector function exists.
pub fn name(case: &Case, bits: u32) -> Option<String> {
    let name = match bits {
        32 => format!("{}f", case.base),
        _ => case.base.to_owned(),
    };
    math::names().any(|known| known == name).then_some(name)
}

/// Names of what an object file of [`object`] has.
pub const EXPORTS: [&str; 2] = ["masked", "all"];

/// A vector function made callable.
pub struct Compiled {
    code: Loaded,
    /// Lanes of a vector.
    pub lanes: usize,
    bits: u32,
}

/// IR of two functions that apply the function to arrays, a vector at a time.
fn driver(operands: u32, bits: u32, lanes: u32, definition: &math::Definition) -> String {
    let ty = if bits == 32 { "float" } else { "double" };
    let vector = format!("<{lanes} x {ty}>");
    let mut text = definition.text.clone();
    for (_, declaration) in &definition.calls {
        text.push_str(declaration);
        text.push('\n');
    }
    let (second, arguments) = if operands == 2 {
        (
            format!(
                "%py = getelementptr {ty}, ptr %y, i64 %i\n%b = load {vector}, ptr %py, align 4"
            ),
            format!("{vector} %a, {vector} %b"),
        )
    } else {
        (String::new(), format!("{vector} %a"))
    };
    // With any lanes live, and with all of them as in most kernels.
    for (which, mask) in [("masked", "%live"), ("all", "splat (i1 true)")] {
        text.push_str(&format!(
            "define void @{which}(ptr %x, ptr %y, ptr %out, i64 %count, i64 %mask) {{
entry:
  %bits = trunc i64 %mask to i{lanes}
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  %live = bitcast i{lanes} %bits to <{lanes} x i1>
  %px = getelementptr {ty}, ptr %x, i64 %i
  %a = load {vector}, ptr %px, align 4
  {second}
  %r = call {vector} @{name}({arguments}, <{lanes} x i1> {mask})
  %po = getelementptr {ty}, ptr %out, i64 %i
  store {vector} %r, ptr %po, align 4
  %j = add i64 %i, {lanes}
  %more = icmp ult i64 %j, %count
  br i1 %more, label %next, label %end
end:
  ret void
}}\n",
            name = definition.name
        ));
    }
    // An i64 has 64 bits already.
    text.replace("trunc i64 %mask to i64", "add i64 %mask, 0")
}

/// Compiles the function `name` of numbers of `bits` bits.
///
/// # Errors
/// What LLVM or the linker says.
pub fn compile(
    name: &str,
    operands: u32,
    bits: u32,
    lanes: u32,
    cpu: Option<&str>,
    features: Option<&str>,
) -> Result<Compiled, String> {
    let object = object(name, operands, bits, lanes, cpu, features)?;
    let code = load(&object, &EXPORTS)?;
    Ok(Compiled::new(code, lanes, bits))
}

/// The object file of a function.
///
/// # Errors
/// What LLVM says.
pub fn object(
    name: &str,
    operands: u32,
    bits: u32,
    lanes: u32,
    cpu: Option<&str>,
    features: Option<&str>,
) -> Result<Vec<u8>, String> {
    let written_for = Features::of(cpu, features);
    object_of(name, operands, bits, lanes, written_for, cpu, features)
}

/// The object file of a function that is written for one processor and compiled for another.
///
/// # Errors
/// What LLVM says.
pub fn object_of(
    name: &str,
    operands: u32,
    bits: u32,
    lanes: u32,
    written_for: Features,
    cpu: Option<&str>,
    features: Option<&str>,
) -> Result<Vec<u8>, String> {
    let definition = math::function(name, lanes, written_for)
        .ok_or_else(|| format!("no vector function {name}"))?;
    let text = driver(operands, bits, lanes, &definition);
    let context = Context::new();
    let module = context
        .parse(&text)
        .map_err(|error| format!("{name} of {lanes}: {error}\n{text}"))?;
    let target = Target::new(cpu, features)?;
    module.run(&target, "default<O2>")?;
    Ok(target.object(&module)?.bytes().to_vec())
}

type Call = unsafe extern "C" fn(*const u8, *const u8, *mut u8, u64, u64);

impl Compiled {
    /// A loaded object file of [`object`].
    pub fn new(code: Loaded, lanes: u32, bits: u32) -> Self {
        Self {
            code,
            lanes: lanes as usize,
            bits,
        }
    }

    /// Applies the function to numbers given as their bits, in vectors whose live lanes are set in
    /// `mask`, and gives the bits of the results.
    pub fn run(&self, x: &[u64], y: &[u64], mask: u64) -> Vec<u64> {
        let bytes = self.bits as usize / 8;
        let count = x.len().next_multiple_of(self.lanes);
        let pack = |numbers: &[u64]| {
            let mut packed = vec![0u8; count * bytes];
            for (slot, number) in packed.chunks_exact_mut(bytes).zip(numbers) {
                slot.copy_from_slice(&number.to_le_bytes()[..bytes]);
            }
            packed
        };
        let (x_bytes, y_bytes, mut out) = (pack(x), pack(y), pack(&[]));
        let at = self.code.find("masked").expect("exported");
        // SAFETY: the function was made with this signature; the arrays have `count` numbers.
        unsafe {
            let call: Call = std::mem::transmute(at);
            call(
                x_bytes.as_ptr(),
                y_bytes.as_ptr(),
                out.as_mut_ptr(),
                count as u64,
                mask,
            );
        }
        out.chunks_exact(bytes)
            .take(x.len())
            .map(|slot| {
                let mut word = [0; 8];
                word[..bytes].copy_from_slice(slot);
                u64::from_le_bytes(word)
            })
            .collect()
    }

    /// Applies the function to packed numbers with all lanes live, for measuring time.
    pub fn all<T>(&self, x: &[T], y: &[T], out: &mut [T]) {
        assert!(size_of::<T>() * 8 == self.bits as usize && x.len().is_multiple_of(self.lanes));
        assert!(x.len() == y.len() && x.len() == out.len());
        let at = self.code.find("all").expect("exported");
        // SAFETY: the function was made with this signature; the arrays are equally long, and their
        // length is a multiple of a vector's.
        unsafe {
            let call: Call = std::mem::transmute(at);
            call(
                x.as_ptr().cast(),
                y.as_ptr().cast(),
                out.as_mut_ptr().cast(),
                x.len() as u64,
                0,
            );
        }
    }
}

/// A number's bits as a double.
pub fn widen(bits: u64, width: u32) -> f64 {
    if width == 32 {
        f64::from(f32::from_bits(bits as u32))
    } else {
        f64::from_bits(bits)
    }
}

/// The bits of the number of that width nearest to a double.
pub fn narrow(value: f64, width: u32) -> u64 {
    if width == 32 {
        u64::from((value as f32).to_bits())
    } else {
        value.to_bits()
    }
}

/// A number that is no signalling NaN, which is an exception to the C library, the reference's origin.
pub fn quiet(bits: u64, width: u32) -> u64 {
    match widen(bits, width).is_nan() {
        true => bits | 1 << if width == 32 { 22 } else { 51 },
        false => bits,
    }
}

/// The error of a result; infinite if a zero has the wrong sign.
pub fn error_of(exact: Quad, got: f64, width: u32) -> f64 {
    if let Split::Special(want) = exact.split()
        && want == 0.0
        && got == 0.0
        && want.is_sign_negative() != got.is_sign_negative()
    {
        return f64::INFINITY;
    }
    error(got, exact, width)
}

/// Numbers at which functions have ends, poles and turns, with their neighbours.
pub fn special(width: u32) -> Vec<u64> {
    let mut values = vec![0.0, f64::INFINITY, f64::NAN];
    let (fraction, low, high) = if width == 32 {
        (23, -126, 127)
    } else {
        (52, -1022, 1023)
    };
    for e in low..=high {
        values.push(2f64.powi(e));
    }
    for e in low - fraction..low {
        values.push(2f64.powi(e.max(-1022)) * 2f64.powi(e - e.max(-1022)));
    }
    let largest = if width == 32 {
        f64::from(f32::MAX)
    } else {
        f64::MAX
    };
    values.push(largest);
    for k in 1..=200 {
        values.push(f64::from(k));
        values.push(f64::from(k) * 0.5);
        values.push(f64::from(k) * std::f64::consts::FRAC_PI_4);
        values.push(f64::from(k) * std::f64::consts::LN_2 / 2.0);
        values.push(f64::from(k) * std::f64::consts::LOG10_2 / 2.0);
    }
    // Where exponentials leave the range, and where roots of the range's ends are.
    values.extend([
        87.33655,
        88.02969,
        88.72284,
        89.41599,
        103.2789,
        103.97208,
        104.5,
        149.5,
        150.0,
        38.53184,
        44.8534,
        45.1545,
        708.3964185,
        709.7827128,
        710.4758600,
        744.4400719,
        745.1332191,
        746.0,
        1074.5,
        1075.0,
        307.6526555,
        308.2547155,
        323.3062153,
        323.6072453,
        5.9215874,
        10.0545,
        26.5432,
        27.2261,
        std::f64::consts::FRAC_1_SQRT_2,
        std::f64::consts::SQRT_2,
        0.41421356237,
        0.29289321881,
        0.2679491924,
        1e15,
        1e22,
        131072.0,
        131073.0,
        10000.0,
        9.5e5,
        1e9,
        1e10,
    ]);
    let mut bits = Vec::new();
    for value in values {
        let at = narrow(value, width);
        for near in [at.saturating_sub(1), at, at + 1] {
            bits.push(near);
            bits.push(near | 1 << (width - 1));
        }
    }
    bits
}

//! Measures how fast the vector functions are, next to those of the C library's `libmvec` and of
//! other libraries.
//!
//! `vector_speed [--function F] [--rounds N] [--library FILE]`: for each function, numbers computed
//! in a nanosecond by one core, and the ratio to each other library (above 1: ours is faster), as a
//! Markdown table. Ours runs in vectors of 32 floats or 16 doubles as the vectoriser uses it, the
//! others in their own vectors of 256 bits. `--library` is one of Intel's OpenCL (`libocl_svml_l9.so`).
//! Rounds of all are interleaved; what is given is the median.

#[allow(dead_code)]
#[path = "../ulp/error.rs"]
mod error;
#[allow(dead_code)]
#[path = "../ulp/quad.rs"]
mod quad;
#[path = "../ulp/vectors.rs"]
mod vectors;

use std::ffi::{CString, c_void};
use std::time::Instant;
use ur_jit::link::link;
use ur_jit::llvm::{Context, Target};
use ur_jit_abi::code::Loaded;
use vectors::{Case, Compiled};

/// Numbers of a run: they stay in the first-level cache.
const COUNT: usize = 2048;

/// A function of another library applied to arrays.
struct Other {
    code: Loaded,
}

type Call = unsafe extern "C" fn(*const u8, *const u8, *mut u8, u64);

/// The address of a symbol of an opened library.
fn symbol(library: *mut c_void, name: &str) -> Option<usize> {
    let name = CString::new(name).ok()?;
    // SAFETY: the library stays open and the name ends with a zero.
    let at = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!at.is_null()).then_some(at as usize)
}

fn open(file: &str) -> Option<*mut c_void> {
    let file = CString::new(file).ok()?;
    // SAFETY: the name ends with a zero; the libraries are of the kind that only computes.
    let library = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW) };
    (!library.is_null()).then_some(library)
}

impl Other {
    /// The function `name` of `library`, which takes vectors of 256 bits.
    fn new(
        library: *mut c_void,
        name: &str,
        convention: &str,
        operands: u32,
        bits: u32,
    ) -> Option<Self> {
        let at = symbol(library, name)?;
        let ty = if bits == 32 { "float" } else { "double" };
        let lanes = 256 / bits;
        let vector = format!("<{lanes} x {ty}>");
        let (types, second, arguments) = if operands == 2 {
            (
                format!("{vector}, {vector}"),
                format!(
                    "%py = getelementptr {ty}, ptr %y, i64 %i\n%b = load {vector}, ptr %py, align 4"
                ),
                format!("{vector} %a, {vector} %b"),
            )
        } else {
            (vector.clone(), String::new(), format!("{vector} %a"))
        };
        let text = format!(
            "declare {convention} {vector} @other({types})
define void @all(ptr %x, ptr %y, ptr %out, i64 %count) {{
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  %px = getelementptr {ty}, ptr %x, i64 %i
  %a = load {vector}, ptr %px, align 4
  {second}
  %r = call {convention} {vector} @other({arguments})
  %po = getelementptr {ty}, ptr %out, i64 %i
  store {vector} %r, ptr %po, align 4
  %j = add i64 %i, {lanes}
  %more = icmp ult i64 %j, %count
  br i1 %more, label %next, label %end
end:
  ret void
}}\n"
        );
        let context = Context::new();
        let module = context.parse(&text).expect("the driver parses");
        let target = Target::new(None, None).expect("host target");
        module.run(&target, "default<O2>").expect("optimises");
        let object = target.object(&module).expect("emits");
        let image = link(object.bytes(), &["all"]).expect("links");
        let code = Loaded::new(&image, |name| (name == "other").then_some(at)).expect("loads");
        Some(Self { code })
    }

    fn run<T>(&self, x: &[T], y: &[T], out: &mut [T]) {
        let at = self.code.find("all").expect("exported");
        // SAFETY: made with this signature; all arrays have as many numbers.
        unsafe {
            let call: Call = std::mem::transmute(at);
            call(
                x.as_ptr().cast(),
                y.as_ptr().cast(),
                out.as_mut_ptr().cast(),
                x.len() as u64,
            );
        }
    }
}

/// Where a function is used: the range of its first operand and of its second.
fn ranges(base: &str) -> [(f64, f64); 2] {
    let first = match base {
        "sin" | "cos" | "tan" => (-20.0, 20.0),
        "exp" | "exp2" | "sinh" | "cosh" | "expm1" | "tanh" => (-10.0, 10.0),
        "exp10" => (-5.0, 5.0),
        "log" | "log2" | "log10" | "pow" => (0.01, 20.0),
        "asin" | "acos" | "atanh" => (-0.99, 0.99),
        "log1p" | "acosh" => (1.01, 20.0),
        _ => (-5.0, 5.0),
    };
    [first, (-4.0, 4.0)]
}

fn seconds(mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..20 {
        work();
    }
    start.elapsed().as_secs_f64() / 20.0
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Median times of ours and of each other.
fn measure<T: Copy + Default>(
    ours: &Compiled,
    others: &[Option<Other>],
    operand: impl Fn(usize, usize) -> T,
    rounds: usize,
) -> (f64, Vec<f64>) {
    let x: Vec<T> = (0..COUNT).map(|i| operand(0, i)).collect();
    let y: Vec<T> = (0..COUNT).map(|i| operand(1, i)).collect();
    let mut out = vec![T::default(); COUNT];
    let mut own = Vec::new();
    let mut theirs = vec![Vec::new(); others.len()];
    for _ in 0..rounds {
        own.push(seconds(|| ours.all(&x, &y, &mut out)));
        for (times, other) in theirs.iter_mut().zip(others) {
            if let Some(other) = other {
                times.push(seconds(|| other.run(&x, &y, &mut out)));
            }
        }
    }
    let theirs = theirs
        .into_iter()
        .map(|t| if t.is_empty() { f64::NAN } else { median(t) });
    (median(own), theirs.collect())
}

fn row(
    case: &Case,
    bits: u32,
    libraries: &[Option<*mut c_void>],
    rounds: usize,
) -> Option<Vec<f64>> {
    let name = vectors::name(case, bits)?;
    let f = if bits == 32 { "f" } else { "" };
    let lanes = 256 / bits;
    let vectors_of = "v".repeat(case.operands as usize);
    let mvec = format!("_ZGVdN{lanes}{vectors_of}_{}{f}", case.base);
    let intel = format!("__ocl_svml_l9_{}{f}{lanes}", case.base);
    let others = vec![
        libraries[0].and_then(|l| Other::new(l, &mvec, "", case.operands, bits)),
        libraries[1].and_then(|l| Other::new(l, &intel, "intel_ocl_bicc", case.operands, bits)),
    ];
    let own = if bits == 32 { 32 } else { 16 };
    let ours = vectors::compile(&name, case.operands, bits, own, None, None).expect("compiles");
    let ranges = ranges(case.base);
    let number = |which: usize, i: usize| {
        let (low, high) = ranges[which];
        // Steps of the golden ratio cover the range evenly, in no order.
        let unit = (i as f64 + which as f64 * 0.37) * 0.618_033_988_749_894_8 % 1.0;
        low + (high - low) * unit
    };
    let (own, theirs) = if bits == 32 {
        measure(&ours, &others, |which, i| number(which, i) as f32, rounds)
    } else {
        measure(&ours, &others, number, rounds)
    };
    let mut row = vec![COUNT as f64 / own * 1e-9];
    row.extend(theirs.iter().map(|t| t / own));
    Some(row)
}

fn main() {
    let mut function = None;
    let mut rounds = 41;
    let mut library = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next();
        match (&*argument, value) {
            ("--function", Some(value)) => function = Some(value),
            ("--rounds", Some(value)) => rounds = value.parse().expect("a number of rounds"),
            ("--library", Some(value)) => library = Some(value),
            _ => panic!("unknown argument {argument}"),
        }
    }
    let libraries = [open("libmvec.so.1"), library.and_then(|file| open(&file))];
    println!("| function | numbers per ns | ratio to libmvec | ratio to Intel's |");
    println!("|---|---|---|---|");
    let mut logarithms = [(0.0, 0); 2];
    for bits in [32, 64] {
        for case in vectors::cases() {
            if function.as_ref().is_some_and(|name| name != case.base) {
                continue;
            }
            let Some(row) = row(&case, bits, &libraries, rounds) else {
                continue;
            };
            let ratio = |i: usize| {
                if row[i].is_nan() {
                    "–".to_owned()
                } else {
                    format!("{:.2}", row[i])
                }
            };
            let ty = if bits == 32 { "float" } else { "double" };
            println!(
                "| {} {ty} | {} | {} | {} |",
                case.base,
                ratio(0),
                ratio(1),
                ratio(2)
            );
            for (sum, value) in logarithms.iter_mut().zip(&row[1..]) {
                if !value.is_nan() {
                    sum.0 += value.ln();
                    sum.1 += 1;
                }
            }
        }
    }
    for ((sum, count), name) in logarithms.iter().zip(["libmvec", "Intel's"]) {
        if *count > 0 {
            println!(
                "geometric mean to {name}: {:.2}",
                (sum / f64::from(*count)).exp()
            );
        }
    }
}

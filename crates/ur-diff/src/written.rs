//! The kernels of `tests/spirv`, with generated inputs.

use crate::compare::{Elem, Limit};
use crate::job::{Arg, Bytes, Launch};
use ur_kernelgen::rng::Rng;

/// How an argument's values come about.
#[derive(Clone, Copy, Debug)]
pub enum Fill {
    /// Zeros.
    Zero,
    /// Any bits of an integer, extremes among them.
    Any,
    /// Integers from the first to the second.
    Between(i64, i64),
    /// One of these integers.
    Pick(&'static [i64]),
    /// Floating-point numbers that are whole, from the first to the second: sums and products of a
    /// few are exact, whether or not they are contracted.
    Whole(i64, i64),
    /// Any floating-point number, special ones among them.
    Float,
    /// Finite floating-point numbers of up to that magnitude.
    Real(f64),
    /// Number of work-items of the first dimension.
    Items,
}

/// An argument.
#[derive(Clone, Copy, Debug)]
pub enum Gen {
    /// A buffer of `per_item * work-items + more` elements.
    Buffer {
        /// Type of an element.
        elem: Elem,
        /// Elements for each work-item.
        per_item: usize,
        /// Elements on top.
        more: usize,
        /// First content.
        fill: Fill,
        /// How far results may be apart.
        limit: Limit,
    },
    /// A number.
    Value(Elem, Fill),
    /// A structure: numbers at byte offsets, in so many bytes.
    Structure(usize, &'static [(usize, Elem, Fill)]),
    /// Bytes of local memory for each work-item of a group.
    Local(usize),
}

/// The launches that a kernel can take.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Any number of groups of any size, one dimension.
    Line,
    /// The same with groups of that size.
    Groups(usize),
    /// Two dimensions.
    Plane,
    /// Two equal dimensions.
    Square,
    /// One to three dimensions, with offsets.
    Any,
}

/// A kernel.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// The file in `tests/spirv`, without its ending.
    pub file: &'static str,
    /// The kernel's name.
    pub kernel: &'static str,
    /// Its launches.
    pub shape: Shape,
    /// Its arguments.
    pub args: &'static [Gen],
    /// The version of OpenCL C, for drivers that take the source.
    pub std: &'static str,
    /// A device that is known to do otherwise than the specification says, and in what.
    pub known: Option<(&'static str, &'static str)>,
}

/// OpenCL C wants a null pointer for a pointer into another address space.
const CASTS: Option<(&str, &str)> = Some((
    "intel",
    "to_global, to_local and to_private give every pointer back, whatever it points to",
));

const I8: Elem = Elem::Int(1);
const I16: Elem = Elem::Int(2);
const I32: Elem = Elem::Int(4);
const I64: Elem = Elem::Int(8);
const F32: Elem = Elem::F32;
const F64: Elem = Elem::F64;

const fn input(elem: Elem, per_item: usize, fill: Fill) -> Gen {
    Gen::Buffer {
        elem,
        per_item,
        more: 0,
        fill,
        limit: Limit::Exact,
    }
}

const fn output(elem: Elem, per_item: usize) -> Gen {
    within(elem, per_item, Limit::Exact)
}

const fn within(elem: Elem, per_item: usize, limit: Limit) -> Gen {
    Gen::Buffer {
        elem,
        per_item,
        more: 0,
        fill: Fill::Zero,
        limit,
    }
}

const fn fixed(elem: Elem, more: usize, fill: Fill) -> Gen {
    Gen::Buffer {
        elem,
        per_item: 0,
        more,
        fill,
        limit: Limit::Exact,
    }
}

const fn one(
    file: &'static str,
    kernel: &'static str,
    shape: Shape,
    args: &'static [Gen],
) -> Written {
    Written {
        file,
        kernel,
        shape,
        args,
        std: "CL1.2",
        known: None,
    }
}

/// Limits of OpenCL's full profile for the functions of `unary_float`, in their order; the last is
/// the implementation's own affair.
const UNARY: &[f64] = &[
    4.0,
    4.0,
    5.0,
    3.0,
    3.0,
    3.0,
    0.0,
    0.0,
    0.0,
    0.0,
    5.0,
    5.0,
    3.0,
    2.0,
    16.0,
    f64::INFINITY,
];

/// The same for `binary_double`. The least and the greatest of two zeros may have either sign, which
/// is a step between two devices.
const BINARY: &[f64] = &[16.0, 6.0, 4.0, 0.0, 0.0, 0.5, 0.5, 0.0];

/// The same for what `pointers` makes of its functions: the third is a sum of squares of values with
/// 4 ULP each.
const POINTERS: &[f64] = &[0.0, 0.0, 16.0, 0.0];

/// All kernels whose results are definite.
pub const ALL: &[Written] = &[
    one(
        "vector_add",
        "vector_add",
        Shape::Line,
        &[
            input(F32, 1, Fill::Float),
            input(F32, 1, Fill::Float),
            output(F32, 1),
        ],
    ),
    one(
        "vector_add",
        "vector_add_n",
        Shape::Line,
        &[
            input(I32, 1, Fill::Any),
            input(I32, 1, Fill::Any),
            output(I32, 1),
            Gen::Value(I32, Fill::Between(0, 300)),
        ],
    ),
    one(
        "reduce",
        "reduce_fixed",
        Shape::Groups(64),
        &[input(I32, 1, Fill::Any), output(I32, 1)],
    ),
    one(
        "reduce",
        "reduce_any",
        Shape::Line,
        &[
            input(I32, 1, Fill::Any),
            output(I32, 1),
            Gen::Local(4),
            Gen::Value(I32, Fill::Between(0, 1000)),
        ],
    ),
    one(
        "divergent",
        "collatz",
        Shape::Line,
        &[input(I32, 1, Fill::Between(1, 1_000_000)), output(I32, 1)],
    ),
    one(
        "divergent",
        "find_pair",
        Shape::Line,
        &[
            input(I32, 1, Fill::Between(-1, 60)),
            Gen::Value(I32, Fill::Items),
            Gen::Value(I32, Fill::Between(0, 100)),
            output(I32, 1),
        ],
    ),
    one(
        "divergent",
        "mandelbrot",
        Shape::Plane,
        &[output(I32, 1), Gen::Value(I32, Fill::Between(1, 20))],
    ),
    one(
        "struct_arg",
        "by_value",
        Shape::Line,
        &[
            Gen::Structure(
                80,
                &[
                    (0, I32, Fill::Between(-1000, 1000)),
                    (8, I8, Fill::Any),
                    (16, F64, Fill::Whole(-1000, 1000)),
                    (24, I8, Fill::Any),
                    (32, F64, Fill::Whole(-1000, 1000)),
                    (48, F32, Fill::Real(9.0)),
                    (52, F32, Fill::Real(9.0)),
                    (56, F32, Fill::Whole(-9, 9)),
                    (64, I16, Fill::Any),
                ],
            ),
            output(F32, 1),
        ],
    ),
    one(
        "struct_arg",
        "packed",
        Shape::Line,
        &[
            Gen::Structure(
                7,
                &[
                    (0, I8, Fill::Any),
                    (1, I32, Fill::Between(-1_000_000, 1_000_000)),
                    (5, I16, Fill::Any),
                ],
            ),
            output(I32, 1),
            output(I8, 7),
        ],
    ),
    one(
        "struct_arg",
        "layout",
        Shape::Groups(1),
        &[fixed(I32, 6, Fill::Zero)],
    ),
    one(
        "switch",
        "switches",
        Shape::Line,
        &[
            Gen::Buffer {
                elem: I32,
                per_item: 1,
                more: 4,
                fill: Fill::Pick(&[0, 1, 2, 3, 4, 5, -1, -2, 1_000_000, i32::MIN as i64]),
                limit: Limit::Exact,
            },
            input(
                I64,
                1,
                Fill::Pick(&[0x1_0000_0000, -0x1_0000_0000, 3, 0, -1]),
            ),
            output(I32, 2),
        ],
    ),
    one(
        "tables",
        "table",
        Shape::Line,
        &[output(I32, 1), fixed(I32, 2, Fill::Between(-9, 9))],
    ),
    one(
        "calls",
        "call",
        Shape::Line,
        &[
            Gen::Buffer {
                elem: I32,
                per_item: 1,
                more: 5,
                fill: Fill::Any,
                limit: Limit::Exact,
            },
            output(I32, 1),
            Gen::Local(4),
        ],
    ),
    one(
        "atomics",
        "histogram",
        Shape::Line,
        &[input(I32, 1, Fill::Any), fixed(I32, 16, Fill::Any)],
    ),
    one(
        "atomics",
        "all_operations",
        Shape::Line,
        &[
            fixed(I32, 8, Fill::Any),
            fixed(I32, 2, Fill::Any),
            fixed(I64, 1, Fill::Any),
        ],
    ),
    one(
        "atomics",
        "float_sum",
        Shape::Line,
        &[
            input(F32, 1, Fill::Whole(-1000, 1000)),
            fixed(F32, 1, Fill::Zero),
        ],
    ),
    one("atomics", "local_counter", Shape::Line, &[output(I32, 1)]),
    one(
        "math",
        "unary_float",
        Shape::Line,
        &[
            input(F32, 1, Fill::Float),
            within(F32, 16, Limit::Each(UNARY)),
        ],
    ),
    one(
        "math",
        "binary_double",
        Shape::Line,
        &[
            input(F64, 1, Fill::Float),
            input(F64, 1, Fill::Float),
            within(F64, 8, Limit::Each(BINARY)),
        ],
    ),
    one(
        "math",
        "pointers",
        Shape::Line,
        &[
            input(F32, 1, Fill::Real(1e6)),
            within(F32, 4, Limit::Each(POINTERS)),
            output(I32, 1),
        ],
    ),
    one(
        "vectors",
        "swizzle",
        Shape::Line,
        &[input(F32, 4, Fill::Real(1e9)), output(F32, 4)],
    ),
    one(
        "vectors",
        "three",
        Shape::Line,
        &[
            input(F32, 3, Fill::Whole(-100, 100)),
            output(F32, 3),
            within(F32, 4, Limit::Each(&[0.0, 0.0, 0.0, f64::INFINITY])),
        ],
    ),
    one(
        "vectors",
        "wide",
        Shape::Line,
        &[input(I8, 16, Fill::Any), output(I16, 8), output(I64, 2)],
    ),
    one(
        "vectors",
        "dynamic_index",
        Shape::Line,
        &[
            input(I32, 4, Fill::Any),
            input(I32, 1, Fill::Any),
            output(I32, 1),
        ],
    ),
    one(
        "vectors",
        "geometry",
        Shape::Line,
        &[
            input(F32, 4, Fill::Whole(1, 100)),
            input(F32, 4, Fill::Whole(1, 100)),
            within(F32, 1, Limit::Ulp(8.0)),
        ],
    ),
    one(
        "matmul",
        "matmul",
        Shape::Square,
        &[
            input(F32, 1, Fill::Whole(-30, 30)),
            input(F32, 1, Fill::Whole(-30, 30)),
            output(F32, 1),
            Gen::Value(I32, Fill::Items),
            Gen::Local(4),
            Gen::Local(4),
        ],
    ),
    one("matmul", "ids", Shape::Any, &[output(I64, 7)]),
    one(
        "integers",
        "functions",
        Shape::Line,
        &[
            input(I32, 1, Fill::Any),
            input(I32, 1, Fill::Any),
            output(I32, 14),
        ],
    ),
    one(
        "integers",
        "conversions",
        Shape::Line,
        &[
            input(I32, 1, Fill::Any),
            output(I8, 1),
            output(I16, 1),
            output(I64, 1),
        ],
    ),
    Written {
        std: "CL2.0",
        ..one(
            "waiting",
            "uniform_exit",
            Shape::Line,
            &[
                input(I32, 1, Fill::Any),
                input(I32, 1, Fill::Between(0, 5)),
                Gen::Local(4),
            ],
        )
    },
    Written {
        std: "CL2.0",
        ..one(
            "waiting",
            "nested",
            Shape::Line,
            &[input(I32, 1, Fill::Any), Gen::Local(4)],
        )
    },
    Written {
        std: "CL2.0",
        known: CASTS,
        ..one(
            "address_spaces",
            "classify",
            Shape::Line,
            &[input(I32, 1, Fill::Any), output(I32, 6), Gen::Local(4)],
        )
    },
    Written {
        std: "CL2.0",
        known: CASTS,
        ..one(
            "address_spaces",
            "classify_plain",
            Shape::Line,
            &[input(I32, 1, Fill::Any), output(I32, 1)],
        )
    },
    Written {
        std: "CL3.0",
        ..one(
            "sub_group",
            "work_group",
            Shape::Line,
            &[input(I32, 1, Fill::Between(-50, 50)), output(I32, 4)],
        )
    },
];

/// Work-group sizes that are tried.
const SIZES: [usize; 14] = [1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 64, 101, 128, 251];

impl Written {
    /// A random launch with random arguments.
    pub fn launch(&self, rng: &mut Rng) -> Launch {
        let mut launch = Launch {
            dims: 1,
            global: [1; 3],
            offset: [0; 3],
            local: [1; 3],
            args: Vec::new(),
        };
        let mut groups = [1; 3];
        match self.shape {
            Shape::Line => {
                launch.local[0] = rng.pick(&SIZES);
                groups[0] = rng.between(1, 4);
            }
            Shape::Groups(size) => {
                launch.local[0] = size;
                groups[0] = if size == 1 { 1 } else { rng.between(1, 4) };
            }
            Shape::Plane => {
                launch.dims = 2;
                launch.local = [rng.pick(&SIZES[..9]), rng.pick(&SIZES[..5]), 1];
                groups = [rng.between(1, 3), rng.between(1, 3), 1];
            }
            Shape::Square => {
                launch.dims = 2;
                let (size, count) = (rng.pick(&SIZES[..8]), rng.between(1, 3));
                launch.local = [size, size, 1];
                groups = [count, count, 1];
            }
            Shape::Any => {
                launch.dims = rng.between(1, 3) as u32;
                for (dim, count) in groups.iter_mut().enumerate().take(launch.dims as usize) {
                    launch.local[dim] = rng.pick(&SIZES[..6]);
                    *count = rng.between(1, 3);
                    launch.offset[dim] = rng.below(100);
                }
            }
        }
        launch.global = [0, 1, 2].map(|dim| groups[dim] * launch.local[dim]);
        let items: usize = launch.global.iter().product();
        let group: usize = launch.local.iter().product();
        let first = launch.global[0];
        launch.args = self
            .args
            .iter()
            .map(|arg| match *arg {
                Gen::Buffer {
                    elem,
                    per_item,
                    more,
                    fill,
                    ..
                } => {
                    let count = per_item * items + more;
                    let values = (0..count).flat_map(|_| value(rng, elem, fill, first));
                    Arg::Buffer(Bytes(values.collect()))
                }
                Gen::Value(elem, fill) => Arg::Value(Bytes(value(rng, elem, fill, first))),
                Gen::Structure(size, members) => {
                    let mut bytes = vec![0; size];
                    for (offset, elem, fill) in members {
                        let member = value(rng, *elem, *fill, first);
                        bytes[*offset..offset + member.len()].copy_from_slice(&member);
                    }
                    Arg::Value(Bytes(bytes))
                }
                Gen::Local(size) => Arg::Local(size * group),
            })
            .collect();
        launch
    }

    /// The type and the limit of each buffer, in their order.
    pub fn buffers(&self) -> impl Iterator<Item = (Elem, Limit)> {
        self.args.iter().filter_map(|arg| match arg {
            Gen::Buffer { elem, limit, .. } => Some((*elem, *limit)),
            _ => None,
        })
    }
}

/// A value in its bytes.
fn value(rng: &mut Rng, elem: Elem, fill: Fill, items: usize) -> Vec<u8> {
    let float = |value: f64| match elem {
        Elem::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    };
    let bits = match fill {
        Fill::Zero => 0,
        Fill::Any => rng.int(8 * elem.size() as u32),
        Fill::Between(low, high) => (low + rng.below((high - low + 1) as usize) as i64) as u64,
        Fill::Pick(list) => rng.pick(list) as u64,
        Fill::Whole(low, high) => float((low + rng.below((high - low + 1) as usize) as i64) as f64),
        Fill::Float => match elem {
            Elem::F32 => rng.f32(),
            _ => rng.f64(),
        },
        Fill::Real(most) => {
            let unit = (rng.bits() >> 11) as f64 / (1u64 << 53) as f64;
            let scale = 10f64.powi(-(rng.below(12) as i32));
            float((2.0 * unit - 1.0) * most * scale)
        }
        Fill::Items => items as u64,
    };
    bits.to_le_bytes()[..elem.size()].to_vec()
}

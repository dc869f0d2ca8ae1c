//! The operations on one lane and what they compute.
//!
//! Values are bits, zero-extended. Divisions by zero behave as divisions by one, the one signed
//! quotient that does not fit wraps, shift counts are taken modulo the width, and conversions from
//! floating point to integers saturate and turn NaNs into zero.

use crate::ast::Scalar;
use std::cell::Cell;

/// Declares an enumeration and the list of its values.
macro_rules! listed {
    ($(#[$meta:meta])* $name:ident: $($value:ident)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "SPIR-V's and OpenCL's names")]
        pub enum $name { $($value,)* }
        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$value,)*];
        }
    };
}

listed! {
    /// One operand. Those from `FNeg` on are for floating point, `LNot` for truth values.
    Unary: Neg Not Abs Clz Ctz PopCount BitReverse FNeg FAbs Floor Ceil Trunc Rint Round Sqrt LNot
}

listed! {
    /// Two operands. Those from `FAdd` on are for floating point, from `LAnd` on for truth values.
    Binary: Add Sub Mul And Or Xor Shl LShr AShr UDiv SDiv UMod SRem SMod SMin SMax UMin UMax
        SAddSat UAddSat SSubSat USubSat SHadd UHadd SRhadd URhadd SMulHi UMulHi SAbsDiff UAbsDiff
        Rotate Carry Borrow SMulHigh UMulHigh
        FAdd FSub FMul FDiv FRem FMin FMax CopySign
        LAnd LOr LEq LNe
}

listed! {
    /// Three operands; `Fma` and `FClamp` for floating point.
    Ternary: SMadSat UMadSat SMadHi UMadHi SClamp UClamp BitSelect Fma
}

listed! {
    /// Comparisons. Those from `OEq` on are for floating point.
    Compare: IEq INe SLt SLe SGt SGe ULt ULe UGt UGe
        OEq ONe OLt OLe OGt OGe UnEq UnNe UnLt UnLe UnGt UnGe Ordered Unordered
}

listed! {
    /// Classes of floating-point values.
    Test: IsNan IsInf IsFinite IsNormal
}

listed! {
    /// Conversions. `Bits` gives a float's bits, of a NaN always the same; `FromBits` the inverse.
    Cast: FToS FToU SToF UToF SConvert UConvert SSat USat SatSToU SatUToS FConvert Bits FromBits
}

listed! {
    /// How a conversion rounds.
    Rounding: Default Even Zero Up Down
}

impl Unary {
    /// Whether it works on such lanes.
    pub fn fits(self, s: Scalar) -> bool {
        let at = self as u8;
        class(s, at >= Unary::FNeg as u8, at >= Unary::LNot as u8)
    }
}

impl Binary {
    /// Whether it works on such lanes.
    pub fn fits(self, s: Scalar) -> bool {
        let at = self as u8;
        class(s, at >= Binary::FAdd as u8, at >= Binary::LAnd as u8)
    }
}

impl Ternary {
    /// Whether it works on such lanes.
    pub fn fits(self, s: Scalar) -> bool {
        class(s, self == Ternary::Fma, false)
    }
}

impl Compare {
    /// Whether it works on such lanes.
    pub fn fits(self, s: Scalar) -> bool {
        class(s, self as u8 >= Compare::OEq as u8, false)
    }
}

impl Cast {
    /// Whether it leads from such lanes to such lanes.
    pub fn fits(self, from: Scalar, to: Scalar) -> bool {
        let ints = from.is_int() && to.is_int();
        match self {
            Cast::FToS | Cast::FToU => from.is_float() && to.is_int(),
            Cast::SToF | Cast::UToF => from.is_int() && to.is_float(),
            Cast::SConvert | Cast::UConvert | Cast::SSat | Cast::USat => ints && from != to,
            Cast::SatSToU | Cast::SatUToS => ints && from != to,
            Cast::FConvert => from.is_float() && to.is_float() && from != to,
            Cast::Bits => from.is_float() && to == from.as_int(),
            Cast::FromBits => to.is_float() && from == to.as_int(),
        }
    }

    /// Whether a rounding may be stated.
    pub fn rounds(self, from: Scalar, to: Scalar) -> bool {
        match self {
            Cast::FToS | Cast::FToU => true,
            Cast::SToF | Cast::UToF => from.bits() <= 32,
            Cast::FConvert => to == Scalar::F32,
            _ => false,
        }
    }
}

/// Whether an operation for floats or truth values or else integers fits.
fn class(s: Scalar, float: bool, truth: bool) -> bool {
    if truth {
        s == Scalar::Bool
    } else if float {
        s.is_float()
    } else {
        s.is_int()
    }
}

/// The bits as a signed number.
pub fn signed(s: Scalar, bits: u64) -> i128 {
    let up = 64 - s.bits();
    i128::from(((bits << up) as i64) >> up)
}

/// Bits that stand for every NaN of a type.
pub fn canonical_nan(s: Scalar) -> u64 {
    if s == Scalar::F32 {
        0x7fc0_0000
    } else {
        0x7ff8_0000_0000_0000
    }
}

/// Whether the bits are a NaN.
pub fn is_nan(s: Scalar, bits: u64) -> bool {
    if s == Scalar::F32 {
        f32::from_bits(bits as u32).is_nan()
    } else {
        f64::from_bits(bits).is_nan()
    }
}

thread_local! {
    /// Whether an operation was carried out whose result SPIR-V leaves open.
    static OPEN: Cell<bool> = const { Cell::new(false) };
}

/// Whether, since the last call, an operation of this thread had a result that SPIR-V leaves open
/// and that only this project's compiler promises: a conversion to an integer that cannot hold the
/// value, a division that has no result, a shift past the width, a remainder of floating-point
/// numbers, and 32-bit divisions and square roots, which need not be rounded correctly.
pub fn took_liberties() -> bool {
    OPEN.replace(false)
}

fn open_if(condition: bool) {
    if condition {
        OPEN.set(true);
    }
}

fn bool_bits(value: bool) -> u64 {
    u64::from(value)
}

/// Computes the same expression on `f32` or `f64` and gives bits.
macro_rules! float {
    ($s:expr, ($($name:ident = $bits:expr),*) $value:expr) => {
        if $s == Scalar::F32 {
            $(let $name = f32::from_bits($bits as u32);)*
            u64::from(f32::to_bits($value))
        } else {
            $(let $name = f64::from_bits($bits);)*
            f64::to_bits($value)
        }
    };
}

/// As `float`, for a truth value.
macro_rules! float_test {
    ($s:expr, ($($name:ident = $bits:expr),*) $value:expr) => {
        if $s == Scalar::F32 {
            $(let $name = f32::from_bits($bits as u32);)*
            $value
        } else {
            $(let $name = f64::from_bits($bits);)*
            $value
        }
    };
}

/// One operand.
pub fn unary(op: Unary, s: Scalar, a: u64) -> u64 {
    let bits = s.bits();
    open_if(op == Unary::Sqrt && s == Scalar::F32);
    let value = match op {
        Unary::Neg => a.wrapping_neg(),
        Unary::Not => !a,
        Unary::Abs => signed(s, a).unsigned_abs() as u64,
        Unary::Clz => u64::from(a.leading_zeros() - (64 - bits)),
        Unary::Ctz => u64::from(a.trailing_zeros().min(bits)),
        Unary::PopCount => u64::from(a.count_ones()),
        Unary::BitReverse => a.reverse_bits() >> (64 - bits),
        Unary::FNeg => float!(s, (x = a) - x),
        Unary::FAbs => float!(s, (x = a) x.abs()),
        Unary::Floor => float!(s, (x = a) x.floor()),
        Unary::Ceil => float!(s, (x = a) x.ceil()),
        Unary::Trunc => float!(s, (x = a) x.trunc()),
        Unary::Rint => float!(s, (x = a) x.round_ties_even()),
        Unary::Round => float!(s, (x = a) x.round()),
        Unary::Sqrt => float!(s, (x = a) x.sqrt()),
        Unary::LNot => a ^ 1,
    };
    value & s.mask()
}

/// Two operands.
pub fn binary(op: Binary, s: Scalar, a: u64, b: u64) -> u64 {
    let bits = s.bits();
    let (sa, sb) = (signed(s, a), signed(s, b));
    let (ua, ub) = (u128::from(a), u128::from(b));
    let (low, high) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let divisor = if b == 0 { 1 } else { b };
    let signed_divisor = if b == 0 { 1 } else { sb };
    let count = b & u64::from(bits - 1);
    open_if(match op {
        Binary::Shl | Binary::LShr | Binary::AShr => b >= u64::from(bits),
        Binary::UDiv | Binary::UMod => b == 0,
        Binary::SDiv | Binary::SRem | Binary::SMod => b == 0 || (sa == low && sb == -1),
        Binary::FDiv => s == Scalar::F32,
        Binary::FRem => true,
        _ => false,
    });
    let value = match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::And | Binary::LAnd => a & b,
        Binary::Or | Binary::LOr => a | b,
        Binary::Xor | Binary::LNe => a ^ b,
        Binary::LEq => a ^ b ^ 1,
        Binary::Shl => a << count,
        Binary::LShr => a >> count,
        Binary::AShr => (sa >> count) as u64,
        Binary::UDiv => a / divisor,
        Binary::UMod => a % divisor,
        // The quotient that does not fit wraps when it is cut to the width.
        Binary::SDiv => (sa / signed_divisor) as u64,
        Binary::SRem => (sa % signed_divisor) as u64,
        Binary::SMod => {
            let rest = sa % signed_divisor;
            let wrong = rest != 0 && (rest < 0) != (signed_divisor < 0);
            (if wrong { rest + signed_divisor } else { rest }) as u64
        }
        Binary::SMin => sa.min(sb) as u64,
        Binary::SMax => sa.max(sb) as u64,
        Binary::UMin => a.min(b),
        Binary::UMax => a.max(b),
        Binary::SAddSat => (sa + sb).clamp(low, high) as u64,
        Binary::SSubSat => (sa - sb).clamp(low, high) as u64,
        Binary::UAddSat => (ua + ub).min(s.mask().into()) as u64,
        Binary::USubSat => a.saturating_sub(b),
        Binary::SHadd => ((sa + sb) >> 1) as u64,
        Binary::UHadd => ((ua + ub) >> 1) as u64,
        Binary::SRhadd => ((sa + sb + 1) >> 1) as u64,
        Binary::URhadd => ((ua + ub + 1) >> 1) as u64,
        Binary::SMulHi | Binary::SMulHigh => ((sa * sb) >> bits) as u64,
        Binary::UMulHi | Binary::UMulHigh => ((ua * ub) >> bits) as u64,
        Binary::SAbsDiff => sa.abs_diff(sb) as u64,
        Binary::UAbsDiff => a.abs_diff(b),
        Binary::Rotate => {
            let back = (u64::from(bits) - count) & u64::from(bits - 1);
            (a << count) | (a >> back)
        }
        Binary::Carry => bool_bits(ua + ub > s.mask().into()),
        Binary::Borrow => bool_bits(a < b),
        Binary::FAdd => float!(s, (x = a, y = b) x + y),
        Binary::FSub => float!(s, (x = a, y = b) x - y),
        Binary::FMul => float!(s, (x = a, y = b) x * y),
        Binary::FDiv => float!(s, (x = a, y = b) x / y),
        Binary::FRem => float!(s, (x = a, y = b) x % y),
        // A zero's sign does not show: the kernels add zero to both operands first.
        Binary::FMin => float!(s, (x = a, y = b)(x + 0.0).min(y + 0.0)),
        Binary::FMax => float!(s, (x = a, y = b)(x + 0.0).max(y + 0.0)),
        // Of a NaN no sign shows: the kernels take one as the sign's source.
        Binary::CopySign => {
            float!(s, (x = a, y = b) x.copysign(if y.is_nan() {
                1.0
            } else {
                y
            }))
        }
    };
    value & s.mask()
}

/// Three operands.
pub fn ternary(op: Ternary, s: Scalar, a: u64, b: u64, c: u64) -> u64 {
    let bits = s.bits();
    let (low, high) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let (sa, sb, sc) = (signed(s, a), signed(s, b), signed(s, c));
    let (ua, ub, uc) = (u128::from(a), u128::from(b), u128::from(c));
    let value = match op {
        Ternary::SMadSat => (sa * sb + sc).clamp(low, high) as u64,
        Ternary::UMadSat => (ua * ub + uc).min(s.mask().into()) as u64,
        Ternary::SMadHi => (((sa * sb) >> bits) + sc) as u64,
        Ternary::UMadHi => (((ua * ub) >> bits) + uc) as u64,
        // The kernels sort the limits first.
        Ternary::SClamp => sa.clamp(sb.min(sc), sb.max(sc)) as u64,
        Ternary::UClamp => a.clamp(b.min(c), b.max(c)),
        Ternary::BitSelect => (a & !c) | (b & c),
        Ternary::Fma => float!(s, (x = a, y = b, z = c) x.mul_add(y, z)),
    };
    value & s.mask()
}

/// Compares.
pub fn compare(op: Compare, s: Scalar, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(s, a), signed(s, b));
    let either = s.is_float() && (is_nan(s, a) || is_nan(s, b));
    let ordering = |wanted: fn(f64, f64) -> bool| {
        // Every single is a double.
        let wide = |bits: u64| {
            if s == Scalar::F32 {
                f64::from(f32::from_bits(bits as u32))
            } else {
                f64::from_bits(bits)
            }
        };
        wanted(wide(a), wide(b))
    };
    match op {
        Compare::IEq => a == b,
        Compare::INe => a != b,
        Compare::SLt => sa < sb,
        Compare::SLe => sa <= sb,
        Compare::SGt => sa > sb,
        Compare::SGe => sa >= sb,
        Compare::ULt => a < b,
        Compare::ULe => a <= b,
        Compare::UGt => a > b,
        Compare::UGe => a >= b,
        Compare::OEq => ordering(|x, y| x == y),
        Compare::ONe => !either && ordering(|x, y| x != y),
        Compare::OLt => ordering(|x, y| x < y),
        Compare::OLe => ordering(|x, y| x <= y),
        Compare::OGt => ordering(|x, y| x > y),
        Compare::OGe => ordering(|x, y| x >= y),
        Compare::UnEq => either || ordering(|x, y| x == y),
        Compare::UnNe => ordering(|x, y| x != y),
        Compare::UnLt => either || ordering(|x, y| x < y),
        Compare::UnLe => either || ordering(|x, y| x <= y),
        Compare::UnGt => either || ordering(|x, y| x > y),
        Compare::UnGe => either || ordering(|x, y| x >= y),
        Compare::Ordered => !either,
        Compare::Unordered => either,
    }
}

/// Classifies.
pub fn test(op: Test, s: Scalar, a: u64) -> bool {
    match op {
        Test::IsNan => is_nan(s, a),
        Test::IsInf => float_test!(s, (x = a) x.is_infinite()),
        Test::IsFinite => float_test!(s, (x = a) x.is_finite()),
        Test::IsNormal => float_test!(s, (x = a) x.is_normal()),
    }
}

/// Converts.
pub fn cast(op: Cast, rounding: Rounding, from: Scalar, to: Scalar, a: u64) -> u64 {
    let bits = to.bits();
    let (low, high) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let unsigned_high = i128::from(to.mask());
    if matches!(op, Cast::FToS | Cast::FToU) {
        let whole = to_int(rounding, from, a);
        let fits = match op {
            Cast::FToS => (low..=high).contains(&whole),
            _ => (0..=unsigned_high).contains(&whole),
        };
        open_if(!fits || is_nan(from, a));
    }
    let value = match op {
        Cast::FToS => to_int(rounding, from, a).clamp(low, high) as u64,
        Cast::FToU => to_int(rounding, from, a).clamp(0, unsigned_high) as u64,
        Cast::SToF => to_float(rounding, to, signed(from, a)),
        Cast::UToF => to_float(rounding, to, i128::from(a)),
        Cast::SConvert => signed(from, a) as u64,
        Cast::UConvert => a,
        Cast::SSat | Cast::SatUToS => {
            let value = if op == Cast::SSat {
                signed(from, a)
            } else {
                i128::from(a)
            };
            value.clamp(low, high) as u64
        }
        Cast::USat => a.min(to.mask()),
        Cast::SatSToU => signed(from, a).clamp(0, unsigned_high) as u64,
        Cast::FConvert if from == Scalar::F32 => f64::from(f32::from_bits(a as u32)).to_bits(),
        Cast::FConvert => {
            let exact = f64::from_bits(a);
            let nearest = exact as f32;
            let order = f64::from(nearest).partial_cmp(&exact);
            u64::from(rounded(rounding, nearest, order, exact > 0.0).to_bits())
        }
        Cast::Bits if is_nan(from, a) => canonical_nan(from),
        Cast::Bits | Cast::FromBits => a,
    };
    value & to.mask()
}

/// The integer that a float becomes; beyond every integer type's range where it is too large.
fn to_int(rounding: Rounding, s: Scalar, a: u64) -> i128 {
    let value = if s == Scalar::F32 {
        f64::from(f32::from_bits(a as u32))
    } else {
        f64::from_bits(a)
    };
    let whole = match rounding {
        Rounding::Default | Rounding::Zero => value.trunc(),
        Rounding::Even => value.round_ties_even(),
        Rounding::Up => value.ceil(),
        Rounding::Down => value.floor(),
    };
    // Saturates at the ends of `i128`, and a NaN becomes 0.
    whole as i128
}

fn to_float(rounding: Rounding, to: Scalar, value: i128) -> u64 {
    if to == Scalar::F64 {
        // Roundings are only stated where a double is exact.
        return (value as f64).to_bits();
    }
    let nearest = value as f32;
    let order = Some((nearest as i128).cmp(&value));
    u64::from(rounded(rounding, nearest, order, value > 0).to_bits())
}

/// `nearest`, which compares so to the exact value, moved to the neighbour that `rounding` wants.
fn rounded(
    rounding: Rounding,
    nearest: f32,
    order: Option<std::cmp::Ordering>,
    positive: bool,
) -> f32 {
    use std::cmp::Ordering;
    let rounding = match (rounding, positive) {
        (Rounding::Zero, true) => Rounding::Down,
        (Rounding::Zero, false) => Rounding::Up,
        (other, _) => other,
    };
    match (rounding, order) {
        (Rounding::Up, Some(Ordering::Less)) => nearest.next_up(),
        (Rounding::Down, Some(Ordering::Greater)) => nearest.next_down(),
        _ => nearest,
    }
}

/// The bits `offset .. offset + count` of `base` used in one of three ways.
pub fn field(
    op: crate::ast::Field,
    s: Scalar,
    base: u64,
    insert: u64,
    offset: u32,
    count: u32,
) -> u64 {
    use crate::ast::Field;
    let mask = (1u64 << count) - 1;
    let value = match op {
        Field::Insert => (base & !(mask << offset)) | ((insert & mask) << offset),
        Field::Unsigned => (base >> offset) & mask,
        Field::Signed => {
            let field = (base >> offset) & mask;
            let negative = count > 0 && field >> (count - 1) & 1 == 1;
            if negative { field | !mask } else { field }
        }
    };
    value & s.mask()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_are_total() {
        let min = 0x8000_0000;
        assert_eq!(binary(Binary::SDiv, Scalar::I32, min, 0xffff_ffff), min);
        assert_eq!(binary(Binary::SRem, Scalar::I32, min, 0xffff_ffff), 0);
        assert_eq!(binary(Binary::UDiv, Scalar::I8, 200, 0), 200);
        assert_eq!(binary(Binary::SMod, Scalar::I8, 0xf9, 4), 1);
        assert_eq!(binary(Binary::SMod, Scalar::I8, 7, 0xfc), 0xff);
    }

    #[test]
    fn liberties_are_noted() {
        let noted = |op, a, b| {
            took_liberties();
            binary(op, Scalar::I8, a, b);
            took_liberties()
        };
        assert!(noted(Binary::Shl, 1, 8) && !noted(Binary::Shl, 1, 7));
        assert!(noted(Binary::UMod, 1, 0) && !noted(Binary::UMod, 0x80, 0xff));
        assert!(noted(Binary::SDiv, 0x80, 0xff) && !noted(Binary::SDiv, 0x81, 0xff));
        let converted = |x: f64| {
            cast(
                Cast::FToU,
                Rounding::Default,
                Scalar::F64,
                Scalar::I8,
                x.to_bits(),
            );
            took_liberties()
        };
        assert!(!converted(255.5) && converted(256.0) && converted(-1.0) && converted(f64::NAN));
    }

    #[test]
    fn conversions_saturate_and_round() {
        let f32_bits = |x: f32| u64::from(x.to_bits());
        let cast = |op, r, from, to, a| cast(op, r, from, to, a);
        let to_i8 = |r, x| cast(Cast::FToS, r, Scalar::F32, Scalar::I8, f32_bits(x));
        assert_eq!(to_i8(Rounding::Default, 1e9), 0x7f);
        assert_eq!(to_i8(Rounding::Default, f32::NAN), 0);
        assert_eq!(to_i8(Rounding::Default, f32::NEG_INFINITY), 0x80);
        assert_eq!(to_i8(Rounding::Even, 2.5), 2);
        assert_eq!(to_i8(Rounding::Down, -2.5), 0xfd);
        let narrow = |r, x: f64| {
            f32::from_bits(cast(Cast::FConvert, r, Scalar::F64, Scalar::F32, x.to_bits()) as u32)
        };
        assert_eq!(narrow(Rounding::Zero, 1e300), f32::MAX);
        assert_eq!(narrow(Rounding::Up, 1e-300), f32::from_bits(1));
        assert_eq!(narrow(Rounding::Down, -1e-300), -f32::from_bits(1));
        let odd = cast(
            Cast::UToF,
            Rounding::Up,
            Scalar::I32,
            Scalar::F32,
            0x100_0001,
        );
        assert_eq!(f32::from_bits(odd as u32), 16_777_218.0);
    }

    #[test]
    fn fields() {
        use crate::ast::Field;
        assert_eq!(field(Field::Signed, Scalar::I16, 0x0f0, 0, 4, 4), 0xffff);
        assert_eq!(field(Field::Unsigned, Scalar::I16, 0x0f0, 0, 4, 4), 0xf);
        assert_eq!(field(Field::Insert, Scalar::I16, 0xffff, 0, 4, 4), 0xff0f);
    }
}

//! What enumerations and sets of bits are in Rust.
//!
//! A C enumeration holds any number: a newer client may use a value that this version does not
//! know. So each is a number with names for the known values, never a Rust `enum`.

/// An enumeration of the API: one of several named numbers.
pub trait Enumeration: Copy {
    /// The value's name, if it has one.
    fn name(self) -> Option<&'static str>;
}

/// Bits of the API that can be combined.
pub trait BitSet: Copy {
    /// Every bit with its name.
    const BITS: &'static [(u32, &'static str)];
}

/// Writes the names of `bits` joined by ` | `, what has no name as one number, and `0` for none.
pub(crate) fn write_bits(
    names: &[(u32, &str)],
    bits: u32,
    f: &mut core::fmt::Formatter<'_>,
) -> core::fmt::Result {
    let mut left = bits;
    let mut first = true;
    for (bit, name) in names {
        if left & bit != 0 {
            if !first {
                f.write_str(" | ")?;
            }
            f.write_str(name)?;
            first = false;
            left &= !bit;
        }
    }
    match (left, first) {
        (0, false) => Ok(()),
        (0, true) => f.write_str("0"),
        (left, true) => write!(f, "{left:#x}"),
        (left, false) => write!(f, " | {left:#x}"),
    }
}

/// The common part of both kinds: the type, its values and its text form.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $value:ident = $number:expr,)* }) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(
            /// The number.
            pub u32,
        );
        $(
            $(#[$vdoc])*
            pub const $value: $name = $name($number);
        )*
        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// The names of an enumeration's values.
macro_rules! names {
    ($name:ident { $($value:ident = $number:expr,)* }) => {
        impl $crate::Enumeration for $name {
            fn name(self) -> Option<&'static str> {
                // A second name of the same number is legal; the first one counts.
                #[allow(unreachable_patterns)]
                match self.0 {
                    $($number => Some(stringify!($value)),)*
                    _ => None,
                }
            }
        }
    };
}

/// Defines an enumeration.
macro_rules! enumeration {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $value:ident = $number:expr,)* }) => {
        $crate::enumeration::number! {
            $(#[$doc])* $name { $($(#[$vdoc])* $value = $number,)* }
        }
        $crate::enumeration::names! { $name { $($value = $number,)* } }
        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match $crate::Enumeration::name(*self) {
                    Some(name) => f.write_str(name),
                    None => write!(f, "{}", self.0),
                }
            }
        }
    };
}

/// Defines an enumeration of versions, whose text is `major.minor`.
macro_rules! version {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $value:ident = $number:expr,)* }) => {
        $crate::enumeration::number! {
            $(#[$doc])* $name { $($(#[$vdoc])* $value = $number,)* }
        }
        $crate::enumeration::names! { $name { $($value = $number,)* } }
        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, "{}.{}", self.0 >> 16, self.0 & 0xffff)
            }
        }
    };
}

/// Defines a set of bits.
macro_rules! bit_set {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $value:ident = $number:expr,)* }) => {
        $crate::enumeration::number! {
            $(#[$doc])* $name { $($(#[$vdoc])* $value = $number,)* }
        }
        impl $crate::BitSet for $name {
            const BITS: &'static [(u32, &'static str)] = &[$(($number, stringify!($value)),)*];
        }
        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::enumeration::write_bits(<Self as $crate::BitSet>::BITS, self.0, f)
            }
        }
        impl core::ops::BitOr for $name {
            type Output = Self;
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }
    };
}

pub(crate) use {bit_set, enumeration, names, number, version};

//! Functions that compiled kernels call: the C library's mathematics and what this library adds.
//!
//! Kernels see the names listed by [`symbols`] and nothing else of the process.

mod assert;
mod image;
mod math;
mod printf;

/// Declares functions of the C library and lists them. Their types do not matter here: only the
/// addresses are taken, and the translator declares each one where it calls it.
macro_rules! c_functions {
    ($($name:ident)*) => {
        #[link(name = "m")]
        unsafe extern "C" {
            $(fn $name();)*
        }
        /// Name and address of each.
        fn c_symbols() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

c_functions! {
    // Called by name.
    cos cosf fmod fmodf ldexp ldexpf lgamma_r lgammaf_r remainder remainderf sin sinf tan tanf
    tgamma tgammaf
    // Made by LLVM from intrinsics or from other calls, on processors without an instruction.
    ceil ceilf floor floorf fma fmaf fmax fmaxf fmin fminf frexp frexpf nearbyint nearbyintf
    rint rintf round roundf roundeven roundevenf sincos sincosf sqrt sqrtf trunc truncf
    fabs fabsf copysign copysignf
    bcmp memcmp memcpy memmove memset strlen
    // Conversions and wide arithmetic of the compiler's own library.
    __extendhfsf2 __truncsfhf2 __truncdfhf2
    __divti3 __modti3 __udivti3 __umodti3 __multi3 __muloti4
    __fixdfti __fixsfti __fixunsdfti __fixunssfti
    __floattidf __floattisf __floatuntidf __floatuntisf
}

/// Every function that code may call: its name in LLVM IR and its address.
pub fn symbols() -> Vec<(&'static str, usize)> {
    let mut all = c_symbols();
    all.extend([
        ("ur_jit_remquo", math::remquo as *const () as usize),
        ("ur_jit_remquof", math::remquof as *const () as usize),
        (
            "ur_jit_assert_failed",
            assert::assert_failed as *const () as usize,
        ),
        ("ur_jit_printf", printf::printf as *const () as usize),
    ]);
    all.extend(image::symbols());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_symbol_has_an_address_and_a_name_of_its_own() {
        let all = symbols();
        let names: HashSet<_> = all.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), all.len());
        assert!(all.iter().all(|(_, address)| *address != 0));
    }
}

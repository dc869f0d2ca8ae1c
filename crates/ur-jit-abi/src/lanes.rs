//! Which code of a kernel is wanted: one work-item after the other, or neighbours as lanes of vectors.

/// What is asked for, by the build option `-ur-lanes=…` or else by the environment variable
/// `UR_JIT_LANES`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// Vectors of so many lanes: [`NONE`], [`SUITABLE`] or a power of two up to [`MOST`].
    Fixed(u32),
    /// [`FIRST`], and [`SUITABLE`] when a kernel has proved to be worth it.
    Tiered,
}

/// One work-item after the other.
pub const NONE: u32 = 1;

/// As many lanes as suit the kernel.
pub const SUITABLE: u32 = 0;

/// As is quick to compile, and with the same results as [`SUITABLE`]: [`NONE`] unless results may depend
/// on the number of lanes, else [`SUITABLE`].
pub const FIRST: u32 = u32::MAX;

/// Most lanes.
pub const MOST: u32 = 64;

impl Lanes {
    /// What the build options `flags` ask for, or else the environment: nothing there, or nothing that
    /// can be understood, means code in tiers.
    pub fn asked(flags: &str) -> Lanes {
        let mut options = flags.split_whitespace();
        if options.clone().any(|option| option == "-cl-opt-disable") {
            return Lanes::Fixed(NONE);
        }
        options
            .find_map(|option| Lanes::of(option.strip_prefix("-ur-lanes=")?))
            .or_else(|| Lanes::of(&std::env::var("UR_JIT_LANES").ok()?))
            .unwrap_or(Lanes::Tiered)
    }

    /// What a word means; none if it means nothing.
    pub fn of(word: &str) -> Option<Lanes> {
        if word == "tiered" {
            return Some(Lanes::Tiered);
        }
        let lanes = word.parse::<u32>().ok()?;
        let known = lanes == SUITABLE || (lanes.is_power_of_two() && lanes <= MOST);
        known.then_some(Lanes::Fixed(lanes))
    }

    /// The lanes of the code that is made first.
    pub fn first(self) -> u32 {
        match self {
            Lanes::Fixed(lanes) => lanes,
            Lanes::Tiered => FIRST,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for (word, lanes) in [
            ("0", Some(Lanes::Fixed(SUITABLE))),
            ("1", Some(Lanes::Fixed(NONE))),
            ("64", Some(Lanes::Fixed(64))),
            ("tiered", Some(Lanes::Tiered)),
            ("128", None),
            ("3", None),
            ("-1", None),
            ("", None),
            ("Tiered", None),
        ] {
            assert_eq!(Lanes::of(word), lanes, "{word:?}");
        }
    }

    #[test]
    fn options() {
        for (flags, lanes) in [
            ("-ur-lanes=8", Lanes::Fixed(8)),
            ("-a -ur-lanes=tiered -b", Lanes::Tiered),
            // The first that is understood.
            ("-ur-lanes=7 -ur-lanes=4 -ur-lanes=2", Lanes::Fixed(4)),
            ("-ur-lanes=8 -cl-opt-disable", Lanes::Fixed(NONE)),
        ] {
            assert_eq!(Lanes::asked(flags), lanes, "{flags}");
        }
        assert_eq!(Lanes::Tiered.first(), FIRST);
        assert_eq!(Lanes::Fixed(8).first(), 8);
    }
}

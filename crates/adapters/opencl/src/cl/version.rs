//! Versions of OpenCL.

/// A version, such as 1.2. Versions are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32);

impl Version {
    /// The version that a `CL_PLATFORM_VERSION` or `CL_DEVICE_VERSION` tells: `OpenCL 3.0 …`. A text
    /// that is none counts as 1.0, so that nothing is asked of its driver that it might not have.
    pub fn of_text(text: &str) -> Self {
        Self::parse(text).unwrap_or(Self(1, 0))
    }

    fn parse(text: &str) -> Option<Self> {
        let number = text.strip_prefix("OpenCL ")?.split_whitespace().next()?;
        let (major, minor) = number.split_once('.')?;
        Some(Self(major.parse().ok()?, minor.parse().ok()?))
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_ordered() {
        assert_eq!(Version::of_text("OpenCL 3.0 LINUX"), Version(3, 0));
        assert_eq!(Version::of_text("OpenCL 1.2"), Version(1, 2));
        assert_eq!(Version::of_text("OpenCL 2.1 x"), Version(2, 1));
        for broken in ["", "OpenCL", "OpenCL 3", "OpenCL x.y", "3.0"] {
            assert_eq!(Version::of_text(broken), Version(1, 0), "{broken:?}");
        }
        assert!(Version(2, 1) > Version(2, 0) && Version(3, 0) > Version(2, 2));
        assert!(Version(1, 2) < Version(2, 0));
    }
}

//! What the environment says of the driver's platforms.
//!
//! `UR_FAKE_OPENCL` is a list of platforms with `;` between two. A platform is a list of words: first
//! the version of OpenCL, then names of extensions, `il` for a device that takes SPIR-V, `svm` for one
//! with coarse shared virtual memory, and `devices=N` (1 without). `2.1 il devices=2;1.2` are two
//! platforms. Without the variable there is one, of version 3.0 with everything that the driver has.

/// The most platforms there can be: each has extension functions of its own.
pub const MOST: usize = 4;

/// What is had without the variable.
pub const EVERYTHING: &str = "3.0 il svm cl_khr_il_program cl_khr_subgroups cl_khr_fp64 \
     cl_khr_create_command_queue cl_khr_priority_hints cl_khr_suggested_local_work_size \
     cl_intel_required_subgroup_size cl_intel_unified_shared_memory";

/// What one platform is like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Version of the platform and of its devices.
    pub version: (u32, u32),
    /// Names of extensions.
    pub extensions: Vec<String>,
    /// Whether the devices take SPIR-V.
    pub il: bool,
    /// Whether the devices have coarse shared virtual memory.
    pub svm: bool,
    /// How many devices there are.
    pub devices: usize,
}

impl Settings {
    /// Reads one platform.
    ///
    /// # Errors
    /// The word that is not understood.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let version = words.next().unwrap_or_default();
        let numbers = version.split_once('.');
        let numbers = numbers.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        let mut settings = Self {
            version: numbers.ok_or_else(|| format!("`{version}` is no version"))?,
            extensions: Vec::new(),
            il: false,
            svm: false,
            devices: 1,
        };
        for word in words {
            match word.split_once('=') {
                Some(("devices", count)) => {
                    settings.devices = count.parse().map_err(|_| format!("`{word}`?"))?;
                }
                Some(_) => return Err(format!("`{word}`?")),
                None if word == "il" => settings.il = true,
                None if word == "svm" => settings.svm = true,
                None => settings.extensions.push(word.to_owned()),
            }
        }
        Ok(settings)
    }

    /// Reads all platforms.
    ///
    /// # Errors
    /// The word that is not understood, or too many platforms.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        let all: Vec<_> = text
            .split(';')
            .filter(|one| !one.trim().is_empty())
            .map(Self::parse)
            .collect::<Result<_, _>>()?;
        match all.len() {
            0..=MOST => Ok(all),
            count => Err(format!("{count} platforms are more than {MOST}")),
        }
    }

    /// Whether there is an extension.
    pub fn has(&self, extension: &str) -> bool {
        self.extensions.iter().any(|have| have == extension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_read() {
        let all = Settings::parse_all("2.1 il devices=2 cl_a ; 1.2").expect("two platforms");
        assert_eq!(
            (all[0].version, all[0].devices, all[0].il),
            ((2, 1), 2, true)
        );
        assert!(all[0].has("cl_a") && !all[0].has("cl_b"));
        assert_eq!(
            (all[1].version, all[1].devices, all[1].il),
            ((1, 2), 1, false)
        );
        assert_eq!(Settings::parse_all(""), Ok(Vec::new()));
        assert!(Settings::parse_all(EVERYTHING).is_ok());
        for broken in ["x", "1", "1.2 devices=x", "1.2 a=b", "1.2;1.2;1.2;1.2;1.2"] {
            assert!(Settings::parse_all(broken).is_err(), "{broken}");
        }
    }
}

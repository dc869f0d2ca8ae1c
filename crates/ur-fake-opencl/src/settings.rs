//! What the environment says of the driver's platforms.
//!
//! `UR_FAKE_OPENCL` is a list of platforms with `;` between two. A platform is a list of words: first
//! the version of OpenCL, then names of extensions, `il` for a device that takes SPIR-V, `svm` for one
//! with coarse shared virtual memory, `fine` for fine-grained buffers of it, too, `simultaneous` for
//! one whose command buffers may be enqueued again before they have ended, and `devices=N` (1
//! without). A name of an extension may have a version behind it: `cl_khr_command_buffer=0.9.4`.
//! `pocl` and `nvidia` are a platform with the name of another driver's, whose commands wait as that
//! driver's do ([`Like`]). `2.1 il devices=2;1.2` are two platforms. Without the variable there is one, of version 3.0 with everything that the driver has.

/// The most platforms there can be: each has extension functions of its own.
pub const MOST: usize = 4;

/// What is had without the variable.
pub const EVERYTHING: &str = "3.0 il svm cl_khr_il_program cl_khr_subgroups cl_khr_fp64 \
     cl_khr_create_command_queue cl_khr_priority_hints cl_khr_suggested_local_work_size \
     cl_intel_required_subgroup_size cl_intel_unified_shared_memory simultaneous \
     cl_khr_command_buffer cl_khr_command_buffer_mutable_dispatch";

/// Which driver's ways to wait a platform has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Like {
    /// What OpenCL says.
    OpenCl,
    /// A marker with a list waits for every command before it, too.
    Pocl,
    /// Every queue is in order, and barriers, migrations and markers with a list have times of 0.
    Nvidia,
}

/// What one platform is like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Version of the platform and of its devices.
    pub version: (u32, u32),
    /// Names of extensions.
    pub extensions: Vec<String>,
    /// Versions of some of them, as OpenCL packs them.
    versions: Vec<(String, u32)>,
    /// Whether the devices take SPIR-V.
    pub il: bool,
    /// Whether the devices have coarse shared virtual memory.
    pub svm: bool,
    /// Whether a command buffer may be enqueued again before it has ended.
    pub simultaneous: bool,
    /// Whether these can be fine-grained.
    pub fine: bool,
    /// How many devices there are.
    pub devices: usize,
    /// How commands wait.
    pub like: Like,
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
            versions: Vec::new(),
            il: false,
            svm: false,
            simultaneous: false,
            fine: false,
            devices: 1,
            like: Like::OpenCl,
        };
        for word in words {
            match word.split_once('=') {
                Some(("devices", count)) => {
                    settings.devices = count.parse().map_err(|_| format!("`{word}`?"))?;
                }
                Some((name, version)) if name.starts_with("cl_") => {
                    let version = packed(version).ok_or_else(|| format!("`{word}`?"))?;
                    settings.extensions.push(name.to_owned());
                    settings.versions.push((name.to_owned(), version));
                }
                Some(_) => return Err(format!("`{word}`?")),
                None if word == "il" => settings.il = true,
                None if word == "svm" => settings.svm = true,
                None if word == "simultaneous" => settings.simultaneous = true,
                None if word == "pocl" => settings.like = Like::Pocl,
                None if word == "nvidia" => settings.like = Like::Nvidia,
                None if word == "fine" => settings.fine = true,
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

    /// The version of an extension, as OpenCL packs it.
    pub fn version_of(&self, extension: &str) -> u32 {
        let mut versions = self.versions.iter();
        let given = versions.find(|(name, _)| name == extension);
        // Those that the driver follows.
        let own = match extension {
            "cl_khr_command_buffer" => "0.9.5",
            "cl_khr_command_buffer_mutable_dispatch" => "0.9.3",
            _ => "1.0.0",
        };
        given.map_or(packed(own).unwrap_or(0), |(_, version)| *version)
    }

    /// Whether there is an extension.
    pub fn has(&self, extension: &str) -> bool {
        self.extensions.iter().any(|have| have == extension)
    }
}

/// A version of three numbers with dots between as OpenCL packs it.
fn packed(text: &str) -> Option<u32> {
    let mut numbers = text.split('.').map(|number| number.parse::<u32>().ok());
    let [major, minor, patch] = [numbers.next()??, numbers.next()??, numbers.next()??];
    Some((major << 22) | (minor << 12) | patch)
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
        let versions = Settings::parse("3.0 simultaneous cl_a=1.2.3 cl_b").expect("a platform");
        assert_eq!(versions.version_of("cl_a"), (1 << 22) | (2 << 12) | 3);
        assert_eq!(versions.version_of("cl_b"), 1 << 22);
        assert!(versions.simultaneous && versions.has("cl_a"));
        let like = |text| Settings::parse(text).map(|one| one.like);
        assert_eq!(like("3.0"), Ok(Like::OpenCl));
        assert_eq!(like("3.0 pocl"), Ok(Like::Pocl));
        assert_eq!(like("3.0 nvidia"), Ok(Like::Nvidia));
        assert_eq!(Settings::parse_all(""), Ok(Vec::new()));
        assert!(Settings::parse_all(EVERYTHING).is_ok());
        for broken in [
            "x",
            "1",
            "1.2 devices=x",
            "1.2 a=b",
            "1.2 cl_a=1",
            "1.2;1.2;1.2;1.2;1.2",
        ] {
            assert!(Settings::parse_all(broken).is_err(), "{broken}");
        }
    }
}

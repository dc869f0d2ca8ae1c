//! What the environment says of the drivers.
//!
//! `UR_FAKE_LEVEL_ZERO` is a list of drivers with `;` between two. A driver is a list of words: first
//! the version of Level Zero, then what it is like. A driver has everything that its version has, but
//! for words with a dash in front: `-in-order` for one without lists that are in order by themselves,
//! `-counters` (counter-based events), `-mutable` (recorded commands that can be changed), `-images`,
//! `-copy` (engines that only copy), `-cooperative`, `-virtual`, `-ipc`, `-p2p`, `-offset` (global
//! offsets), `-shared` (shared memory), `-timestamps` (times of both clocks at once), `-sync`
//! (`zeCommandListHostSynchronize`), `-fp64`, `-fp16`.
//!
//! `devices=N` (1 without), `parts=N` (sub-devices of each, none without), `copies=N` (engines that
//! copy, 2 without), `computes=N` (engines that compute, 2 without), `memory=MIB` (4096 without),
//! `fill=BYTES` (longest pattern that engines which copy can fill with, 16 without).
//!
//! `integrated` makes devices that share the host's memory. `fifo` has an engine take the commands of a
//! queue or list one after the other, so that one that waits holds up all behind it, as the command
//! streamer of a real device does; else it may take any that nothing holds back, which finds
//! dependencies that were forgotten. `one-stream` does so with all queues and lists of an engine.
//! `seed=N` chooses among commands by another sequence.
//!
//! `1.3 devices=2 parts=2 -images;1.0` are two drivers. Without the variable there is one, of the newest
//! version that is known here.

/// The newest version.
pub const NEWEST: (u16, u16) = (1, 15);

/// What is had without the variable.
pub const EVERYTHING: &str = "1.15";

/// Words that may stand behind a dash, each with the version that what it names came with.
const PARTS: [(&str, u16); 15] = [
    ("in-order", 7),
    ("counters", 8),
    ("mutable", 9),
    ("images", 0),
    ("copy", 0),
    ("cooperative", 0),
    ("virtual", 0),
    ("ipc", 0),
    ("p2p", 0),
    ("offset", 1),
    ("shared", 0),
    ("timestamps", 6),
    ("sync", 6),
    ("fp64", 0),
    ("fp16", 0),
];

/// What one driver is like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Version of Level Zero.
    pub version: (u16, u16),
    /// What it lacks.
    lacks: Vec<String>,
    /// Devices.
    pub devices: u32,
    /// Sub-devices of each, 0 for none.
    pub parts: u32,
    /// Engines of a device that only copy.
    pub copies: u32,
    /// Engines of a device that compute.
    pub computes: u32,
    /// Bytes of a device's memory.
    pub memory: u64,
    /// Bytes of the longest pattern that an engine which copies can fill with.
    pub fill: usize,
    /// Whether the devices share the host's memory.
    pub integrated: bool,
    /// Whether an engine takes commands of a queue or list only in their order.
    pub fifo: bool,
    /// Whether an engine takes all commands in their order.
    pub one_stream: bool,
    /// Where the sequence of choices begins.
    pub seed: u64,
}

fn number<T: std::str::FromStr>(word: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{word}`?"))
}

impl Settings {
    /// Reads one driver.
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
            lacks: Vec::new(),
            devices: 1,
            parts: 0,
            copies: 2,
            computes: 2,
            memory: 4096 << 20,
            fill: 16,
            integrated: false,
            fifo: false,
            one_stream: false,
            seed: 1,
        };
        for word in words {
            match word.split_once('=') {
                Some(("devices", text)) => settings.devices = number(word, text)?,
                Some(("parts", text)) => settings.parts = number(word, text)?,
                Some(("copies", text)) => settings.copies = number(word, text)?,
                Some(("computes", text)) => settings.computes = number(word, text)?,
                Some(("memory", text)) => settings.memory = number::<u64>(word, text)? << 20,
                Some(("fill", text)) => settings.fill = number(word, text)?,
                Some(("seed", text)) => settings.seed = number(word, text)?,
                None if word == "integrated" => settings.integrated = true,
                None if word == "fifo" => settings.fifo = true,
                None if word == "one-stream" => settings.one_stream = true,
                _ => match word.strip_prefix('-') {
                    Some(part) if PARTS.iter().any(|(name, _)| *name == part) => {
                        settings.lacks.push(part.to_owned());
                    }
                    _ => return Err(format!("`{word}`?")),
                },
            }
        }
        Ok(settings)
    }

    /// Reads all drivers.
    ///
    /// # Errors
    /// The word that is not understood.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        let all = text.split(';').filter(|one| !one.trim().is_empty());
        all.map(Self::parse).collect()
    }

    /// Whether it is of version 1.`minor` or later.
    pub fn since(&self, minor: u16) -> bool {
        self.version >= (1, minor)
    }

    /// Whether it has a part that can be left out.
    pub fn has(&self, part: &str) -> bool {
        let since = PARTS.iter().find(|(name, _)| *name == part);
        since.is_some_and(|(_, minor)| self.since(*minor))
            && !self.lacks.iter().any(|lacks| lacks == part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_are_read() {
        let all = Settings::parse_all("1.3 devices=2 parts=3 -images ; 1.0 fifo memory=16")
            .expect("two drivers");
        assert_eq!(all.len(), 2);
        assert_eq!(
            (all[0].version, all[0].devices, all[0].parts),
            ((1, 3), 2, 3)
        );
        assert!(!all[0].has("images") && all[0].has("copy") && !all[0].has("in-order"));
        assert!(all[1].fifo && !all[0].fifo);
        assert_eq!(all[1].memory, 16 << 20);
        assert_eq!(Settings::parse_all(""), Ok(Vec::new()));
        for broken in [
            "x",
            "1",
            "1.2 devices=x",
            "1.2 a=b",
            "1.2 word",
            "1.2 -word",
        ] {
            assert!(Settings::parse_all(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn the_newest_version_has_every_part() {
        let all = Settings::parse_all(EVERYTHING).expect("a driver");
        assert_eq!(all[0].version, NEWEST);
        assert!(PARTS.iter().all(|(part, _)| all[0].has(part)));
        let first = Settings::parse("1.0").expect("a driver");
        assert!(first.has("copy") && !first.has("sync") && !first.has("counters"));
        assert!(!first.has("nothing"));
    }
}

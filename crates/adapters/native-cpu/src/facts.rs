//! What this machine is: read once, from the processor itself, `/proc` and `/sys`.

use std::arch::x86_64::__cpuid;
use std::fs;
use std::sync::OnceLock;

/// Facts that device info is made of.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Marketing name of the processor.
    pub name: String,
    /// Its maker.
    pub vendor: String,
    /// PCI vendor number of the maker, 0 if unknown.
    pub vendor_id: u32,
    /// Family, model and stepping as the processor encodes them.
    pub signature: u32,
    /// Highest clock in MHz, 0 if unknown.
    pub clock_mhz: u32,
    /// Bytes of the level-2 cache of a core.
    pub cache_size: u64,
    /// Bytes of a cache line.
    pub cache_line: u32,
    /// Bytes of memory this process may use.
    pub memory: u64,
    /// Bytes in the widest vector register.
    pub vector_bytes: u32,
    /// CPUs of each NUMA node that this process may use, nodes without any left out.
    pub nodes: Vec<u32>,
}

/// The facts of this machine.
pub fn get() -> &'static Facts {
    static FACTS: OnceLock<Facts> = OnceLock::new();
    crate::fork::once(&FACTS, read)
}

/// Bytes of memory that could be allocated now, if the system tells.
pub fn free_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let available = meminfo(&text, "MemAvailable:")?;
    Some(available.min(get().memory))
}

fn read() -> Facts {
    let vendor_text = vendor_text();
    let (vendor, vendor_id) = match vendor_text.as_str() {
        "GenuineIntel" => ("Intel(R) Corporation".to_owned(), 0x8086),
        "AuthenticAMD" => ("Advanced Micro Devices, Inc.".to_owned(), 0x1022),
        "HygonGenuine" => ("Hygon".to_owned(), 0x1d94),
        "CentaurHauls" | "  Shanghai  " => ("Zhaoxin".to_owned(), 0x1d17),
        _ => (vendor_text, 0),
    };
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    Facts {
        name: brand().unwrap_or_else(|| format!("{vendor} CPU")),
        vendor,
        vendor_id,
        signature: __cpuid(1).eax,
        clock_mhz: clock_mhz(&cpuinfo),
        cache_size: cache(2, "size").unwrap_or(0),
        cache_line: cache(1, "coherency_line_size")
            .and_then(|size| u32::try_from(size).ok())
            .filter(|size| size.is_power_of_two())
            .unwrap_or(64),
        memory: memory(),
        vector_bytes: if is_x86_feature_detected!("avx512f") {
            64
        } else if is_x86_feature_detected!("avx") {
            32
        } else {
            16
        },
        nodes: nodes(),
    }
}

fn vendor_text() -> String {
    let leaf = __cpuid(0);
    let bytes: Vec<u8> = [leaf.ebx, leaf.edx, leaf.ecx]
        .iter()
        .flat_map(|register| register.to_le_bytes())
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The name that the processor carries in its extended leaves.
fn brand() -> Option<String> {
    if __cpuid(0x8000_0000).eax < 0x8000_0004 {
        return None;
    }
    let bytes: Vec<u8> = (0x8000_0002..=0x8000_0004)
        .flat_map(|leaf| {
            let leaf = __cpuid(leaf);
            [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx]
        })
        .flat_map(u32::to_le_bytes)
        .take_while(|byte| *byte != 0)
        .collect();
    let text = String::from_utf8_lossy(&bytes);
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn clock_mhz(cpuinfo: &str) -> u32 {
    let path = "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq";
    if let Some(khz) = number(path) {
        return (khz / 1000) as u32;
    }
    cpuinfo_mhz(cpuinfo)
}

fn cpuinfo_mhz(text: &str) -> u32 {
    text.lines()
        .filter_map(|line| line.strip_prefix("cpu MHz"))
        .filter_map(|rest| {
            rest.trim_start_matches([' ', '\t', ':'])
                .parse::<f64>()
                .ok()
        })
        .fold(0.0, f64::max) as u32
}

fn number(path: &str) -> Option<u64> {
    size(fs::read_to_string(path).ok()?.trim())
}

/// A number with an optional suffix K, M or G.
fn size(text: &str) -> Option<u64> {
    let (digits, scale) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        b'G' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(scale)
}

/// A property of the data or unified cache of a level.
fn cache(level: u64, property: &str) -> Option<u64> {
    let folder = "/sys/devices/system/cpu/cpu0/cache";
    (0..8)
        .map(|index| format!("{folder}/index{index}"))
        .filter(|cache| number(&format!("{cache}/level")) == Some(level))
        .find(|cache| {
            fs::read_to_string(format!("{cache}/type"))
                .is_ok_and(|kind| kind.trim() != "Instruction")
        })
        .and_then(|cache| number(&format!("{cache}/{property}")))
}

fn meminfo(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(key))?;
    let kib: u64 = line[key.len()..]
        .trim()
        .trim_end_matches("kB")
        .trim()
        .parse()
        .ok()?;
    kib.checked_mul(1024)
}

/// Memory of the machine, or what the control group of the process allows if that is less.
fn memory() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| meminfo(&text, "MemTotal:"))
        .unwrap_or(1 << 30);
    let limits = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ];
    limits
        .into_iter()
        .filter_map(number)
        .fold(machine, u64::min)
}

/// The CPUs in a list such as `0-3,8`.
fn cpu_list(text: &str) -> Vec<usize> {
    text.trim()
        .split(',')
        .filter_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some(first.parse().ok()?..=last.parse().ok()?)
        })
        .flatten()
        .collect()
}

fn nodes() -> Vec<u32> {
    // SAFETY: a zeroed set is an empty one, filled in by the call.
    let allowed = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set);
        set
    };
    let usable = |cpu: &usize| {
        // SAFETY: the number is inside the set.
        *cpu < libc::CPU_SETSIZE as usize && unsafe { libc::CPU_ISSET(*cpu, &allowed) }
    };
    let folder = "/sys/devices/system/node";
    let online = fs::read_to_string(format!("{folder}/online")).unwrap_or_default();
    cpu_list(&online)
        .into_iter()
        .filter_map(|node| fs::read_to_string(format!("{folder}/node{node}/cpulist")).ok())
        .map(|list| cpu_list(&list).iter().filter(|cpu| usable(cpu)).count() as u32)
        .filter(|count| *count > 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_sensible_facts() {
        let facts = get();
        assert!(!facts.name.is_empty() && !facts.vendor.is_empty());
        assert!(facts.signature != 0);
        assert!(facts.memory > 64 << 20);
        assert!(facts.cache_line.is_power_of_two());
        assert!(matches!(facts.vector_bytes, 16 | 32 | 64));
        assert!(free_memory().is_none_or(|free| free <= facts.memory));
    }

    #[test]
    fn texts_are_read() {
        assert_eq!(size("512K"), Some(512 << 10));
        assert_eq!(size("64"), Some(64));
        assert_eq!(size("max"), None);
        assert_eq!(size(""), None);
        assert_eq!(cpu_list("0-2,5\n"), [0, 1, 2, 5]);
        assert!(cpu_list("").is_empty());
        assert_eq!(
            meminfo("A: 1 kB\nMemTotal:   16 kB\n", "MemTotal:"),
            Some(16384)
        );
        let two = "cpu MHz\t\t: 2445.4\nflags: x\ncpu MHz\t\t: 2500.9\n";
        assert_eq!(cpuinfo_mhz(two), 2500);
        assert_eq!(cpuinfo_mhz(""), 0);
    }
}

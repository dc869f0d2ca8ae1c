//! What a library's file says about itself, before it is opened.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Read at first: the header, and the list of segments, which linkers put right behind it.
const HEAD: usize = 1024;
/// Longest dynamic section that is looked through; usual ones have a few hundred bytes.
const LONGEST: usize = 4096;

const SEGMENT: usize = 56;
const PT_DYNAMIC: u64 = 2;
const DT_BIND_NOW: u64 = 24;
const DT_FLAGS: u64 = 30;
const DF_BIND_NOW: u64 = 8;
const DT_FLAGS_1: u64 = 0x6fff_fffb;
const DF_1_NOW: u64 = 1;

/// A number of `N` bytes at a place; `None` past the end.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(bytes.get(at..)?.first_chunk::<N>()?);
    Some(u64::from_le_bytes(wide))
}

/// Whether ld.so binds all of a library's symbols when it opens it, whoever asks it to and how,
/// because the library was linked like that (`-z now`). False for what cannot be told.
pub fn binds_at_once(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| says_so(&file).unwrap_or(false))
}

fn says_so(file: &File) -> Option<bool> {
    let mut head = [0; HEAD];
    let length = file.read_at(&mut head, 0).ok()?;
    let head = &head[..length];
    // 64 bits, little-endian.
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let first = usize::try_from(number::<8>(head, 32)?).ok()?;
    let count = number::<2>(head, 56)? as usize;
    let dynamic = (0..count)
        .map_while(|index| head.get(first.checked_add(index * SEGMENT)?..))
        .find(|segment| number::<4>(segment, 0) == Some(PT_DYNAMIC))?;
    let size = usize::try_from(number::<8>(dynamic, 32)?).ok()?;
    let mut entries = [0; LONGEST];
    let entries = entries.get_mut(..size)?;
    file.read_exact_at(entries, number::<8>(dynamic, 8)?).ok()?;
    let mut tags = entries
        .chunks_exact(16)
        .filter_map(|entry| Some((number::<8>(entry, 0)?, number::<8>(entry, 8)?)))
        .take_while(|(tag, _)| *tag != 0);
    Some(tags.any(|(tag, value)| match tag {
        DT_BIND_NOW => true,
        DT_FLAGS => value & DF_BIND_NOW != 0,
        DT_FLAGS_1 => value & DF_1_NOW != 0,
        _ => false,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn scratch(name: &str) -> std::path::PathBuf {
        let name = format!("ur-elf-{}-{name}", std::process::id());
        std::env::temp_dir().join(name)
    }

    #[test]
    fn libraries_say_how_they_were_linked() {
        for (option, wanted) in [("-Wl,-z,now", true), ("-Wl,-z,lazy", false)] {
            let path = scratch(&format!("{wanted}.so"));
            let status = Command::new("cc")
                .args(["-shared", "-fPIC", "-x", "c", "/dev/null", option, "-o"])
                .arg(&path)
                .status();
            assert!(status.expect("the compiler starts").success());
            assert_eq!(binds_at_once(&path), wanted, "{option}");
            let bytes = std::fs::read(&path).expect("the library");
            // Cut anywhere it says nothing, or what it said.
            for length in (0..bytes.len()).step_by(97) {
                std::fs::write(&path, &bytes[..length]).expect("written");
                assert!(!binds_at_once(&path) || wanted, "{option} {length}");
            }
            // And so does nonsense in place of places and lengths.
            for at in 0..HEAD.min(bytes.len()) {
                let mut bad = bytes.clone();
                bad[at] ^= 0xff;
                std::fs::write(&path, &bad).expect("written");
                binds_at_once(&path);
            }
            std::fs::remove_file(&path).expect("removed");
        }
    }

    #[test]
    fn what_is_no_library_says_nothing() {
        for path in ["/no/such/file", "/", "/dev/null", "/etc/passwd"] {
            assert!(!binds_at_once(Path::new(path)), "{path}");
        }
    }
}

//! The identification of a build that linkers write into ELF files.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

const PT_NOTE: u32 = 4;
const NT_GNU_BUILD_ID: u32 = 3;

/// The identification in the library at `path`, if it has one.
pub fn read(path: &Path) -> Option<Vec<u8>> {
    let file = File::open(path).ok()?;
    let mut head = [0u8; 64];
    file.read_exact_at(&mut head, 0).ok()?;
    // 64 bits, little-endian.
    if head[..6] != *b"\x7fELF\x02\x01" {
        return None;
    }
    let number = |bytes: &[u8], at: usize, len: usize| {
        let mut wide = [0u8; 8];
        wide[..len].copy_from_slice(bytes.get(at..at + len)?);
        Some(u64::from_le_bytes(wide))
    };
    let (table, size, count) = (
        number(&head, 32, 8)?,
        number(&head, 54, 2)?,
        number(&head, 56, 2)?,
    );
    (0..count).find_map(|index| {
        let mut header = [0u8; 56];
        let at = table.checked_add(index * size)?;
        file.read_exact_at(&mut header, at).ok()?;
        if number(&header, 0, 4)? != u64::from(PT_NOTE) {
            return None;
        }
        let len = usize::try_from(number(&header, 32, 8)?).ok()?;
        let mut notes = vec![0; len.min(1 << 16)];
        file.read_exact_at(&mut notes, number(&header, 8, 8)?)
            .ok()?;
        build_id(&notes)
    })
}

/// The identification among notes.
fn build_id(mut notes: &[u8]) -> Option<Vec<u8>> {
    loop {
        let (head, rest) = notes.split_first_chunk::<12>()?;
        let word =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (name, value) = (word(0) as usize, word(4) as usize);
        let value_at = name.checked_next_multiple_of(4)?;
        let found = rest.get(value_at..value_at.checked_add(value)?)?;
        if word(8) == NT_GNU_BUILD_ID && rest.get(..name)? == b"GNU\0" {
            return Some(found.to_vec());
        }
        notes = rest.get(value_at + value.checked_next_multiple_of(4)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_walked() {
        let note = |kind: u8, name: &[u8], value: &[u8]| {
            let mut bytes = vec![
                name.len() as u8,
                0,
                0,
                0,
                value.len() as u8,
                0,
                0,
                0,
                kind,
                0,
                0,
                0,
            ];
            bytes.extend(name);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes.extend(value);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes
        };
        let mut notes = note(1, b"GNU\0", &[1, 2, 3]);
        notes.extend(note(3, b"Other\0", &[9; 5]));
        notes.extend(note(3, b"GNU\0", &[7; 20]));
        assert_eq!(build_id(&notes), Some(vec![7; 20]));
        for len in 0..notes.len() {
            assert_eq!(build_id(&notes[..len]), None, "{len}");
        }
        assert_eq!(build_id(&[0xff; 64]), None);
    }
}

//! Machine code that can be put anywhere in memory, and putting it there.
//!
//! An image is a part that is executed and, from the next page on, a part that holds data. What
//! refers from one to the other is relative to where it stands, so the code needs no change. Words
//! of the data part that hold addresses are listed: of a place in the image itself, or of something
//! that the image imports by name. Loading is a copy and a write for each such word.

use std::ffi::c_void;
use std::ptr;

use crate::wire::{Malformed, Reader, Writer};

/// Pages are this large; the data part starts on one.
pub const PAGE: usize = 4096;

/// Most bytes of an image in memory.
pub const MAX_CODE: u64 = 2 << 30;

/// Name under which code imports the memory of its module's variables.
pub const STORAGE: &str = "ur.storage";

/// A word that holds an address, at `slot` bytes from the start of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixup {
    /// Where the eight bytes stand; inside of the data part.
    pub slot: u32,
    /// Number of the import that is meant, or [`Fixup::SELF`] for the image itself.
    pub import: u32,
    /// What is added to its address.
    pub addend: u64,
}

impl Fixup {
    /// The image itself.
    pub const SELF: u32 = u32::MAX;
}

/// Code and data with everything that must be known to place them in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeImage {
    /// What is executed; stands at the start.
    pub text: Vec<u8>,
    /// Data; stands at the first page border behind the text.
    pub data: Vec<u8>,
    /// Bytes of zeros behind the data.
    pub zeros: u64,
    /// Whether the data may be written to.
    pub writable: bool,
    /// Names of what is needed from outside.
    pub imports: Vec<String>,
    /// Words to be filled in.
    pub fixups: Vec<Fixup>,
    /// Names of places in the image, and their distance from its start.
    pub exports: Vec<(String, u32)>,
}

impl CodeImage {
    /// Where the data part starts.
    pub fn data_start(&self) -> usize {
        self.text.len().next_multiple_of(PAGE)
    }

    /// Bytes that it takes in memory.
    pub fn size(&self) -> u64 {
        self.data_start() as u64 + self.data.len() as u64 + self.zeros
    }

    /// Appends the byte form.
    pub fn write(&self, to: &mut Writer) {
        to.u32(u32::from(self.writable));
        to.u64(self.zeros);
        to.count(self.imports.len());
        to.count(self.fixups.len());
        to.count(self.exports.len());
        for name in &self.imports {
            to.bytes(name.as_bytes());
        }
        for fixup in &self.fixups {
            to.u32(fixup.slot);
            to.u32(fixup.import);
            to.u64(fixup.addend);
        }
        for (name, place) in &self.exports {
            to.bytes(name.as_bytes());
            to.u32(*place);
        }
        to.bytes(&self.text);
        to.bytes(&self.data);
    }

    /// Reads the byte form.
    ///
    /// # Errors
    /// The part that makes no sense.
    pub fn read(from: &mut Reader<'_>) -> Result<CodeImage, Malformed> {
        let writable = match from.u32("image kind")? {
            0 => false,
            1 => true,
            _ => return Err(Malformed("image kind")),
        };
        let zeros = from.u64("image size")?;
        let imports = from.count(8, "number of imports")?;
        let fixups = from.count(16, "number of fixups")?;
        let exports = from.count(12, "number of exports")?;
        // Each was found to fit by itself.
        if imports * 8 + fixups * 16 + exports * 12 > from.0.len() {
            return Err(Malformed("number of exports"));
        }
        let imports = from.list(imports, |from| Ok(from.text("import")?.to_owned()))?;
        let fixups = from.list(fixups, |from| {
            Ok(Fixup {
                slot: from.u32("fixup")?,
                import: from.u32("fixup")?,
                addend: from.u64("fixup")?,
            })
        })?;
        let exports = from.list(exports, |from| {
            let name = from.text("export")?.to_owned();
            Ok((name, from.u32("export")?))
        })?;
        let image = CodeImage {
            text: from.bytes("code")?.to_vec(),
            data: from.bytes("data")?.to_vec(),
            zeros,
            writable,
            imports,
            fixups,
            exports,
        };
        image.check()?;
        Ok(image)
    }

    /// Checks that everything named lies inside.
    fn check(&self) -> Result<(), Malformed> {
        if self.zeros > MAX_CODE || self.size() > MAX_CODE {
            return Err(Malformed("image size"));
        }
        let (start, end) = (self.data_start() as u64, self.data.len() as u64);
        let inside = |fixup: &Fixup| {
            let slot = u64::from(fixup.slot);
            let known = fixup.import == Fixup::SELF || (fixup.import as usize) < self.imports.len();
            known && slot >= start && slot + 8 <= start + end
        };
        if !self.fixups.iter().all(inside) {
            return Err(Malformed("fixup"));
        }
        let size = self.size();
        if self.exports.iter().any(|(_, at)| u64::from(*at) > size) {
            return Err(Malformed("export"));
        }
        Ok(())
    }
}

/// An image in memory; dropping it frees the memory.
#[derive(Debug)]
pub struct Loaded {
    start: *mut u8,
    size: usize,
    exports: Vec<(String, u32)>,
}

// SAFETY: the memory is not changed by this object once it is made, and stays where it is.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl Loaded {
    /// Puts an image into memory. `resolve` gives the address of an import.
    ///
    /// # Errors
    /// An import that is not known, an image that makes no sense, or what the system says.
    pub fn new(
        image: &CodeImage,
        mut resolve: impl FnMut(&str) -> Option<usize>,
    ) -> Result<Loaded, String> {
        image.check().map_err(|error| error.to_string())?;
        let size = usize::try_from(image.size()).map_err(|error| error.to_string())?;
        let mut loaded = Loaded {
            start: ptr::null_mut(),
            size: size.next_multiple_of(PAGE),
            exports: image.exports.clone(),
        };
        if size == 0 {
            return Ok(loaded);
        }
        let mut addresses = Vec::with_capacity(image.imports.len());
        for name in &image.imports {
            let address = resolve(name).ok_or_else(|| format!("the function {name} is unknown"))?;
            addresses.push(address as u64);
        }
        let system = |what: &str| format!("{what}: {}", std::io::Error::last_os_error());
        // SAFETY: asks for new memory, which belongs to nobody else.
        let start = unsafe {
            libc::mmap(
                ptr::null_mut(),
                loaded.size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(system("no memory for code"));
        }
        loaded.start = start.cast();
        let data_start = image.data_start();
        // SAFETY: the image was checked: text, data and each slot lie inside of the memory just
        // made, which is writable and ours alone.
        unsafe {
            ptr::copy_nonoverlapping(image.text.as_ptr(), loaded.start, image.text.len());
            let data = loaded.start.add(data_start);
            ptr::copy_nonoverlapping(image.data.as_ptr(), data, image.data.len());
            for fixup in &image.fixups {
                let base = match addresses.get(fixup.import as usize) {
                    Some(address) => *address,
                    None => loaded.start as u64,
                };
                let slot = loaded.start.add(fixup.slot as usize).cast::<u64>();
                slot.write_unaligned(base.wrapping_add(fixup.addend));
            }
        }
        let executed = libc::PROT_READ | libc::PROT_EXEC;
        let failed = |start: *mut u8, size: usize, rights: i32| {
            // SAFETY: changes pages of the memory made above, which nobody uses yet.
            size > 0 && unsafe { libc::mprotect(start.cast::<c_void>(), size, rights) } != 0
        };
        let data = loaded.start.wrapping_add(data_start);
        if failed(loaded.start, data_start, executed)
            || (!image.writable && failed(data, loaded.size - data_start, libc::PROT_READ))
        {
            return Err(system("code cannot be made executable"));
        }
        Ok(loaded)
    }

    /// Where it stands; dangling for an empty image.
    pub fn start(&self) -> usize {
        self.start as usize
    }

    /// Address of an export.
    pub fn find(&self, name: &str) -> Option<usize> {
        let (_, at) = self.exports.iter().find(|(known, _)| known == name)?;
        Some(self.start as usize + *at as usize)
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if !self.start.is_null() {
            // SAFETY: the memory is ours, and whoever frees code promises that no thread runs it.
            unsafe { libc::munmap(self.start.cast(), self.size) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function that adds one to what the data part points to: the data holds the address of a
    /// number of the test.
    fn sample() -> CodeImage {
        // mov rax, [rip + data]; mov eax, [rax]; add eax, 1; ret
        let mut text = vec![0x48, 0x8b, 0x05];
        text.extend((PAGE as i32 + 8 - 7).to_le_bytes());
        text.extend([0x8b, 0x00, 0x83, 0xc0, 0x01, 0xc3]);
        CodeImage {
            text,
            data: vec![0; 16],
            zeros: 8,
            writable: false,
            imports: vec!["number".into()],
            fixups: vec![
                Fixup {
                    slot: PAGE as u32 + 8,
                    import: 0,
                    addend: 4,
                },
                Fixup {
                    slot: PAGE as u32,
                    import: Fixup::SELF,
                    addend: 3,
                },
            ],
            exports: vec![("next".into(), 0), ("data".into(), PAGE as u32)],
        }
    }

    #[test]
    fn code_runs_where_it_is_put() {
        let numbers = [1u32, 41];
        let image = sample();
        let loaded = Loaded::new(&image, |name| {
            (name == "number").then_some(numbers.as_ptr() as usize)
        })
        .unwrap();
        // SAFETY: the bytes above are a function of this type.
        let next: extern "C" fn() -> u32 =
            unsafe { std::mem::transmute(loaded.find("next").unwrap()) };
        assert_eq!(next(), 42);
        // SAFETY: the data part starts with a word that was filled in.
        let word = unsafe { (loaded.find("data").unwrap() as *const u64).read() };
        assert_eq!(word, loaded.start() as u64 + 3);
        assert_eq!(loaded.find("nothing"), None);
        let unknown = Loaded::new(&image, |_| None).unwrap_err();
        assert!(unknown.contains("number"), "{unknown}");
    }

    #[test]
    fn byte_form_comes_back_and_damage_is_found_or_harmless() {
        let image = sample();
        let mut writer = Writer::default();
        image.write(&mut writer);
        let bytes = writer.0;
        assert_eq!(CodeImage::read(&mut Reader(&bytes)), Ok(image));
        for len in 0..bytes.len() {
            assert!(
                CodeImage::read(&mut Reader(&bytes[..len])).is_err(),
                "{len}"
            );
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                // What can be read can be loaded: nothing is written outside.
                if let Ok(image) = CodeImage::read(&mut Reader(&changed)) {
                    let _ = Loaded::new(&image, |_| Some(0));
                }
            }
        }
    }

    #[test]
    fn fixups_outside_are_refused() {
        let words = [
            0,
            PAGE as u32 - 1,
            PAGE as u32 + 9,
            PAGE as u32 + 16,
            u32::MAX,
        ];
        for slot in words {
            let mut image = sample();
            image.fixups[0].slot = slot;
            assert!(Loaded::new(&image, |_| Some(0)).is_err(), "{slot}");
        }
        let mut image = sample();
        image.fixups[0].import = 1;
        assert!(Loaded::new(&image, |_| Some(0)).is_err());
        image.zeros = u64::MAX;
        assert!(Loaded::new(&image, |_| Some(0)).is_err());
    }

    #[test]
    fn writable_data_is_written() {
        let image = CodeImage {
            data: vec![7; 8],
            zeros: 100_000,
            writable: true,
            ..CodeImage::default()
        };
        let loaded = Loaded::new(&image, |_| None).unwrap();
        let bytes = loaded.start() as *mut u8;
        // SAFETY: the image has that many bytes, which may be written.
        unsafe {
            assert_eq!((bytes.read(), bytes.add(100_007).read()), (7, 0));
            bytes.add(100_007).write(1);
        }
    }
}

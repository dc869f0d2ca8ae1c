//! From an object file of LLVM's to code that can be put anywhere in memory.
//!
//! Sections become two parts, one to be executed and one of data, whose distance is fixed: so all
//! that is relative is settled here. What is left for loading are words in the data part. Code
//! reaches functions outside through such words, since they may be further away than a call can
//! say.

use std::collections::HashMap;

use object::elf;
use object::read::elf::ElfFile64;
use object::{
    Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags,
    SectionIndex, SectionKind, SymbolIndex, SymbolSection,
};
use ur_jit_abi::code::{CodeImage, Fixup, Loaded, PAGE};

use crate::runtime;

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Meaning {
    /// A place in the image.
    Here(u64),
    /// An import, by its number.
    Import(u32),
}

/// An image under construction.
struct Linker<'f> {
    file: ElfFile64<'f>,
    image: CodeImage,
    /// Where each section stands.
    places: HashMap<SectionIndex, u64>,
    /// Imports by name.
    imports: HashMap<String, u32>,
    /// Words that hold addresses for code to load, by what they hold.
    words: HashMap<Meaning, u64>,
    /// Jumps to imports.
    stubs: HashMap<u32, u64>,
    /// Where stubs go: behind the text proper, in room left for them.
    next_stub: usize,
}

/// Bytes of a jump through a word.
const STUB: usize = 8;

/// Links an object file into an image that exports `exports`.
///
/// # Errors
/// What in the file is not understood. LLVM writes nothing of the kind for position-independent
/// code without thread-local variables.
pub fn link(object: &[u8], exports: &[&str]) -> Result<CodeImage, String> {
    let file = ElfFile64::parse(object).map_err(|error| error.to_string())?;
    let mut linker = Linker {
        file,
        image: CodeImage::default(),
        places: HashMap::new(),
        imports: HashMap::new(),
        words: HashMap::new(),
        stubs: HashMap::new(),
        next_stub: 0,
    };
    linker.place()?;
    linker.relocate()?;
    for name in exports {
        let mut symbols = linker.file.symbols();
        let symbol = symbols
            .find(|symbol| symbol.name() == Ok(name))
            .ok_or_else(|| format!("the object file has no {name}"))?;
        match linker.meaning(symbol.index())? {
            Meaning::Here(at) => {
                let at = u32::try_from(at).map_err(|error| error.to_string())?;
                linker.image.exports.push(((*name).to_owned(), at));
            }
            Meaning::Import(_) => return Err(format!("the object file only uses {name}")),
        }
    }
    Ok(linker.image)
}

/// What a section becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Text,
    Data,
    Zeros,
}

impl Linker<'_> {
    /// Puts every section somewhere. Unwinding tables are left out: nothing unwinds through kernels.
    fn place(&mut self) -> Result<(), String> {
        let mut sections = Vec::new();
        let mut calls = 0;
        for section in self.file.sections() {
            let SectionFlags::Elf { sh_flags } = section.flags() else {
                continue;
            };
            let name = section.name().unwrap_or_default();
            if sh_flags & u64::from(elf::SHF_ALLOC) == 0 || name == ".eh_frame" {
                continue;
            }
            if sh_flags & u64::from(elf::SHF_TLS) != 0 {
                return Err("thread-local variables".to_owned());
            }
            let part = if sh_flags & u64::from(elf::SHF_EXECINSTR) != 0 {
                calls += section.relocations().count();
                Part::Text
            } else if section.kind() == SectionKind::UninitializedData {
                Part::Zeros
            } else {
                Part::Data
            };
            if sh_flags & u64::from(elf::SHF_WRITE) != 0
                && section.size() > 0
                && !name.starts_with(".data.rel.ro")
            {
                self.image.writable = true;
            }
            sections.push((section.index(), part, section.align(), section.size()));
        }
        let copy = |linker: &mut Self, wanted: Part| -> Result<(), String> {
            for (index, part, align, _) in &sections {
                if *part != wanted {
                    continue;
                }
                let align = usize::try_from(*align).unwrap_or(0).max(1);
                if align > PAGE {
                    return Err(format!("a section aligned to {align}"));
                }
                let section = linker.file.section_by_index(*index);
                let section = section.map_err(|error| error.to_string())?;
                let bytes = section.data().map_err(|error| error.to_string())?;
                let (start, buffer) = match wanted {
                    Part::Text => (0, &mut linker.image.text),
                    _ => (linker.image.data_start(), &mut linker.image.data),
                };
                buffer.resize(buffer.len().next_multiple_of(align), 0);
                linker.places.insert(*index, (start + buffer.len()) as u64);
                buffer.extend_from_slice(bytes);
            }
            Ok(())
        };
        copy(self, Part::Text)?;
        // As much room as there can be stubs, since the data part's place must be known now.
        self.next_stub = self.image.text.len().next_multiple_of(STUB);
        let distinct = self.file.symbols().filter(|s| s.is_undefined()).count();
        let room = self.next_stub + STUB * distinct.min(calls);
        self.image.text.resize(room, 0xcc);
        copy(self, Part::Data)?;
        // Words for addresses follow during relocation, and zeros behind them; so sections of
        // zeros are given their place by making them data. They are rare and small in kernels.
        for (index, part, align, size) in sections {
            if part == Part::Zeros {
                let align = usize::try_from(align).unwrap_or(1).clamp(1, PAGE);
                let size = usize::try_from(size).map_err(|error| error.to_string())?;
                let start = self.image.data.len().next_multiple_of(align);
                self.image.data.resize(start + size, 0);
                let at = self.image.data_start() + start;
                self.places.insert(index, at as u64);
            }
        }
        Ok(())
    }

    /// What a symbol stands for.
    fn meaning(&mut self, index: SymbolIndex) -> Result<Meaning, String> {
        let symbol = self.file.symbol_by_index(index);
        let symbol = symbol.map_err(|error| error.to_string())?;
        match symbol.section() {
            SymbolSection::Section(section) => {
                let place = self.places.get(&section);
                let place = place.ok_or("a symbol of a section that is left out")?;
                Ok(Meaning::Here(place + symbol.address()))
            }
            SymbolSection::Undefined => {
                let name = symbol.name().map_err(|error| error.to_string())?;
                if let Some(number) = self.imports.get(name) {
                    return Ok(Meaning::Import(*number));
                }
                let number = u32::try_from(self.imports.len()).unwrap_or(u32::MAX);
                self.imports.insert(name.to_owned(), number);
                self.image.imports.push(name.to_owned());
                Ok(Meaning::Import(number))
            }
            other => Err(format!("a symbol in {other:?}")),
        }
    }

    /// Has loading put the address of `meaning` plus `addend` at `slot`.
    fn fix(&mut self, slot: u64, meaning: Meaning, addend: i64) -> Result<(), String> {
        let (import, base) = match meaning {
            Meaning::Here(at) => (Fixup::SELF, at),
            Meaning::Import(number) => (number, 0),
        };
        self.image.fixups.push(Fixup {
            slot: u32::try_from(slot).map_err(|error| error.to_string())?,
            import,
            addend: base.wrapping_add_signed(addend),
        });
        Ok(())
    }

    /// A word of the data part that holds the address of `meaning`.
    fn word(&mut self, meaning: Meaning) -> Result<u64, String> {
        if let Some(at) = self.words.get(&meaning) {
            return Ok(*at);
        }
        let start = self.image.data.len().next_multiple_of(8);
        self.image.data.resize(start + 8, 0);
        let at = (self.image.data_start() + start) as u64;
        self.fix(at, meaning, 0)?;
        self.words.insert(meaning, at);
        Ok(at)
    }

    /// A jump to an import.
    fn stub(&mut self, import: u32) -> Result<u64, String> {
        if let Some(at) = self.stubs.get(&import) {
            return Ok(*at);
        }
        let word = self.word(Meaning::Import(import))?;
        let at = self.next_stub;
        let distance = i64::try_from(word).unwrap_or(i64::MAX) - (at as i64 + 6);
        let distance = i32::try_from(distance).map_err(|error| error.to_string())?;
        let room = self.image.text.get_mut(at..at + 6);
        let room = room.ok_or("no room for a jump")?;
        // jmp [rip + distance]
        room[..2].copy_from_slice(&[0xff, 0x25]);
        room[2..].copy_from_slice(&distance.to_le_bytes());
        self.next_stub += STUB;
        self.stubs.insert(import, at as u64);
        Ok(at as u64)
    }

    /// Settles what refers to something else.
    fn relocate(&mut self) -> Result<(), String> {
        let mut all = Vec::new();
        for (index, place) in &self.places {
            let section = self.file.section_by_index(*index);
            let section = section.map_err(|error| error.to_string())?;
            for (offset, relocation) in section.relocations() {
                all.push((place + offset, relocation));
            }
        }
        // The sections come in no order; the image must not depend on that.
        all.sort_by_key(|(at, _)| *at);
        for (at, relocation) in all {
            let RelocationFlags::Elf { r_type } = relocation.flags() else {
                return Err("a relocation that is not ELF's".to_owned());
            };
            let RelocationTarget::Symbol(symbol) = relocation.target() else {
                return Err("a relocation without a symbol".to_owned());
            };
            let meaning = self.meaning(symbol)?;
            let addend = relocation.addend();
            match (r_type, meaning) {
                (elf::R_X86_64_NONE, _) => {}
                (elf::R_X86_64_64, _) => {
                    if at < self.image.data_start() as u64 {
                        return Err("an address among the instructions".to_owned());
                    }
                    self.fix(at, meaning, addend)?;
                }
                (elf::R_X86_64_PC32 | elf::R_X86_64_PLT32, Meaning::Here(target)) => {
                    self.relative(at, target, addend, 4)?;
                }
                (elf::R_X86_64_PC64, Meaning::Here(target)) => {
                    self.relative(at, target, addend, 8)?;
                }
                (elf::R_X86_64_PLT32, Meaning::Import(import)) => {
                    let target = self.stub(import)?;
                    self.relative(at, target, addend, 4)?;
                }
                (
                    elf::R_X86_64_GOTPCREL | elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX,
                    _,
                ) => {
                    let target = self.word(meaning)?;
                    self.relative(at, target, addend, 4)?;
                }
                (other, _) => return Err(format!("relocation {other}")),
            }
        }
        Ok(())
    }

    /// Writes a distance of `size` bytes at `at`.
    fn relative(&mut self, at: u64, target: u64, addend: i64, size: usize) -> Result<(), String> {
        let distance = target.wrapping_add_signed(addend).wrapping_sub(at) as i64;
        if size == 4 && i32::try_from(distance).is_err() {
            return Err("code too large".to_owned());
        }
        let data_start = self.image.data_start() as u64;
        let (buffer, at) = if at < data_start {
            (&mut self.image.text, at)
        } else {
            (&mut self.image.data, at - data_start)
        };
        let at = usize::try_from(at).map_err(|error| error.to_string())?;
        buffer
            .get_mut(at..at + size)
            .ok_or("a relocation outside its section")?
            .copy_from_slice(&distance.to_le_bytes()[..size]);
        Ok(())
    }
}

/// Address of a function of the runtime.
pub fn symbol(name: &str) -> Option<usize> {
    use std::sync::OnceLock;
    static ALL: OnceLock<HashMap<&'static str, usize>> = OnceLock::new();
    ALL.get_or_init(|| runtime::symbols().into_iter().collect())
        .get(name)
        .copied()
}

/// Links an object file and puts it into memory; what it imports are functions of the runtime.
///
/// # Errors
/// As [`link`], and an import that is not there.
pub fn load(object: &[u8], exports: &[&str]) -> Result<Loaded, String> {
    Loaded::new(&link(object, exports)?, symbol)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{Context, Target};

    fn object(text: &str) -> Vec<u8> {
        let context = Context::new();
        let module = context.parse(text).expect("parses");
        let target = Target::new(None, None).expect("host target");
        target.object(&module).expect("emits").bytes().to_vec()
    }

    fn loaded(text: &str, exports: &[&str]) -> Loaded {
        load(&object(text), exports).expect("links")
    }

    fn function(code: &Loaded, name: &str) -> extern "C" fn(i64) -> i64 {
        let at = code.find(name).expect("exported");
        // SAFETY: all functions of these tests have this type.
        unsafe { std::mem::transmute(at) }
    }

    #[test]
    fn tables_of_jumps_and_of_functions() {
        let code = loaded(
            "@table = internal constant [2 x ptr] [ptr @one, ptr @two]
             define internal i64 @one(i64 %x) {
               %y = add i64 %x, 1
               ret i64 %y
             }
             define internal i64 @two(i64 %x) {
               %y = mul i64 %x, 2
               ret i64 %y
             }
             define i64 @called(i64 %x) {
               %i = and i64 %x, 1
               %p = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
               %f = load ptr, ptr %p
               %r = call i64 %f(i64 %x)
               ret i64 %r
             }
             define i64 @jumps(i64 %x) {
               switch i64 %x, label %other [ i64 0, label %a  i64 1, label %b  i64 2, label %c
                                             i64 3, label %d  i64 4, label %a ]
             a: ret i64 10
             b: %m = call i64 @one(i64 %x)
                ret i64 %m
             c: %n = call i64 @two(i64 %x)
                ret i64 %n
             d: ret i64 13
             other: ret i64 -1
             }",
            &["called", "jumps"],
        );
        let called = function(&code, "called");
        assert_eq!((called(4), called(5)), (5, 10));
        let jumps = function(&code, "jumps");
        let all: Vec<i64> = (0..6).map(|x| jumps(x)).collect();
        assert_eq!(all, [10, 2, 4, 13, 10, -1]);
    }

    #[test]
    fn data_constants_and_zeros() {
        let text = "@start = internal global i64 5
             @zeros = internal global [1000 x i64] zeroinitializer, align 64
             @where = internal global ptr getelementptr (i8, ptr @start, i64 0)
             define i64 @count(i64 %x) {
               %p = load ptr, ptr @where
               %a = load i64, ptr %p
               %b = add i64 %a, %x
               store i64 %b, ptr %p
               %z = getelementptr [1000 x i64], ptr @zeros, i64 0, i64 %x
               %c = load i64, ptr %z
               %d = add i64 %c, 1
               store i64 %d, ptr %z
               %r = add i64 %b, %d
               ret i64 %r
             }";
        let (one, other) = (loaded(text, &["count"]), loaded(text, &["count"]));
        assert!(link(&object(text), &["count"]).is_ok_and(|image| image.writable));
        let count = function(&one, "count");
        assert_eq!((count(3), count(3), count(999)), (9, 13, 1011));
        // Each copy has its own.
        assert_eq!(function(&other, "count")(3), 9);
    }

    #[test]
    fn functions_from_outside_are_called_and_compared() {
        let code = loaded(
            "declare double @cos(double)
             declare double @sin(double)
             define i64 @same(i64 %x) {
               %d = sitofp i64 %x to double
               %c = call double @cos(double %d)
               %s = call double @sin(double %d)
               %c2 = fmul double %c, %c
               %s2 = fmul double %s, %s
               %sum = fadd double %c2, %s2
               %big = fmul double %sum, 1.0e6
               %half = fadd double %big, 0.5
               %r = fptosi double %half to i64
               ret i64 %r
             }
             define i64 @address(i64 %x) {
               %r = ptrtoint ptr @cos to i64
               ret i64 %r
             }",
            &["same", "address"],
        );
        assert_eq!(function(&code, "same")(7), 1_000_000);
        let cos = symbol("cos").expect("known");
        assert_eq!(function(&code, "address")(0) as usize, cos);
    }

    #[test]
    fn what_cannot_be_linked_is_an_error() {
        let text = "@own = thread_local global i64 0
             define i64 @get(i64 %x) {
               %r = load i64, ptr @own
               ret i64 %r
             }";
        let reason = link(&object(text), &["get"]).unwrap_err();
        assert!(reason.contains("thread-local"), "{reason}");
        let text = "declare i64 @elsewhere(i64)
             define i64 @f(i64 %x) {
               %r = call i64 @elsewhere(i64 %x)
               ret i64 %r
             }";
        assert!(link(&object(text), &["g"]).is_err());
        assert!(link(&object(text), &["elsewhere"]).is_err());
        let reason = load(&object(text), &["f"]).unwrap_err();
        assert!(reason.contains("elsewhere"), "{reason}");
        assert!(link(b"no object file", &[]).is_err());
    }

    #[test]
    fn the_same_object_gives_the_same_image() {
        let object = object(
            "declare double @cos(double)
             @a = constant double 1.5
             @b = internal constant [3 x i64] [i64 1, i64 2, i64 3]
             define i64 @f(i64 %x) {
               %p = getelementptr [3 x i64], ptr @b, i64 0, i64 %x
               %v = load i64, ptr %p
               %d = sitofp i64 %v to double
               %c = call double @cos(double %d)
               %r = fptosi double %c to i64
               ret i64 %r
             }",
        );
        let first = link(&object, &["f"]).expect("links");
        for _ in 0..20 {
            assert_eq!(link(&object, &["f"]).expect("links"), first);
        }
    }
}

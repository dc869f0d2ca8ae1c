//! Where a module's program-scope variables stand, and what they hold at first.

use std::collections::HashMap;

use ur_jit_abi::code::{CodeImage, Fixup};
use ur_jit_abi::record::{ModuleRecord, Variable};
use ur_spirv::spirv::{Decoration, LinkageType, StorageClass};
use ur_spirv::{Global, Id, Module};

use crate::error::{Error, Result};
use crate::translate::{self, Variables};

/// Most bytes of program-scope variables of a module.
const MAX_STORAGE: u64 = 1 << 30;

/// Largest alignment of a variable.
const MAX_ALIGN: u64 = 4096;

/// Added to every address when initial values are made a second time: no byte of it is 0, so an
/// address differs from its first byte on.
const SHIFT: u64 = 0x0101_0101_0101_0101;

/// The layout of a module's variables with their initial values.
pub struct Storage {
    offsets: HashMap<Id, u64>,
    /// Where the module notes that its initialisers have run.
    state: Option<u64>,
    record: ModuleRecord,
}

/// Whether the module itself holds the variable.
fn is_stored(global: &Global) -> bool {
    let imported = global
        .linkage
        .as_ref()
        .is_some_and(|linkage| linkage.kind == LinkageType::Import);
    !imported
        && matches!(
            global.storage,
            StorageClass::CrossWorkgroup | StorageClass::UniformConstant
        )
}

impl Storage {
    /// Lays out all variables of the module that it defines itself: those with a value first, so
    /// that zeros need not be kept.
    ///
    /// # Errors
    /// Too many bytes, or an initial value that is not supported.
    pub fn new(spv: &Module) -> Result<Self> {
        let mut stored: Vec<&Global> = spv.globals.iter().filter(|g| is_stored(g)).collect();
        stored.sort_by_key(|global| global.init.is_none());
        let mut offsets = HashMap::new();
        let mut variables = Vec::new();
        let (mut end, mut held) = (0u64, 0u64);
        for global in stored {
            // A variable of a type without a size (a sampler, say) fails where it is used.
            let Some(layout) = spv.layout(global.pointee) else {
                continue;
            };
            let align = spv
                .decoration(global.id, Decoration::Alignment)
                .and_then(|decoration| decoration.params.first().copied())
                .map(u64::from)
                .filter(|align| align.is_power_of_two() && *align <= MAX_ALIGN);
            let start = end.next_multiple_of(layout.align.max(align.unwrap_or(1)));
            end = start
                .checked_add(layout.size)
                .filter(|end| *end <= MAX_STORAGE)
                .ok_or_else(|| {
                    Error::unsupported(format!("more than {MAX_STORAGE} bytes of variables"))
                })?;
            if global.init.is_some() {
                held = end;
            }
            offsets.insert(global.id, start);
            if let Some(linkage) = &global.linkage {
                variables.push(Variable {
                    name: linkage.name.clone(),
                    offset: start,
                    size: layout.size,
                });
            }
        }
        let state = spv
            .entry_points
            .iter()
            .any(|e| e.is_initializer())
            .then(|| {
                let at = end.next_multiple_of(8);
                end = at + 8;
                at
            });
        let (data, fixups) = initial(spv, &offsets, held)?;
        Ok(Self {
            offsets,
            state,
            record: ModuleRecord {
                storage: CodeImage {
                    data,
                    zeros: end - held,
                    writable: true,
                    fixups,
                    ..CodeImage::default()
                },
                variables,
            },
        })
    }

    /// What is kept of the module.
    pub fn record(&self) -> &ModuleRecord {
        &self.record
    }
}

/// The first `size` bytes of the storage, and the addresses among them.
fn initial(spv: &Module, offsets: &HashMap<Id, u64>, size: u64) -> Result<(Vec<u8>, Vec<Fixup>)> {
    // Made twice, as if the storage were at two addresses: what differs is an address.
    let mut data = values(spv, offsets, size, 0)?;
    let other = values(spv, offsets, size, SHIFT)?;
    let mut fixups = Vec::new();
    let mut at = 0;
    while let Some(distance) = data[at..]
        .iter()
        .zip(&other[at..])
        .position(|(a, b)| a != b)
    {
        at += distance;
        let address = |bytes: &[u8]| {
            let word = bytes.get(at..at + 8)?;
            Some(u64::from_le_bytes(word.try_into().ok()?))
        };
        let pair = address(&data).zip(address(&other));
        let Some((addend, _)) = pair.filter(|(a, b)| b.wrapping_sub(*a) == SHIFT) else {
            return Err(Error::unsupported("a part of an address in a variable"));
        };
        fixups.push(Fixup {
            slot: u32::try_from(at).map_err(|_| Error::internal("a variable outside"))?,
            import: Fixup::SELF,
            addend,
        });
        data[at..at + 8].fill(0);
        at += 8;
    }
    Ok((data, fixups))
}

/// The first `size` bytes of a storage that stands at `base`.
fn values(spv: &Module, offsets: &HashMap<Id, u64>, size: u64, base: u64) -> Result<Vec<u8>> {
    let outside = || Error::internal("a variable outside its storage");
    let mut bytes = vec![0; usize::try_from(size).map_err(|_| outside())?];
    for global in &spv.globals {
        let (Some(offset), Some(init)) = (offsets.get(&global.id), global.init) else {
            continue;
        };
        let size = spv.layout(global.pointee).map_or(0, |layout| layout.size);
        let start = usize::try_from(*offset).unwrap_or(usize::MAX);
        let place = usize::try_from(size)
            .ok()
            .and_then(|size| bytes.get_mut(start..start.checked_add(size)?))
            .ok_or_else(outside)?;
        let address = |id| Some(base.wrapping_add(*offsets.get(&id)?));
        translate::write_bytes(spv, init, place, &address)?;
    }
    Ok(bytes)
}

impl Variables for Storage {
    fn offset(&self, id: Id) -> Option<u64> {
        self.offsets.get(&id).copied()
    }

    fn size(&self) -> u64 {
        self.record.storage.size()
    }

    fn state(&self) -> Option<u64> {
        self.state
    }
}

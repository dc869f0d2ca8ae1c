//! From a section's bytes to SPIR-V modules.

use std::io::Read;

/// First word of a SPIR-V module.
const SPIRV: u32 = 0x0723_0203;

/// First word of a zstd frame.
const ZSTD: u32 = 0xfd2f_b528;

/// Opcode of `OpEntryPoint`.
const ENTRY_POINT: u32 = 15;

/// Opcode of `OpCapability`; a module begins with these.
const CAPABILITY: u32 = 17;

/// Splits images that stand back to back, SPIR-V as it is or compressed, with any padding between.
///
/// # Errors
/// A compressed image that cannot be decompressed.
pub fn split(bytes: &[u8]) -> anyhow::Result<Vec<Vec<u32>>> {
    let mut modules = Vec::new();
    let mut rest = bytes;
    while let Some(first) = rest.first_chunk::<4>() {
        let taken = match u32::from_le_bytes(*first) {
            SPIRV => {
                let words = module(rest);
                let taken = 4 * words.len();
                modules.push(words);
                taken
            }
            ZSTD => {
                let (content, taken) = decompress(rest)?;
                modules.extend(split_plain(&content));
                taken
            }
            // Compressed images have any length, so what follows them may stand anywhere.
            _ => 1,
        };
        rest = rest.get(taken.max(1)..).unwrap_or(&[]);
    }
    Ok(modules)
}

/// As [`split`], for what comes out of a compressed image.
fn split_plain(mut bytes: &[u8]) -> Vec<Vec<u32>> {
    let mut modules = Vec::new();
    while let Some(first) = bytes.first_chunk::<4>() {
        let mut taken = 4;
        if u32::from_le_bytes(*first) == SPIRV {
            let words = module(bytes);
            taken = 4 * words.len();
            modules.push(words);
        }
        bytes = bytes.get(taken..).unwrap_or(&[]);
    }
    modules
}

/// The words of the module that `bytes` begin with: instruction by instruction up to the end, to
/// what is no instruction, or to the next image.
fn module(bytes: &[u8]) -> Vec<u32> {
    let word = |n: usize| -> Option<u32> {
        let bytes = bytes.get(4 * n..)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*bytes))
    };
    let total = bytes.len() / 4;
    let mut end = 5.min(total);
    while let Some(first) = word(end) {
        let count = (first >> 16) as usize;
        if count == 0 || first == SPIRV || first == ZSTD || end + count > total {
            break;
        }
        end += count;
    }
    (0..end).filter_map(word).collect()
}

/// The content of the zstd frame that `bytes` begin with, and the frame's length.
fn decompress(bytes: &[u8]) -> anyhow::Result<(Vec<u8>, usize)> {
    let mut source = bytes;
    let mut content = Vec::new();
    ruzstd::decoding::StreamingDecoder::new(&mut source)?.read_to_end(&mut content)?;
    Ok((content, bytes.len() - source.len()))
}

/// The instructions of a module, as far as it can be followed; each begins with its first word.
pub fn instructions(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = words.get(5..).unwrap_or(&[]);
    std::iter::from_fn(move || {
        let count = (rest.first()? >> 16) as usize;
        let (instruction, after) = rest.split_at_checked(count).filter(|_| count > 0)?;
        rest = after;
        Some(instruction)
    })
}

/// The string that `words` begin with.
pub fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Names of the entry points of a module, as far as it can be followed.
pub fn entry_points(words: &[u32]) -> Vec<String> {
    instructions(words)
        .filter(|instruction| instruction[0] & 0xffff == ENTRY_POINT)
        .map(|instruction| text(instruction.get(3..).unwrap_or(&[])))
        .collect()
}

/// Numbers of the capabilities that a module declares.
pub fn capabilities(words: &[u32]) -> Vec<u32> {
    instructions(words)
        .take_while(|instruction| instruction[0] & 0xffff == CAPABILITY)
        .filter_map(|instruction| instruction.get(1).copied())
        .collect()
}

//! OpenCL's `printf`.

use std::ffi::{CStr, c_char, c_int, c_void};

#[repr(C)]
struct CFile {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    static mut stdout: *mut CFile;
    fn fwrite(from: *const c_void, size: usize, count: usize, to: *mut CFile) -> usize;
    fn snprintf(to: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
}

/// Prints `count` 8-byte arguments at `args` as `format` says; 0 on success, -1 otherwise.
///
/// Text goes through the C library's standard output, so it keeps its order with what the program
/// prints there.
///
/// # Safety
/// `format` must be a zero-terminated string, `args` must hold `count` slots, and the arguments must
/// be what the format says: pointers to zero-terminated strings for `%s`.
pub(super) unsafe extern "C" fn printf(
    format: *const c_char,
    args: *const u64,
    count: u64,
) -> c_int {
    // SAFETY: as the caller promises.
    let (format, args) = unsafe {
        let args = std::slice::from_raw_parts(args, count as usize);
        (CStr::from_ptr(format).to_bytes(), args)
    };
    // SAFETY: as the caller promises.
    let Some(text) = (unsafe { render(format, args) }) else {
        return -1;
    };
    // SAFETY: `stdout` is set by the C library before anything runs, and `fwrite` locks it; the
    // text lives during the call.
    let written = unsafe { fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
    if written == text.len() { 0 } else { -1 }
}

/// One conversion of a format.
struct Conversion {
    /// Flags, width and precision as the C library wants them.
    shape: Vec<u8>,
    /// Number of lanes of a vector, else 1.
    lanes: u32,
    /// Bits of an integer.
    bits: u32,
    /// The letter.
    letter: u8,
}

/// Reads a conversion behind its `%`; what is left of the format comes back too.
fn parse(format: &[u8]) -> Option<(Conversion, &[u8])> {
    let shape_end = format
        .iter()
        .position(|b| !matches!(b, b'-' | b'+' | b' ' | b'#' | b'0'..=b'9' | b'.'))?;
    let (shape, mut rest) = format.split_at(shape_end);
    // Longer ones are no width that anyone means, and must not fill memory.
    if shape.len() > 12 {
        return None;
    }
    let mut lanes = 1;
    if let Some(after) = rest.strip_prefix(b"v") {
        let digits = after.iter().take_while(|b| b.is_ascii_digit()).count();
        lanes = std::str::from_utf8(&after[..digits]).ok()?.parse().ok()?;
        if !matches!(lanes, 2 | 3 | 4 | 8 | 16) {
            return None;
        }
        rest = &after[digits..];
    }
    let mut bits = 32;
    for (prefix, width) in [(&b"hh"[..], 8), (b"hl", 32), (b"h", 16), (b"l", 64)] {
        if let Some(after) = rest.strip_prefix(prefix) {
            (bits, rest) = (width, after);
            break;
        }
    }
    let (letter, rest) = rest.split_first()?;
    let conversion = Conversion {
        shape: shape.to_vec(),
        lanes,
        bits,
        letter: *letter,
    };
    Some((conversion, rest))
}

/// The text that a format gives with these arguments; `None` if it asks for more arguments than
/// there are or for a conversion that does not exist.
///
/// # Safety
/// Arguments of `%s` must point to zero-terminated strings.
unsafe fn render(format: &[u8], args: &[u64]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut args = args.iter();
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            text.push(byte);
            continue;
        }
        if let Some(after) = rest.strip_prefix(b"%") {
            text.push(b'%');
            rest = after;
            continue;
        }
        let (conversion, after) = parse(rest)?;
        rest = after;
        for lane in 0..conversion.lanes {
            if lane > 0 {
                text.push(b',');
            }
            // SAFETY: as the caller promises.
            unsafe { print_one(&mut text, &conversion, *args.next()?)? };
        }
    }
    Some(text)
}

/// Adds one converted argument to `text`.
///
/// # Safety
/// If the letter is `s`, the argument must point to a zero-terminated string.
unsafe fn print_one(text: &mut Vec<u8>, conversion: &Conversion, arg: u64) -> Option<()> {
    let mut format = vec![b'%'];
    format.extend(&conversion.shape);
    let unused = 64 - conversion.bits;
    let letter = conversion.letter;
    let length: &[u8] = if b"diouxX".contains(&letter) {
        b"ll"
    } else {
        b""
    };
    format.extend(length);
    format.extend([letter, 0]);
    let format = format.as_ptr().cast::<c_char>();
    let print = |to: *mut c_char, size: usize| -> Option<c_int> {
        // SAFETY: `to` has `size` bytes; the format has one conversion, whose argument has the type
        // that its letter and length ask for.
        Some(unsafe {
            match letter {
                b'd' | b'i' => snprintf(to, size, format, ((arg << unused) as i64) >> unused),
                b'o' | b'u' | b'x' | b'X' => snprintf(to, size, format, (arg << unused) >> unused),
                b'c' => snprintf(to, size, format, arg as c_int),
                b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                    snprintf(to, size, format, f64::from_bits(arg))
                }
                b'p' | b's' => snprintf(to, size, format, arg as usize as *const c_void),
                _ => return None,
            }
        })
    };
    let needed = usize::try_from(print(std::ptr::null_mut(), 0)?).ok()?;
    let mut buffer = vec![0u8; needed + 1];
    print(buffer.as_mut_ptr().cast(), buffer.len())?;
    buffer.truncate(needed);
    text.extend(buffer);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(format: &str, args: &[u64]) -> Option<String> {
        // SAFETY: the tests pass a live string where they print one.
        let bytes = unsafe { render(format.as_bytes(), args) }?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    #[test]
    fn integers_are_cut_to_their_length() {
        let all = u64::MAX;
        assert_eq!(
            text(
                "%d %u %hhd %hu %ld %lx",
                &[all, all, 0x1ff, 0x1_ffff, all, all]
            )
            .unwrap(),
            "-1 4294967295 -1 65535 -1 ffffffffffffffff"
        );
        assert_eq!(
            text("[%5d|%-5d|%05d]%%", &[7, 7, 7]).unwrap(),
            "[    7|7    |00007]%"
        );
        assert_eq!(text("%c%c", &[65, 66]).unwrap(), "AB");
    }

    #[test]
    fn floats_vectors_and_strings() {
        let f = |x: f64| x.to_bits();
        assert_eq!(text("%.2f %g", &[f(1.5), f(0.25)]).unwrap(), "1.50 0.25");
        assert_eq!(text("%v4hld", &[1, 2, 3, 4]).unwrap(), "1,2,3,4");
        assert_eq!(text("%2.1v2hlf", &[f(1.0), f(2.0)]).unwrap(), "1.0,2.0");
        let name = c"you";
        assert_eq!(text("hi %s!", &[name.as_ptr() as u64]).unwrap(), "hi you!");
    }

    #[test]
    fn bad_formats_are_refused() {
        assert_eq!(text("%d", &[]), None);
        assert_eq!(text("%n", &[0]), None);
        assert_eq!(text("%", &[0]), None);
        assert_eq!(text("%v5d", &[0; 5]), None);
        assert_eq!(text("%99999999999999d", &[0]), None);
    }
}

//! Text forms of the API's values, as `SYCL_UR_TRACE` and `urPrint*` show them.
//!
//! Enumerations print by name, bits joined by ` | `, structs as
//! `(struct ur_x_t){.member = value}`, pointers as `0x… (what they point to)`, arrays as
//! `0x… {first, second}` and what queries list as `{first, second}`. What is pointed to is read,
//! which is why [`Print::print`] is unsafe; nothing here allocates.

use core::ffi::{CStr, c_char, c_void};
use core::fmt::{self, Formatter, Write};

use crate::generated::print::print_params;
use crate::{UR_RESULT_ERROR_INVALID_SIZE, UR_RESULT_SUCCESS, ur_function_t, ur_result_t};

/// A value whose text form follows its pointers.
pub trait Print {
    /// Writes the text form.
    ///
    /// # Safety
    /// Every pointer inside is null or points to what the API says it does.
    unsafe fn print(&self, f: &mut Formatter<'_>) -> fmt::Result;
}

/// A value together with the promise that [`Print::print`] asks for.
pub struct Printed<'a, T: ?Sized>(&'a T);

impl<T: Print + ?Sized> fmt::Display for Printed<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // SAFETY: who made `self` promised it.
        unsafe { self.0.print(f) }
    }
}

/// The value for use with `{}`.
///
/// # Safety
/// As for [`Print::print`], as long as the result lives.
pub unsafe fn printed<T: Print + ?Sized>(value: &T) -> Printed<'_, T> {
    Printed(value)
}

/// Writes an address in hexadecimal, or `nullptr`.
pub fn address<T>(f: &mut Formatter<'_>, pointer: *const T) -> fmt::Result {
    if pointer.is_null() {
        return f.write_str("nullptr");
    }
    write!(f, "{:#x}", pointer.addr())
}

/// Writes a driver's own handle as the address that it mostly is.
pub fn native(f: &mut Formatter<'_>, handle: usize) -> fmt::Result {
    address(f, core::ptr::without_provenance::<c_void>(handle))
}

/// Writes the address of C text and the text. Bytes that are no UTF-8 show as U+FFFD.
///
/// # Safety
/// `text` is null or points to text that ends with a NUL.
pub unsafe fn text(f: &mut Formatter<'_>, text: *const c_char) -> fmt::Result {
    address(f, text)?;
    if text.is_null() {
        return Ok(());
    }
    // SAFETY: the caller says that it is C text.
    bracketed(f, unsafe { CStr::from_ptr(text) }.to_bytes())
}

fn bracketed(f: &mut Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    f.write_str(" (")?;
    for chunk in bytes.utf8_chunks() {
        f.write_str(chunk.valid())?;
        if !chunk.invalid().is_empty() {
            f.write_char(char::REPLACEMENT_CHARACTER)?;
        }
    }
    f.write_char(')')
}

/// Writes the text that an info query returned: at most `size` bytes, up to the first NUL.
///
/// # Safety
/// `value` is null or `size` bytes can be read there.
pub(crate) unsafe fn info_text(
    f: &mut Formatter<'_>,
    value: *const c_void,
    size: usize,
) -> fmt::Result {
    address(f, value)?;
    if value.is_null() {
        return Ok(());
    }
    // SAFETY: the caller says that so many bytes can be read.
    let bytes = unsafe { core::slice::from_raw_parts(value.cast::<u8>(), size) };
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(size);
    bracketed(f, bytes.get(..end).unwrap_or_default())
}

/// Writes the numbers or objects that an info query returned: of a list all that fit into `size`
/// bytes, in braces; else one in brackets after its address, which stands alone if there is no room
/// for one.
///
/// # Safety
/// `value` is null or `size` bytes can be read there, and `item` may be called for each `T` in
/// them.
pub(crate) unsafe fn info_items<T: Copy>(
    f: &mut Formatter<'_>,
    value: *const c_void,
    size: usize,
    list: bool,
    item: impl Fn(&mut Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    let fits = size.checked_div(size_of::<T>()).unwrap_or(0);
    let count = if list { fits } else { fits.min(1) };
    if value.is_null() || !list {
        address(f, value)?;
    }
    if value.is_null() || (count == 0 && !list) {
        return Ok(());
    }
    f.write_str(if list { "{" } else { " (" })?;
    for i in 0..count {
        if i > 0 {
            f.write_str(", ")?;
        }
        // SAFETY: `i < count`, so it lies within the caller's bytes, which need not be aligned.
        item(f, unsafe { value.cast::<T>().add(i).read_unaligned() })?;
    }
    f.write_char(if list { '}' } else { ')' })
}

/// The arguments of a call whose function is known by its number.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The function.
    pub function: ur_function_t,
    /// Its struct of arguments.
    pub params: *const c_void,
}

impl Print for Call {
    /// Writes the arguments, or where they are if there is no such function.
    unsafe fn print(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // SAFETY: the maker's struct is the one that belongs to the function.
        unsafe { print_params(f, self.function, self.params) }
            .unwrap_or_else(|| address(f, self.params))
    }
}

/// A writer that counts, and copies what still fits.
struct Buffer {
    start: *mut u8,
    room: usize,
    used: usize,
}

impl Write for Buffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let left = self.room.saturating_sub(self.used);
        let count = text.len().min(left);
        if count > 0 {
            // SAFETY: `used + count <= room`, and the maker said that `room` bytes can be written.
            unsafe {
                self.start
                    .add(self.used)
                    .copy_from_nonoverlapping(text.as_ptr(), count);
            }
        }
        self.used = self.used.saturating_add(text.len());
        Ok(())
    }
}

/// Copies the text form with a NUL after it into `buffer` and its size with the NUL to
/// `out_size`. A null buffer asks for the size only.
///
/// # Errors
/// `UR_RESULT_ERROR_INVALID_SIZE` if the buffer is too small; it is left as it was.
///
/// # Safety
/// `value` is as [`Print::print`] needs it, `buffer` is null or `size` bytes can be written there,
/// `out_size` is null or can be written.
pub unsafe fn copy<T: Print + ?Sized>(
    value: &T,
    buffer: *mut c_char,
    size: usize,
    out_size: *mut usize,
) -> ur_result_t {
    // SAFETY: the caller's promise for `value` is the same.
    unsafe { copy_text(&printed(value), buffer, size, out_size) }
}

/// [`copy`] for what prints safely.
///
/// # Errors
/// As for [`copy`].
///
/// # Safety
/// `buffer` is null or `size` bytes can be written there, `out_size` is null or can be written.
pub unsafe fn copy_text(
    value: &dyn fmt::Display,
    buffer: *mut c_char,
    size: usize,
    out_size: *mut usize,
) -> ur_result_t {
    let mut counted = Buffer {
        start: core::ptr::null_mut(),
        room: 0,
        used: 0,
    };
    // Neither writer nor values fail; were one to, the text would only be shorter.
    let _ = write!(counted, "{value}");
    let needed = counted.used.saturating_add(1);
    if !out_size.is_null() {
        // SAFETY: the caller lets it be written.
        unsafe { out_size.write(needed) };
    }
    if buffer.is_null() {
        return UR_RESULT_SUCCESS;
    }
    if size < needed {
        return UR_RESULT_ERROR_INVALID_SIZE;
    }
    let mut target = Buffer {
        start: buffer.cast(),
        room: size - 1,
        used: 0,
    };
    let _ = write!(target, "{value}");
    // SAFETY: the index is at most `size - 1`.
    unsafe { buffer.add(target.used.min(size - 1)).write(0) };
    UR_RESULT_SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::print::print_device_info;
    use crate::*;

    fn show<T: Print>(value: &T) -> String {
        // SAFETY: the tests' values point to live objects or nowhere.
        unsafe { printed(value) }.to_string()
    }

    #[test]
    fn enumerations_by_name_and_unknown_ones_as_numbers() {
        assert_eq!(
            UR_RESULT_ERROR_INVALID_SIZE.to_string(),
            "UR_RESULT_ERROR_INVALID_SIZE"
        );
        assert_eq!(ur_result_t(77777).to_string(), "77777");
        assert_eq!(UR_API_VERSION_CURRENT.to_string(), "0.12");
        assert_eq!(
            UR_API_VERSION_CURRENT.name(),
            Some("UR_API_VERSION_0_12"),
            "the first of two names"
        );
    }

    #[test]
    fn bits_are_joined() {
        let flags = UR_QUEUE_FLAG_PROFILING_ENABLE | UR_QUEUE_FLAG_ON_DEVICE;
        assert_eq!(
            flags.to_string(),
            "UR_QUEUE_FLAG_PROFILING_ENABLE | UR_QUEUE_FLAG_ON_DEVICE"
        );
        assert_eq!(ur_queue_flag_t(0).to_string(), "0");
        assert_eq!(
            ur_queue_flag_t(0x8000_0002).to_string(),
            "UR_QUEUE_FLAG_PROFILING_ENABLE | 0x80000000"
        );
    }

    #[test]
    fn structs_follow_their_chain() {
        let index = ur_queue_index_properties_t {
            computeIndex: 3,
            ..Default::default()
        };
        let properties = ur_queue_properties_t {
            flags: UR_QUEUE_FLAG_PROFILING_ENABLE.0,
            pNext: (&raw const index).cast_mut().cast(),
            ..Default::default()
        };
        let at = (&raw const index).addr();
        assert_eq!(
            show(&properties),
            format!(
                "(struct ur_queue_properties_t){{\
                 .stype = UR_STRUCTURE_TYPE_QUEUE_PROPERTIES, .pNext = {at:#x} \
                 ((struct ur_queue_index_properties_t){{\
                 .stype = UR_STRUCTURE_TYPE_QUEUE_INDEX_PROPERTIES, .pNext = nullptr, \
                 .computeIndex = 3}}), .flags = UR_QUEUE_FLAG_PROFILING_ENABLE}}"
            )
        );
    }

    #[test]
    fn arguments_follow_pointers_arrays_and_info_types() {
        let mut device: ur_device_handle_t = core::ptr::without_provenance_mut(0x1000);
        let mut name = UR_DEVICE_INFO_TYPE;
        let mut size = 4usize;
        let kind = UR_DEVICE_TYPE_CPU;
        let mut value = (&raw const kind).cast_mut().cast::<c_void>();
        let mut ret: *mut usize = &raw mut size;
        let params = ur_device_get_info_params_t {
            phDevice: &raw mut device,
            ppropName: &raw mut name,
            ppropSize: &raw mut size,
            ppPropValue: &raw mut value,
            ppPropSizeRet: &raw mut ret,
        };
        assert_eq!(
            show(&params),
            format!(
                ".hDevice = 0x1000, .propName = UR_DEVICE_INFO_TYPE, .propSize = 4, \
                 .pPropValue = {:#x} (UR_DEVICE_TYPE_CPU), .pPropSizeRet = {:#x} (4)",
                value.addr(),
                ret.addr()
            )
        );
        let list = [device, core::ptr::without_provenance_mut(0x2000)];
        let (mut count, mut devices) = (2u32, list.as_ptr());
        let mut properties: *const ur_context_properties_t = core::ptr::null();
        let mut context: *mut ur_context_handle_t = core::ptr::null_mut();
        let params = ur_context_create_params_t {
            pDeviceCount: &raw mut count,
            pphDevices: &raw mut devices,
            ppProperties: &raw mut properties,
            pphContext: &raw mut context,
        };
        assert_eq!(
            show(&params),
            format!(
                ".DeviceCount = 2, .phDevices = {:#x} {{0x1000, 0x2000}}, \
                 .pProperties = nullptr, .phContext = nullptr",
                devices.addr()
            )
        );
    }

    #[test]
    fn unions_print_the_member_that_the_tag_means() {
        let name = c"answer";
        let metadata = ur_program_metadata_t {
            pName: name.as_ptr(),
            r#type: UR_PROGRAM_METADATA_TYPE_UINT32,
            size: 4,
            value: ur_program_metadata_value_t { data32: 42 },
        };
        assert_eq!(
            show(&metadata),
            format!(
                "(struct ur_program_metadata_t){{.pName = {:#x} (answer), \
                 .type = UR_PROGRAM_METADATA_TYPE_UINT32, .size = 4, \
                 .value = (union ur_program_metadata_value_t){{.data32 = 42}}}}",
                name.as_ptr().addr()
            )
        );
    }

    #[test]
    fn what_queries_list_stands_without_its_address() {
        let show = |query, value: *const c_void, size| {
            // SAFETY: the tests' values are as large as said.
            written(|f| unsafe { print_device_info(f, query, value, size) })
        };
        let sizes = [1usize, 2, 3];
        let at = sizes.as_ptr().cast();
        assert_eq!(
            show(UR_DEVICE_INFO_MAX_WORK_ITEM_SIZES, at, 24),
            "{1, 2, 3}"
        );
        assert_eq!(show(UR_DEVICE_INFO_MAX_WORK_ITEM_SIZES, at, 0), "{}");
        let null = core::ptr::null();
        assert_eq!(
            show(UR_DEVICE_INFO_MAX_WORK_ITEM_SIZES, null, 24),
            "nullptr"
        );
        let name = c"cpu";
        assert_eq!(
            show(UR_DEVICE_INFO_NAME, name.as_ptr().cast(), 4),
            format!("{:#x} (cpu)", name.as_ptr().addr())
        );
        let version = 6u32;
        let at = &raw const version;
        assert_eq!(
            show(UR_DEVICE_INFO_IP_VERSION, at.cast(), 4),
            format!("{:#x} (6)", at.addr())
        );
    }

    /// What a function writes.
    fn written(write: impl Fn(&mut Formatter<'_>) -> fmt::Result) -> String {
        struct Shown<F>(F);
        impl<F: Fn(&mut Formatter<'_>) -> fmt::Result> fmt::Display for Shown<F> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                (self.0)(f)
            }
        }
        Shown(write).to_string()
    }

    #[test]
    fn copying_reports_the_size_and_refuses_less() {
        let mut needed = 0;
        let want = c"UR_RESULT_SUCCESS";
        let mut buffer = [7 as c_char; 18];
        let out = &raw mut needed;
        let at = buffer.as_mut_ptr();
        // SAFETY: null asks for the size; then `buffer` has as many bytes as said.
        unsafe {
            assert_eq!(
                copy_text(&UR_RESULT_SUCCESS, core::ptr::null_mut(), 0, out),
                UR_RESULT_SUCCESS
            );
            assert_eq!(needed, 18);
            assert_eq!(
                copy_text(&UR_RESULT_SUCCESS, at, 17, out),
                UR_RESULT_ERROR_INVALID_SIZE
            );
            assert_eq!(buffer, [7; 18], "left as it was");
            assert_eq!(
                copy_text(&UR_RESULT_SUCCESS, at, 18, out),
                UR_RESULT_SUCCESS
            );
            assert_eq!(CStr::from_ptr(buffer.as_ptr()), want);
        }
    }
}

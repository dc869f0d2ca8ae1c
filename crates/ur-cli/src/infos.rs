//! Info values as text and JSON. How a value is read follows from the API's data, through the
//! printing functions that are rendered from it.

use serde_json::{Number, Value};
use std::ffi::c_void;
use std::fmt::{self, Formatter};
use ur_api::*;

/// A printing function: it writes where the value is, then the value; of a list the value alone.
type Printer<Q> = unsafe fn(&mut Formatter<'_>, Q, *const c_void, usize) -> fmt::Result;

/// A value of a device.
pub fn of_device(query: ur_device_info_t, bytes: &[u8]) -> Value {
    // SAFETY: the bytes are what the query returned.
    unsafe { value(print_device_info, query, kind(DEVICE_INFOS, query.0), bytes) }
}

/// A value of a platform.
pub fn of_platform(query: ur_platform_info_t, bytes: &[u8]) -> Value {
    // SAFETY: the bytes are what the query returned.
    unsafe {
        value(
            print_platform_info,
            query,
            kind(PLATFORM_INFOS, query.0),
            bytes,
        )
    }
}

/// A value of an adapter.
pub fn of_adapter(query: ur_adapter_info_t, bytes: &[u8]) -> Value {
    // SAFETY: the bytes are what the query returned.
    unsafe {
        value(
            print_adapter_info,
            query,
            kind(ADAPTER_INFOS, query.0),
            bytes,
        )
    }
}

/// Every query of a device, with its name.
pub fn device_queries() -> impl Iterator<Item = (ur_device_info_t, &'static str)> {
    DEVICE_INFOS
        .iter()
        .map(|entry| (ur_device_info_t(entry.value), entry.name))
}

/// The value as it stands in a line of text.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "unknown".into(),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// The C type of what a query returns, empty if it is not known.
fn kind(infos: &[InfoEntry], query: u32) -> &'static str {
    let entry = infos.iter().find(|entry| entry.value == query);
    entry.map_or("", |entry| entry.payload)
}

/// # Safety
/// As the printing function demands.
unsafe fn value<Q: Copy>(print: Printer<Q>, query: Q, kind: &str, bytes: &[u8]) -> Value {
    struct Printed<'a, Q>(Printer<Q>, Q, &'a [u8]);
    impl<Q: Copy> fmt::Display for Printed<'_, Q> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            // SAFETY: as the caller of `value` says.
            unsafe { self.0(f, self.1, self.2.as_ptr().cast(), self.2.len()) }
        }
    }
    if kind == "char[]" {
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        return Value::from(String::from_utf8_lossy(text));
    }
    let printed = Printed(print, query, bytes).to_string();
    if let Some(items) = printed.strip_prefix('{').and_then(|p| p.strip_suffix('}')) {
        return match items {
            "" => Value::Array(Vec::new()),
            _ => items.split(", ").map(one).collect(),
        };
    }
    // What a value that does not fit its type leaves: the address alone, which says nothing.
    let Some((_, shown)) = printed.split_once(' ') else {
        return Value::from(bytes.iter().map(|b| format!("{b:02x}")).collect::<String>());
    };
    let inner = shown.strip_prefix('(').and_then(|s| s.strip_suffix(')'));
    one(inner.unwrap_or(shown))
}

/// A printed scalar.
fn one(text: &str) -> Value {
    match text {
        "true" => Value::from(true),
        "false" => Value::from(false),
        _ => match text.parse::<Number>() {
            Ok(number) => Value::Number(number),
            Err(_) => Value::from(text),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types() {
        assert_eq!(
            of_device(UR_DEVICE_INFO_NAME, b"a \"b\"\0"),
            json!("a \"b\"")
        );
        assert_eq!(of_device(UR_DEVICE_INFO_NAME, b"\0"), json!(""));
        assert_eq!(of_device(UR_DEVICE_INFO_VERSION, b"3\0"), json!("3"));
        assert_eq!(
            of_device(UR_DEVICE_INFO_MAX_COMPUTE_UNITS, &7u32.to_ne_bytes()),
            json!(7)
        );
        assert_eq!(of_device(UR_DEVICE_INFO_AVAILABLE, &[1]), json!(true));
        assert_eq!(
            of_device(
                UR_DEVICE_INFO_MAX_WORK_ITEM_SIZES,
                &[1usize, 2, 3].map(usize::to_ne_bytes).concat()
            ),
            json!([1, 2, 3])
        );
        assert_eq!(
            of_device(UR_DEVICE_INFO_SUB_GROUP_SIZES_INTEL, &[]),
            json!([])
        );
        assert_eq!(
            of_device(UR_DEVICE_INFO_TYPE, &UR_DEVICE_TYPE_CPU.0.to_ne_bytes()),
            json!("UR_DEVICE_TYPE_CPU")
        );
        assert_eq!(
            of_adapter(UR_ADAPTER_INFO_BACKEND, &UR_BACKEND_OPENCL.0.to_ne_bytes()),
            json!("UR_BACKEND_OPENCL")
        );
    }

    #[test]
    fn what_does_not_fit_is_shown_whole() {
        assert_eq!(
            of_device(UR_DEVICE_INFO_MAX_COMPUTE_UNITS, &[1, 0xff]),
            json!("01ff")
        );
    }

    #[test]
    fn queries_have_names_and_all_are_there() {
        let names: Vec<_> = device_queries().map(|(_, name)| name).collect();
        assert!(names.contains(&"UR_DEVICE_INFO_TYPE"));
        assert!(names.contains(&"UR_DEVICE_INFO_ENQUEUE_HOST_TASK_SUPPORT_EXP"));
    }

    #[test]
    fn lists_are_joined() {
        assert_eq!(text(&json!([1, "a"])), "1, a");
    }
}

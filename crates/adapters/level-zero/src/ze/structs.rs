//! Level Zero's structures.
//!
//! Most begin with a number that says which structure it is and with a pointer to a further one; those
//! are made by `new`, which writes the number and leaves all else 0.

#![allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    reason = "the names of Level Zero say it"
)]

use super::constants::*;
use super::types::*;
use std::ffi::{c_char, c_void};

/// A structure that begins with its own type and may lead to a further one.
///
/// # Safety
/// The structure is `repr(C)`, begins with a `ze_structure_type_t` and a pointer, and is valid when all
/// of its bytes are 0.
pub unsafe trait Structure: Copy {
    /// Its type.
    const TYPE: ze_structure_type_t;

    /// The structure with its type, all else 0.
    fn new() -> Self {
        // SAFETY: valid with all bytes 0, as the trait says.
        let mut structure: Self = unsafe { std::mem::zeroed() };
        // SAFETY: it begins with its type, as the trait says.
        unsafe {
            (&raw mut structure)
                .cast::<ze_structure_type_t>()
                .write(Self::TYPE)
        };
        structure
    }
}

/// The pointer to a further structure: one that the driver writes, or one that it reads.
macro_rules! next {
    (properties) => { *mut c_void };
    (desc) => { *const c_void };
}

/// Declares structures with a type: `properties` are written by the driver, a `desc` is read.
macro_rules! structures {
    ($(
        $(#[$doc:meta])*
        $kind:ident $name:ident: $type:ident {
            $($(#[$field_doc:meta])* $field:ident: $field_type:ty,)*
        }
    )*) => {$(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name {
            pub stype: ze_structure_type_t,
            pub pNext: next!($kind),
            $($(#[$field_doc])* pub $field: $field_type,)*
        }

        // SAFETY: made of numbers, pointers and handles, the first two as they must be.
        unsafe impl Structure for $name {
            const TYPE: ze_structure_type_t = $type;
        }

        impl $name {
            /// The structure with its type, all else 0.
            pub fn new() -> Self {
                Structure::new()
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }
    )*};
}

#[path = "structs/command.rs"]
mod command;
#[path = "structs/device.rs"]
mod device;
#[path = "structs/event.rs"]
mod event;
#[path = "structs/image.rs"]
mod image;
#[path = "structs/memory.rs"]
mod memory;
#[path = "structs/module.rs"]
mod module;

pub use command::*;
pub use device::*;
pub use event::*;
pub use image::*;
pub use memory::*;
pub use module::*;

structures! {
    /// For `zeInitDrivers`.
    desc ze_init_driver_type_desc_t: ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC {
        flags: u32,
    }
    properties ze_driver_properties_t: ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES {
        uuid: ze_uuid_t,
        driverVersion: u32,
    }
    properties ze_driver_ipc_properties_t: ZE_STRUCTURE_TYPE_DRIVER_IPC_PROPERTIES {
        flags: u32,
    }
    desc ze_context_desc_t: ZE_STRUCTURE_TYPE_CONTEXT_DESC {
        flags: u32,
    }
    /// The part that all structures begin with.
    desc ze_base_desc_t: ZE_STRUCTURE_TYPE_NONE {}
}

/// An extension of a driver.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ze_driver_extension_properties_t {
    /// A terminated text.
    pub name: [c_char; 256],
    pub version: u32,
}

impl ze_driver_extension_properties_t {
    /// The extension's name.
    pub fn name(&self) -> std::borrow::Cow<'_, str> {
        text(&self.name)
    }
}

/// The text in an array of characters, up to its terminator.
pub fn text(array: &[c_char]) -> std::borrow::Cow<'_, str> {
    // SAFETY: a character is a byte, signed or not.
    let bytes = unsafe { std::slice::from_raw_parts(array.as_ptr().cast::<u8>(), array.len()) };
    let end = bytes.iter().position(|&byte| byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_structure_begins_with_its_type() {
        let desc = ze_context_desc_t::new();
        assert_eq!(desc.stype, 0xd);
        assert!(desc.pNext.is_null());
        assert_eq!(desc.flags, 0);
    }

    #[test]
    fn a_text_ends_at_its_terminator_or_with_the_array() {
        let letters = |text: &str| text.bytes().map(|byte| byte as c_char).collect::<Vec<_>>();
        assert_eq!(text(&letters("ab\0c")), "ab");
        assert_eq!(text(&letters("abc")), "abc");
    }
}

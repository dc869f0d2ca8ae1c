//! What programs are made of.

use super::options;
use crate::ze;
use std::ffi::{CString, c_void};
use std::sync::Arc;
use ur_adapter::{Error, Result, il};
use ur_api::*;

/// A module of SPIR-V.
#[derive(Debug)]
pub struct Il {
    /// Its bytes.
    pub bytes: Box<[u8]>,
    /// What is in it.
    pub contents: il::Contents,
}

/// A value of a specialisation constant.
#[derive(Clone, Copy, Debug)]
pub struct Specialisation {
    /// The constant's number.
    pub id: u32,
    /// The first bytes are the value, as many as the constant has.
    pub bits: u64,
}

/// A module of SPIR-V and how it is compiled.
#[derive(Clone, Debug)]
pub struct Part {
    /// The module.
    pub il: Arc<Il>,
    /// Level Zero's options.
    pub options: CString,
    /// What its constants are, if they are not what the module says.
    pub constants: Vec<Specialisation>,
}

impl Part {
    /// What the compiler is told: the options, and what the module itself asks for. Without being told,
    /// Intel's lets nobody see what a module exports.
    pub fn flags(&self) -> CString {
        let contents = &self.il.contents;
        let is_kernel = |symbol: &il::Symbol| contents.entry(&symbol.name).is_some();
        let mut exports = contents.exports.iter();
        let functions = exports.any(|symbol| symbol.is_function && !is_kernel(symbol));
        let mut exports = contents.exports.iter();
        let variables = exports.any(|symbol| !symbol.is_function);
        let mut flags = self.options.clone();
        for (wanted, flag) in [
            (functions, c"-library-compilation"),
            (variables, c"-ze-take-global-address"),
        ] {
            if wanted {
                flags = options::both(&flags, flag);
            }
        }
        flags
    }
}

/// What a program is made of.
#[derive(Debug)]
pub enum Source {
    /// SPIR-V.
    Il(Arc<Il>),
    /// What was compiled, linked.
    Parts(Vec<Part>),
    /// A binary for each device.
    Binaries(Vec<Box<[u8]>>),
    /// A module of Level Zero's.
    Native,
}

impl Source {
    /// What is in its SPIR-V.
    pub fn contents(&self) -> impl Iterator<Item = &il::Contents> {
        let (one, parts) = match self {
            Self::Il(il) => (Some(il), &[][..]),
            Self::Parts(parts) => (None, &parts[..]),
            Self::Binaries(_) | Self::Native => (None, &[][..]),
        };
        let parts = parts.iter().map(|part| &part.il);
        one.into_iter().chain(parts).map(|il| &il.contents)
    }

    /// A value that a program gives for one of its constants.
    ///
    /// # Errors
    /// `INVALID_SPEC_ID` for a constant that is not there, `INVALID_VALUE` for one of another size.
    ///
    /// # Safety
    /// `given.pValue` is null or has `given.size` bytes.
    pub unsafe fn specialise(
        &self,
        given: &ur_specialization_constant_info_t,
    ) -> Result<Specialisation> {
        let known = match self {
            Self::Il(il) => il.contents.constant(given.id),
            // Those of what was linked had their values before.
            Self::Parts(_) | Self::Binaries(_) | Self::Native => None,
        };
        let known = known.ok_or_else(|| {
            let message = format!("no specialisation constant {}", given.id);
            Error::new(UR_RESULT_ERROR_INVALID_SPEC_ID, message)
        })?;
        if given.pValue.is_null() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
        }
        let mut bits = [0u8; 8];
        if given.size != known.size as usize || given.size > bits.len() {
            return Err(Error::value(format!(
                "specialisation constant {} has {} bytes, not {}",
                given.id, known.size, given.size
            )));
        }
        // SAFETY: there are `size` bytes, 8 at most.
        unsafe {
            std::ptr::copy_nonoverlapping(given.pValue.cast::<u8>(), bits.as_mut_ptr(), given.size);
        }
        Ok(Specialisation {
            id: given.id,
            bits: u64::from_ne_bytes(bits),
        })
    }
}

/// Values of constants as Level Zero takes them.
pub struct Constants {
    ids: Vec<u32>,
    values: Vec<*const c_void>,
}

impl Constants {
    /// Those of a part, which must stay where it is meanwhile.
    pub fn of(part: &Part) -> Self {
        let values = part.constants.iter();
        Self {
            ids: part.constants.iter().map(|constant| constant.id).collect(),
            values: values
                .map(|constant| (&raw const constant.bits).cast())
                .collect(),
        }
    }

    /// Level Zero's structure, which leads to these lists.
    pub fn native(&self) -> ze::ze_module_constants_t {
        ze::ze_module_constants_t {
            numConstants: self.ids.len() as u32,
            pConstantIds: self.ids.as_ptr(),
            pConstantValues: self.values.as_ptr(),
        }
    }
}

//! Flags of memory objects, whose numbers are OpenCL's.

use crate::cl;
use std::ffi::c_void;
use ur_adapter::{Error, Result};
use ur_api::*;

pub(super) const ACCESS: u32 =
    UR_MEM_FLAG_READ_WRITE.0 | UR_MEM_FLAG_WRITE_ONLY.0 | UR_MEM_FLAG_READ_ONLY.0;
pub(super) const HOST: u32 = UR_MEM_FLAG_USE_HOST_POINTER.0
    | UR_MEM_FLAG_ALLOC_HOST_POINTER.0
    | UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0;

/// Checks flags of a new memory object, whose numbers are OpenCL's, and that there is host memory if
/// and only if they speak of it.
///
/// # Errors
/// `INVALID_ENUMERATION` for unknown ones, `INVALID_VALUE` for those that contradict,
/// `INVALID_HOST_PTR`.
pub fn check_flags(flags: u32, host: *const c_void) -> Result<cl::cl_bitfield> {
    if flags & !(ACCESS | HOST) != 0 {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION));
    }
    if (flags & ACCESS).count_ones() > 1 {
        return Err(Error::value("more than one kind of access"));
    }
    let copied = UR_MEM_FLAG_ALLOC_HOST_POINTER.0 | UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0;
    if flags & UR_MEM_FLAG_USE_HOST_POINTER.0 != 0 && flags & copied != 0 {
        return Err(Error::value("host memory both used and allocated"));
    }
    let wants_host =
        flags & (UR_MEM_FLAG_USE_HOST_POINTER.0 | UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER.0) != 0;
    if wants_host == host.is_null() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_HOST_PTR));
    }
    Ok(flags.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_contradict_are_refused() {
        let (none, some) = (std::ptr::null(), std::ptr::dangling());
        assert!(check_flags(0, none).is_ok());
        assert!(check_flags(UR_MEM_FLAG_USE_HOST_POINTER.0, some).is_ok());
        assert!(check_flags(UR_MEM_FLAG_USE_HOST_POINTER.0, none).is_err());
        assert!(check_flags(0, some).is_err());
        assert!(check_flags(UR_MEM_FLAG_READ_ONLY.0 | UR_MEM_FLAG_READ_WRITE.0, none).is_err());
        assert!(check_flags(HOST, some).is_err());
        assert!(check_flags(1 << 20, none).is_err());
    }

    #[test]
    fn numbers_of_flags_are_those_of_opencl() {
        let same = [
            (UR_MEM_FLAG_READ_WRITE, cl::CL_MEM_READ_WRITE),
            (UR_MEM_FLAG_WRITE_ONLY, cl::CL_MEM_WRITE_ONLY),
            (UR_MEM_FLAG_READ_ONLY, cl::CL_MEM_READ_ONLY),
            (UR_MEM_FLAG_USE_HOST_POINTER, cl::CL_MEM_USE_HOST_PTR),
            (UR_MEM_FLAG_ALLOC_HOST_POINTER, cl::CL_MEM_ALLOC_HOST_PTR),
            (
                UR_MEM_FLAG_ALLOC_COPY_HOST_POINTER,
                cl::CL_MEM_COPY_HOST_PTR,
            ),
        ];
        for (flag, native) in same {
            assert_eq!(u64::from(flag.0), native);
        }
    }
}

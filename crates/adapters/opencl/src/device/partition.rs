//! Splitting devices.

use super::Device;
use crate::cl::{self, Owned, Version, check};
use ur_adapter::{Error, Handle, Object, Result};
use ur_api::*;

/// The ways to split a device that both the driver and the API know.
pub fn supported(device: &Device) -> Vec<ur_device_partition_t> {
    let ways = device.list::<cl::cl_properties>(cl::CL_DEVICE_PARTITION_PROPERTIES);
    let ways = ways.unwrap_or_default();
    ways.into_iter().filter_map(way).collect()
}

/// The API's number of a way to split.
fn way(native: cl::cl_properties) -> Option<ur_device_partition_t> {
    match native {
        cl::CL_DEVICE_PARTITION_EQUALLY => Some(UR_DEVICE_PARTITION_EQUALLY),
        cl::CL_DEVICE_PARTITION_BY_COUNTS => Some(UR_DEVICE_PARTITION_BY_COUNTS),
        cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN => Some(UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN),
        _ => None,
    }
}

/// How a sub-device came about: pairs of way and value, each two numbers of 32 bits.
pub fn origin(device: &Device) -> Vec<[u32; 2]> {
    let list = device.list::<cl::cl_properties>(cl::CL_DEVICE_PARTITION_TYPE);
    pairs(&list.unwrap_or_default())
}

/// The pairs of a list of OpenCL's, in which one way has several values only if those are counts.
fn pairs(list: &[cl::cl_properties]) -> Vec<[u32; 2]> {
    let Some((first, values)) = list.split_first() else {
        return Vec::new();
    };
    let Some(way) = way(*first) else {
        return Vec::new();
    };
    let values = values.iter().take_while(|value| **value != 0);
    values.map(|value| [way.0, *value as u32]).collect()
}

/// OpenCL's list for what the API's properties ask for.
fn properties(
    device: &Device,
    asked: &[ur_device_partition_property_t],
) -> Result<Vec<cl::cl_properties>> {
    let Some(first) = asked.first() else {
        return Err(Error::value("no partition property"));
    };
    let single = || match asked.len() {
        1 => Ok(()),
        _ => Err(Error::value("more than one partition property")),
    };
    match first.r#type {
        UR_DEVICE_PARTITION_EQUALLY => {
            single()?;
            // SAFETY: the type says which member holds the value; all are 32-bit numbers.
            let size = unsafe { first.value.equally };
            if size == 0 {
                return Err(Error::value("parts of 0 compute units"));
            }
            Ok(vec![cl::CL_DEVICE_PARTITION_EQUALLY, size as isize, 0])
        }
        UR_DEVICE_PARTITION_BY_COUNTS => {
            let mut list = vec![cl::CL_DEVICE_PARTITION_BY_COUNTS];
            let mut left: u32 = device.value(cl::CL_DEVICE_MAX_COMPUTE_UNITS)?;
            for property in asked {
                if property.r#type != UR_DEVICE_PARTITION_BY_COUNTS {
                    return Err(Error::value("partition properties of two kinds"));
                }
                // SAFETY: as above.
                let size = unsafe { property.value.count };
                let rest = left.checked_sub(size).filter(|_| size > 0);
                // Not every driver looks at the sum.
                left = rest.ok_or(UR_RESULT_ERROR_INVALID_DEVICE_PARTITION_COUNT)?;
                list.push(size as isize);
            }
            list.extend([cl::CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0]);
            Ok(list)
        }
        UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN => {
            single()?;
            // SAFETY: as above.
            let domain = unsafe { first.value.affinity_domain };
            if domain.count_ones() != 1
                || domain > UR_DEVICE_AFFINITY_DOMAIN_FLAG_NEXT_PARTITIONABLE.0
            {
                return Err(Error::value("not one affinity domain"));
            }
            // The numbers of the domains are the same.
            let way = cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
            Ok(vec![way, domain as isize, 0])
        }
        UR_DEVICE_PARTITION_BY_CSLICE => Err(Error::new(
            UR_RESULT_ERROR_DEVICE_PARTITION_FAILED,
            "OpenCL knows no slices",
        )),
        _ => Err(Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION)),
    }
}

/// Splits a device.
///
/// # Errors
/// `INVALID_VALUE` for properties that make no sense, `DEVICE_PARTITION_FAILED` and
/// `INVALID_DEVICE_PARTITION_COUNT` for what the device has not.
pub fn split(
    device: &Object<Device>,
    asked: &ur_device_partition_properties_t,
) -> Result<Vec<Handle<Device>>> {
    if asked.pProperties.is_null() {
        return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER));
    }
    // SAFETY: the caller passes that many properties.
    let asked = unsafe { std::slice::from_raw_parts(asked.pProperties, asked.PropCount) };
    let list = properties(device, asked)?;
    if device.version() < Version(1, 2) {
        return Err(Error::code(UR_RESULT_ERROR_DEVICE_PARTITION_FAILED));
    }
    let create = device.api().clCreateSubDevices;
    let (native, list) = (device.native(), list.as_ptr());
    let mut count = 0;
    // SAFETY: a live device and a list that ends with 0; only the count is asked for.
    failed(unsafe { create(native, list, 0, std::ptr::null_mut(), &raw mut count) })?;
    let mut natives = vec![cl::cl_device_id::NULL; count as usize];
    let places = natives.as_mut_ptr();
    // SAFETY: as above, with room for that many.
    failed(unsafe { create(native, list, count, places, std::ptr::null_mut()) })?;
    // All are owned before anything can fail.
    let owned: Vec<_> = natives
        .into_iter()
        // SAFETY: the driver made them for this call.
        .map(|native| unsafe { Owned::new(device.api(), native) })
        .collect();
    owned
        .into_iter()
        .map(|owned| Handle::new(Device::part(device, owned)))
        .collect()
}

/// A way to split that the device does not have, which is an invalid value for OpenCL.
fn failed(code: cl::cl_int) -> Result {
    match code {
        cl::CL_INVALID_VALUE => {
            Err(Error::code(UR_RESULT_ERROR_DEVICE_PARTITION_FAILED).with_native(code))
        }
        code => check(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_pairs() {
        let counts = UR_DEVICE_PARTITION_BY_COUNTS.0;
        assert_eq!(pairs(&[]), [[0; 2]; 0]);
        assert_eq!(pairs(&[0]), [[0; 2]; 0]);
        assert_eq!(
            pairs(&[cl::CL_DEVICE_PARTITION_BY_COUNTS, 2, 1, 0, 0]),
            [[counts, 2], [counts, 1]]
        );
        assert_eq!(
            pairs(&[cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 1, 0]),
            [[UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN.0, 1]]
        );
    }
}

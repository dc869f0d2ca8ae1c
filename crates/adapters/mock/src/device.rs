//! Fake devices.

use crate::Mock;
use crate::platform::Platform;
use std::mem::MaybeUninit;
use ur_adapter::{DeviceFns, Error, Handle, Info, Object, Result};
use ur_api::*;

/// A root device of a platform, or one of the two halves of one.
#[derive(Debug)]
pub struct Device {
    platform: u32,
    index: u32,
    parent: Option<Handle<Device>>,
}

impl Device {
    /// A root device that lives as long as the process.
    pub fn leaked(platform: u32, index: u32) -> &'static Object<Self> {
        Box::leak(Box::new(Object::fixed(Self {
            platform,
            index,
            parent: None,
        })))
    }
}

impl DeviceFns for Mock {
    fn device_get(
        platform: &Object<Platform>,
        device_type: ur_device_type_t,
    ) -> Result<Vec<Handle<Device>>> {
        match device_type {
            UR_DEVICE_TYPE_ALL | UR_DEVICE_TYPE_CUSTOM => {
                Ok(platform.devices().iter().map(|d| d.handle()).collect())
            }
            UR_DEVICE_TYPE_DEFAULT => Ok(platform
                .devices()
                .iter()
                .take(1)
                .map(|d| d.handle())
                .collect()),
            _ => Ok(Vec::new()),
        }
    }

    fn device_get_info(
        device: &Object<Device>,
        prop: ur_device_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop {
            UR_DEVICE_INFO_TYPE => info.value(UR_DEVICE_TYPE_CUSTOM.0),
            UR_DEVICE_INFO_VENDOR_ID => info.value(0u32),
            UR_DEVICE_INFO_NAME => info.text(&format!("Mock device {}", device.index)),
            UR_DEVICE_INFO_VENDOR => info.text("Concord"),
            UR_DEVICE_INFO_VERSION | UR_DEVICE_INFO_DRIVER_VERSION => info.text("0.1"),
            UR_DEVICE_INFO_EXTENSIONS => info.text(""),
            UR_DEVICE_INFO_MAX_COMPUTE_UNITS => info.value(1u32),
            UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE => info.value(1024usize),
            UR_DEVICE_INFO_MAX_WORK_ITEM_SIZES => info.value([1024usize; 3]),
            UR_DEVICE_INFO_GLOBAL_MEM_SIZE | UR_DEVICE_INFO_MAX_MEM_ALLOC_SIZE => {
                info.value(1u64 << 30)
            }
            UR_DEVICE_INFO_AVAILABLE => info.bool(true),
            UR_DEVICE_INFO_COMPILER_AVAILABLE | UR_DEVICE_INFO_LINKER_AVAILABLE => info.bool(false),
            UR_DEVICE_INFO_PLATFORM => match Platform::of_index(device.platform) {
                Some(platform) => info.handle(platform),
                None => Err(UR_RESULT_ERROR_INVALID_DEVICE.into()),
            },
            UR_DEVICE_INFO_PARENT_DEVICE => match &device.parent {
                Some(parent) => info.handle(parent),
                None => info.value(std::ptr::null_mut::<()>()),
            },
            _ => Err(Error::unsupported_query()),
        }
    }

    fn device_partition(
        device: &Object<Device>,
        _properties: &ur_device_partition_properties_t,
    ) -> Result<Vec<Handle<Device>>> {
        if device.parent.is_some() {
            return Err(UR_RESULT_ERROR_DEVICE_PARTITION_FAILED.into());
        }
        (0..2)
            .map(|index| {
                Handle::new(Device {
                    platform: device.platform,
                    index,
                    parent: Some(device.handle()),
                })
            })
            .collect()
    }

    fn device_get_global_timestamps(
        _device: &Object<Device>,
        device_timestamp: Option<&mut MaybeUninit<u64>>,
        host_timestamp: Option<&mut MaybeUninit<u64>>,
    ) -> Result {
        let now = crate::event::now();
        if let Some(out) = device_timestamp {
            out.write(now);
        }
        if let Some(out) = host_timestamp {
            out.write(now);
        }
        Ok(())
    }
}

//! Devices that reach each other's memory.

use crate::LevelZero;
use crate::device::Device;
use crate::ze::{self, check};
use ur_adapter::{Error, Info, Object, Result, UsmP2PExpFns};
use ur_api::*;

/// Whether a device reaches the memory of another.
fn reaches(device: &Device, peer: &Device) -> Result<bool> {
    if !device.platform().is(peer.platform()) {
        return Ok(false);
    }
    let (one, other) = (device.native(), peer.native());
    if one == other {
        return Ok(true);
    }
    let mut can = 0;
    // SAFETY: live devices of one driver, a place of ours.
    check(unsafe { (device.api().zeDeviceCanAccessPeer)(one, other, &raw mut can) })?;
    Ok(can != 0)
}

/// Whether a device has atomic operations on the memory of another.
fn has_atomics(device: &Device, peer: &Device) -> Result<bool> {
    if !reaches(device, peer)? {
        return Ok(false);
    }
    let (one, other) = (device.native(), peer.native());
    if one == other {
        let atomic = ze::ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC;
        return Ok(device.facts().access.deviceAllocCapabilities & atomic != 0);
    }
    let mut properties = ze::ze_device_p2p_properties_t::new();
    // SAFETY: live devices of one driver, a place of ours.
    check(unsafe { (device.api().zeDeviceGetP2PProperties)(one, other, &raw mut properties) })?;
    Ok(properties.flags & ze::ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS != 0)
}

/// Access is there without being asked for, or not at all.
fn expect_access(device: &Device, peer: &Device) -> Result {
    match reaches(device, peer)? {
        true => Ok(()),
        false => Err(Error::new(
            UR_RESULT_ERROR_INVALID_OPERATION,
            "the device does not reach the other one's memory",
        )),
    }
}

impl UsmP2PExpFns for LevelZero {
    fn usm_p2p_enable_peer_access_exp(
        command_device: &Object<Device>,
        peer_device: &Object<Device>,
    ) -> Result {
        expect_access(command_device, peer_device)
    }

    fn usm_p2p_disable_peer_access_exp(
        command_device: &Object<Device>,
        peer_device: &Object<Device>,
    ) -> Result {
        expect_access(command_device, peer_device)
    }

    fn usm_p2p_peer_access_get_info_exp(
        command_device: &Object<Device>,
        peer_device: &Object<Device>,
        prop_name: ur_exp_peer_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        let yes = match prop_name {
            UR_EXP_PEER_INFO_UR_PEER_ACCESS_SUPPORT => reaches(command_device, peer_device)?,
            UR_EXP_PEER_INFO_UR_PEER_ATOMICS_SUPPORT => has_atomics(command_device, peer_device)?,
            _ => return Err(Error::unsupported_query()),
        };
        info.value(i32::from(yes))
    }
}

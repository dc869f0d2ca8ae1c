//! Parts of devices.

use crate::failure::Stop;
use crate::objects::{Context, Counted, Device, Memory, Queue};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, same, ur};
use std::ptr::null_mut;
use ur_api::*;

fn property(kind: ur_device_partition_t, value: u32) -> ur_device_partition_property_t {
    let mut property = ur_device_partition_property_t {
        r#type: kind,
        ..Default::default()
    };
    // All members are 32 bits of the same place.
    property.value.equally = value;
    property
}

fn call(
    device: ur_device_handle_t,
    properties: &[ur_device_partition_property_t],
    room: u32,
    parts: *mut ur_device_handle_t,
    number: *mut u32,
) -> ur_result_t {
    let all = ur_device_partition_properties_t {
        pProperties: properties.as_ptr(),
        PropCount: properties.len(),
        ..Default::default()
    };
    ur!(urDevicePartition(
        device,
        &raw const all,
        room,
        parts,
        number
    ))
}

/// Parts of the test's device; unsupported where it cannot be parted like that.
fn part(cx: &Cx, properties: &[ur_device_partition_property_t]) -> Result<Vec<Device>, Stop> {
    let kinds: Vec<ur_device_partition_t> =
        crate::info::values("urDeviceGetInfo", |size, value, out| {
            let query = UR_DEVICE_INFO_SUPPORTED_PARTITIONS;
            ur!(urDeviceGetInfo(cx.device(), query, size, value, out))
        })?;
    let kind = properties[0].r#type;
    if !kinds.contains(&kind) {
        return Err(Stop::Unsupported(format!(
            "SUPPORTED_PARTITIONS has no {kind}"
        )));
    }
    let mut number = 0;
    let code = call(cx.device(), properties, 0, null_mut(), &raw mut number);
    crate::failure::check("urDevicePartition", UR_RESULT_SUCCESS, code)?;
    ensure!(number > 0, "no parts");
    let mut parts = vec![null_mut(); number as usize];
    let code = call(
        cx.device(),
        properties,
        number,
        parts.as_mut_ptr(),
        null_mut(),
    );
    crate::failure::check("urDevicePartition", UR_RESULT_SUCCESS, code)?;
    ensure!(!parts.iter().any(|p| p.is_null()), "a null part");
    Ok(parts.into_iter().map(Device::adopt).collect())
}

fn units(cx: &Cx) -> Result<u32, Stop> {
    Ok(cx
        .device_info(UR_DEVICE_INFO_MAX_COMPUTE_UNITS)?
        .unwrap_or(0))
}

/// What holds for each part.
fn is_part(cx: &Cx, part: &Device) -> Outcome {
    let parent: ur_device_handle_t = part.info(UR_DEVICE_INFO_PARENT_DEVICE)?;
    same!("the parent", parent, cx.device());
    let platform: ur_platform_handle_t = part.info(UR_DEVICE_INFO_PLATFORM)?;
    same!("the platform", platform, cx.platform());
    same!("the count", part.count()?, 1);
    let kind: ur_device_type_t = part.info(UR_DEVICE_INFO_TYPE)?;
    same!("the type", Some(kind), cx.device_info(UR_DEVICE_INFO_TYPE)?);
    Ok(())
}

fn works(part: &Device) -> Outcome {
    let context = Context::new(&[part.get()])?;
    let queue = Queue::new(&context, part.get(), 0)?;
    let buffer = Memory::with(&context, &[9, 8, 7])?;
    same!("what a buffer holds", buffer.read(&queue, 3)?, [9, 8, 7]);
    let device: ur_device_handle_t = queue.info(UR_QUEUE_INFO_DEVICE)?;
    same!("the queue's device", device, part.get());
    Ok(())
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    suite.device("equally::into_single_units", |cx| {
        let parts = part(cx, &[property(UR_DEVICE_PARTITION_EQUALLY, 1)])?;
        same!("parts", parts.len() as u32, units(cx)?);
        for part in &parts {
            is_part(cx, part)?;
            let own: u32 = part.info(UR_DEVICE_INFO_MAX_COMPUTE_UNITS)?;
            same!("units", own, 1);
        }
        works(&parts[0])
    });
    suite.device("equally::too_many_units", |cx| {
        part(cx, &[property(UR_DEVICE_PARTITION_EQUALLY, 1)])?;
        let properties = [property(UR_DEVICE_PARTITION_EQUALLY, units(cx)? + 1)];
        let mut number = 0;
        let code = call(cx.device(), &properties, 0, null_mut(), &raw mut number);
        ensure!(code != UR_RESULT_SUCCESS || number == 0, "{number} parts");
        Ok(())
    });
    suite.device("equally::fewer_than_there_are", |cx| {
        let properties = [property(UR_DEVICE_PARTITION_EQUALLY, 1)];
        let parts = part(cx, &properties)?;
        let mut first = null_mut();
        let code = call(cx.device(), &properties, 1, &raw mut first, null_mut());
        if parts.len() > 1 && code == UR_RESULT_ERROR_INVALID_DEVICE_PARTITION_COUNT {
            return Ok(());
        }
        crate::failure::check("urDevicePartition", UR_RESULT_SUCCESS, code)?;
        is_part(cx, &Device::adopt(first))
    });
    suite.device("by_counts::one_part", |cx| {
        let parts = part(cx, &[property(UR_DEVICE_PARTITION_BY_COUNTS, 1)])?;
        same!("parts", parts.len(), 1);
        is_part(cx, &parts[0])?;
        let own: u32 = parts[0].info(UR_DEVICE_INFO_MAX_COMPUTE_UNITS)?;
        same!("units", own, 1);
        works(&parts[0])
    });
    suite.device("by_counts::two_parts", |cx| {
        let one = property(UR_DEVICE_PARTITION_BY_COUNTS, 1);
        if units(cx)? < 2 {
            return Err(Stop::Unsupported("MAX_COMPUTE_UNITS is 1".into()));
        }
        let parts = part(cx, &[one, one])?;
        same!("parts", parts.len(), 2);
        ensure!(parts[0].get() != parts[1].get(), "a part twice");
        parts.iter().try_for_each(|p| is_part(cx, p))
    });
    suite.device("by_counts::more_than_there_are", |cx| {
        part(cx, &[property(UR_DEVICE_PARTITION_BY_COUNTS, 1)])?;
        let properties = [property(UR_DEVICE_PARTITION_BY_COUNTS, units(cx)? + 1)];
        let mut number = 0;
        let code = call(cx.device(), &properties, 0, null_mut(), &raw mut number);
        ensure!(
            code != UR_RESULT_SUCCESS,
            "parts with more units than there are"
        );
        Ok(())
    });
    let domains = [
        ("numa", UR_DEVICE_AFFINITY_DOMAIN_FLAG_NUMA),
        ("l4_cache", UR_DEVICE_AFFINITY_DOMAIN_FLAG_L4_CACHE),
        ("l3_cache", UR_DEVICE_AFFINITY_DOMAIN_FLAG_L3_CACHE),
        ("l2_cache", UR_DEVICE_AFFINITY_DOMAIN_FLAG_L2_CACHE),
        ("l1_cache", UR_DEVICE_AFFINITY_DOMAIN_FLAG_L1_CACHE),
        (
            "next_partitionable",
            UR_DEVICE_AFFINITY_DOMAIN_FLAG_NEXT_PARTITIONABLE,
        ),
    ];
    for (name, domain) in domains {
        suite.device(format!("by_affinity_domain::{name}"), move |cx| {
            cx.needs_bits(UR_DEVICE_INFO_PARTITION_AFFINITY_DOMAIN, domain)?;
            let kind = UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
            let parts = part(cx, &[property(kind, domain.0)])?;
            let mut all = 0;
            for part in &parts {
                is_part(cx, part)?;
                all += part.info::<u32>(UR_DEVICE_INFO_MAX_COMPUTE_UNITS)?;
            }
            ensure!(all <= units(cx)?, "{all} units of {}", units(cx)?);
            works(&parts[0])
        });
    }
    suite.device("by_cslice", |cx| {
        let parts = part(cx, &[property(UR_DEVICE_PARTITION_BY_CSLICE, 0)])?;
        parts.iter().try_for_each(|p| is_part(cx, p))
    });
    for times in [1, 2, 100] {
        suite.device(format!("retain::{times}_times"), move |cx| {
            let parts = part(cx, &[property(UR_DEVICE_PARTITION_EQUALLY, 1)])?;
            let part = &parts[0];
            let mut more = Vec::new();
            for count in 2..times + 2 {
                more.push(part.retain()?);
                same!("the count", part.count()?, count);
            }
            while let Some(one) = more.pop() {
                one.release()?;
            }
            same!("the count after", part.count()?, 1);
            Ok(())
        });
    }
}

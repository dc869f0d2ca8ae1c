//! Sub-devices through the C tables.

mod common;

use common::*;
use std::ptr::{null, null_mut};
use ur_api::*;

/// A sub-device, released at the end.
struct Sub(ur_device_handle_t);

impl Drop for Sub {
    fn drop(&mut self) {
        ok!(Device.pfnRelease(self.0));
    }
}

fn number(device: ur_device_handle_t, name: ur_device_info_t) -> u32 {
    let mut value = 0u32;
    ok!(Device.pfnGetInfo(device, name, 4, (&raw mut value).cast(), null_mut()));
    value
}

fn numbers(device: ur_device_handle_t, name: ur_device_info_t) -> Vec<u32> {
    let mut size = 0;
    ok!(Device.pfnGetInfo(device, name, 0, null_mut(), &mut size));
    let mut values = vec![0u32; size / 4];
    if size > 0 {
        let place = values.as_mut_ptr().cast();
        ok!(Device.pfnGetInfo(device, name, size, place, null_mut()));
    }
    values
}

fn units(device: ur_device_handle_t) -> u32 {
    number(device, UR_DEVICE_INFO_MAX_COMPUTE_UNITS)
}

fn partition(
    device: ur_device_handle_t,
    properties: &[(ur_device_partition_t, u32)],
) -> Result<Vec<Sub>, ur_result_t> {
    let list: Vec<_> = properties
        .iter()
        .map(|(kind, value)| ur_device_partition_property_t {
            r#type: *kind,
            value: ur_device_partition_value_t { count: *value },
        })
        .collect();
    let properties = ur_device_partition_properties_t {
        stype: UR_STRUCTURE_TYPE_DEVICE_PARTITION_PROPERTIES,
        pProperties: list.as_ptr(),
        PropCount: list.len(),
        ..Default::default()
    };
    let mut count = 0;
    let outcome = ur!(Device.pfnPartition(device, &properties, 0, null_mut(), &mut count));
    if outcome != UR_RESULT_SUCCESS {
        return Err(outcome);
    }
    let mut subs = vec![null_mut(); count as usize];
    ok!(Device.pfnPartition(device, &properties, count, subs.as_mut_ptr(), null_mut()));
    Ok(subs.into_iter().map(Sub).collect())
}

#[test]
fn equal_parts_and_parts_by_count() {
    let root = device();
    let all = units(root);
    let subs = partition(root, &[(UR_DEVICE_PARTITION_EQUALLY, 1)]).unwrap();
    assert_eq!(subs.len(), all as usize);
    for sub in &subs {
        assert_eq!(units(sub.0), 1);
        assert_eq!(number(sub.0, UR_DEVICE_INFO_REFERENCE_COUNT), 1);
        assert_eq!(
            numbers(sub.0, UR_DEVICE_INFO_PARTITION_TYPE),
            [UR_DEVICE_PARTITION_EQUALLY.0, 1]
        );
        assert!(numbers(sub.0, UR_DEVICE_INFO_SUPPORTED_PARTITIONS).is_empty());
        let mut parent: ur_device_handle_t = null_mut();
        let (name, place) = (UR_DEVICE_INFO_PARENT_DEVICE, (&raw mut parent).cast());
        ok!(Device.pfnGetInfo(sub.0, name, 8, place, null_mut()));
        assert_eq!(parent, root);
        assert_eq!(
            partition(sub.0, &[(UR_DEVICE_PARTITION_EQUALLY, 2)]).err(),
            Some(UR_RESULT_ERROR_DEVICE_PARTITION_FAILED)
        );
    }
    ok!(Device.pfnRetain(subs[0].0));
    assert_eq!(number(subs[0].0, UR_DEVICE_INFO_REFERENCE_COUNT), 2);
    ok!(Device.pfnRelease(subs[0].0));
    // A root device is not counted.
    ok!(Device.pfnRetain(root));
    assert_eq!(number(root, UR_DEVICE_INFO_REFERENCE_COUNT), 1);

    let one = partition(root, &[(UR_DEVICE_PARTITION_BY_COUNTS, 1)]).unwrap();
    assert_eq!((one.len(), units(one[0].0)), (1, 1));
    assert_eq!(
        partition(root, &[(UR_DEVICE_PARTITION_BY_COUNTS, all + 1)]).err(),
        Some(UR_RESULT_ERROR_INVALID_DEVICE_PARTITION_COUNT)
    );
    assert_eq!(
        partition(root, &[(UR_DEVICE_PARTITION_EQUALLY, 0)]).err(),
        Some(UR_RESULT_ERROR_INVALID_VALUE)
    );
    assert_eq!(
        partition(root, &[(UR_DEVICE_PARTITION_BY_CSLICE, 0)]).err(),
        Some(UR_RESULT_ERROR_DEVICE_PARTITION_FAILED)
    );
}

#[test]
fn parts_by_affinity_domain() {
    let root = device();
    let domains = number(root, UR_DEVICE_INFO_PARTITION_AFFINITY_DOMAIN);
    let kind = UR_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
    let listed = numbers(root, UR_DEVICE_INFO_SUPPORTED_PARTITIONS).contains(&kind.0);
    assert_eq!(listed, domains != 0);
    for bit in 0..6 {
        let domain = 1u32 << bit;
        let subs = partition(root, &[(kind, domain)]);
        if domains & domain == 0 {
            assert_eq!(subs.err(), Some(UR_RESULT_ERROR_DEVICE_PARTITION_FAILED));
            continue;
        }
        let subs = subs.unwrap();
        assert!(subs.len() > 1);
        let total: u32 = subs.iter().map(|sub| units(sub.0)).sum();
        assert_eq!(total, units(root), "domain {domain}");
        let told = numbers(subs[0].0, UR_DEVICE_INFO_PARTITION_TYPE);
        assert_eq!(told[0], kind.0);
        if domain != UR_DEVICE_AFFINITY_DOMAIN_FLAG_NEXT_PARTITIONABLE.0 {
            assert_eq!(told[1], domain);
            let left = number(subs[0].0, UR_DEVICE_INFO_PARTITION_AFFINITY_DOMAIN);
            assert_eq!(left & domain, 0, "a part is not split by what made it");
        }
        // Work runs on it.
        for sub in &subs {
            work(sub);
        }
    }
    assert_eq!(
        partition(root, &[(kind, 3)]).err(),
        Some(UR_RESULT_ERROR_INVALID_VALUE)
    );
}

/// Copies a few pieces on a queue of a sub-device.
fn work(sub: &Sub) {
    let mut context = null_mut();
    ok!(Context.pfnCreate(1, &sub.0, null(), &mut context));
    let context = Context(context);
    let mut queue = null_mut();
    ok!(Queue.pfnCreate(context.0, sub.0, null(), &mut queue));
    let queue = Queue(queue);
    let (from, mut to) = (vec![7u8; 5 << 20], vec![0u8; 5 << 20]);
    let (dst, src) = (to.as_mut_ptr().cast(), from.as_ptr().cast());
    ok!(Enqueue.pfnUSMMemcpy(queue.0, true, dst, src, from.len(), 0, null(), null_mut()));
    assert_eq!(to, from);
    // The parent is no device of a context of the part.
    let mut none = null_mut();
    assert_eq!(
        ur!(Queue.pfnCreate(context.0, device(), null(), &mut none)),
        UR_RESULT_ERROR_INVALID_DEVICE
    );
}

#[test]
fn kernels_run_on_parts() {
    let root = device();
    let subs = partition(root, &[(UR_DEVICE_PARTITION_EQUALLY, 1)]).unwrap();
    // A context of the root device serves its parts too.
    let context = Context::new();
    let program = context.program("vector_add.spv");
    let kernel = program.kernel("vector_add_n");
    let n = 10_000u32;
    let a: Vec<i32> = (0..n as i32).collect();
    for sub in &subs {
        let mut queue = null_mut();
        ok!(Queue.pfnCreate(context.0, sub.0, null(), &mut queue));
        let queue = Queue(queue);
        let mut c = vec![0i32; n as usize];
        queue.run(
            &kernel,
            &[n as usize],
            None,
            &[
                Arg::Pointer(a.as_ptr().cast()),
                Arg::Pointer(a.as_ptr().cast()),
                Arg::Pointer(c.as_mut_ptr().cast()),
                Arg::Value(&n.to_ne_bytes()),
            ],
        );
        assert!(c.iter().zip(&a).all(|(c, a)| *c == 2 * a));
    }
}

#[test]
fn a_part_outlives_its_handle_in_a_queue() {
    let subs = partition(device(), &[(UR_DEVICE_PARTITION_BY_COUNTS, 1)]).unwrap();
    let mut context = null_mut();
    ok!(Context.pfnCreate(1, &subs[0].0, null(), &mut context));
    let context = Context(context);
    let mut queue = null_mut();
    ok!(Queue.pfnCreate(context.0, subs[0].0, null(), &mut queue));
    let queue = Queue(queue);
    let raw = subs[0].0;
    drop(subs);
    let mut told: ur_device_handle_t = null_mut();
    let (name, place) = (UR_QUEUE_INFO_DEVICE, (&raw mut told).cast());
    ok!(Queue.pfnGetInfo(queue.0, name, 8, place, null_mut()));
    assert_eq!(told, raw);
    assert_eq!(units(told), 1);
}

//! What a device says of itself must fit together.

use crate::failure::Stop;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, info, same, ur};
use ur_api::*;

fn number<T: info::Plain>(cx: &Cx, query: ur_device_info_t) -> Result<T, Stop> {
    let value = cx.device_info(query)?;
    value.ok_or_else(|| Stop::fail(format_args!("{query} is declined")))
}

fn list<T: info::Plain>(cx: &Cx, query: ur_device_info_t) -> Result<Vec<T>, Stop> {
    info::values("urDeviceGetInfo", |size, value, out| {
        ur!(urDeviceGetInfo(cx.device(), query, size, value, out))
    })
}

fn text(cx: &Cx, query: ur_device_info_t) -> Result<String, Stop> {
    info::text("urDeviceGetInfo", |size, value, out| {
        ur!(urDeviceGetInfo(cx.device(), query, size, value, out))
    })
}

/// Texts that must say something.
const TEXTS: [(&str, ur_device_info_t); 5] = [
    ("name", UR_DEVICE_INFO_NAME),
    ("vendor", UR_DEVICE_INFO_VENDOR),
    ("driver_version", UR_DEVICE_INFO_DRIVER_VERSION),
    ("profile", UR_DEVICE_INFO_PROFILE),
    ("version", UR_DEVICE_INFO_VERSION),
];

/// Vector widths, the preferred and the native one of each element type.
const WIDTHS: [(&str, ur_device_info_t, ur_device_info_t); 7] = [
    (
        "char",
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_CHAR,
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_CHAR,
    ),
    (
        "short",
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_SHORT,
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_SHORT,
    ),
    (
        "int",
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_INT,
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_INT,
    ),
    (
        "long",
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_LONG,
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_LONG,
    ),
    (
        "float",
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_FLOAT,
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_FLOAT,
    ),
    (
        "double",
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_DOUBLE,
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_DOUBLE,
    ),
    (
        "half",
        UR_DEVICE_INFO_PREFERRED_VECTOR_WIDTH_HALF,
        UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_HALF,
    ),
];

/// Sets of bits, each with the bits that it may have.
const SETS: [(&str, ur_device_info_t, u32); 12] = [
    ("single_fp", UR_DEVICE_INFO_SINGLE_FP_CONFIG, 0xff),
    ("half_fp", UR_DEVICE_INFO_HALF_FP_CONFIG, 0xff),
    ("double_fp", UR_DEVICE_INFO_DOUBLE_FP_CONFIG, 0xff),
    ("queue", UR_DEVICE_INFO_QUEUE_PROPERTIES, 0x7ff),
    (
        "queue_on_host",
        UR_DEVICE_INFO_QUEUE_ON_HOST_PROPERTIES,
        0x7ff,
    ),
    (
        "queue_on_device",
        UR_DEVICE_INFO_QUEUE_ON_DEVICE_PROPERTIES,
        0x7ff,
    ),
    ("execution", UR_DEVICE_INFO_EXECUTION_CAPABILITIES, 0x3),
    ("affinity", UR_DEVICE_INFO_PARTITION_AFFINITY_DOMAIN, 0x3f),
    ("usm_host", UR_DEVICE_INFO_USM_HOST_SUPPORT, 0xf),
    ("usm_device", UR_DEVICE_INFO_USM_DEVICE_SUPPORT, 0xf),
    ("usm_shared", UR_DEVICE_INFO_USM_SINGLE_SHARED_SUPPORT, 0xf),
    ("usm_system", UR_DEVICE_INFO_USM_SYSTEM_SHARED_SUPPORT, 0xf),
];

/// Numbers that cannot be 0.
const POSITIVE: [(&str, ur_device_info_t); 5] = [
    ("compute_units", UR_DEVICE_INFO_MAX_COMPUTE_UNITS),
    ("num_compute_units", UR_DEVICE_INFO_NUM_COMPUTE_UNITS),
    ("constant_args", UR_DEVICE_INFO_MAX_CONSTANT_ARGS),
    ("mem_base_addr_align", UR_DEVICE_INFO_MEM_BASE_ADDR_ALIGN),
    ("reference_count", UR_DEVICE_INFO_REFERENCE_COUNT),
];

/// Orders and scopes of atomics: stronger ones include weaker ones, and the weakest must be there.
fn includes_weaker(cx: &Cx, query: ur_device_info_t, must: u32) -> Outcome {
    let set: u32 = number(cx, query)?;
    ensure!(set & must == must, "{query} is {set:#x}, without {must:#x}");
    Ok(())
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    for (name, query) in TEXTS {
        suite.device(format!("{name}_says_something"), move |cx| {
            let value = text(cx, query)?;
            ensure!(!value.trim().is_empty(), "{query} is empty");
            same!("the second answer", text(cx, query)?, value);
            Ok(())
        });
    }
    for (name, query) in POSITIVE {
        suite.device(format!("{name}_is_positive"), move |cx| {
            ensure!(number::<u32>(cx, query)? > 0, "{query} is 0");
            Ok(())
        });
    }
    for (name, preferred, native) in WIDTHS {
        suite.device(format!("vector_widths_of_{name}"), move |cx| {
            let (a, b): (u32, u32) = (number(cx, preferred)?, number(cx, native)?);
            for width in [a, b] {
                let allowed = width == 0 || width.is_power_of_two();
                ensure!(allowed && width <= 64, "a width of {width}");
            }
            same!("whether there is the type", a == 0, b == 0);
            Ok(())
        });
    }
    for (name, query, bits) in SETS {
        suite.device(format!("{name}_has_known_bits"), move |cx| {
            let set: u32 = number(cx, query)?;
            ensure!(set & !bits == 0, "{query} is {set:#x}");
            Ok(())
        });
    }
    suite.device("type_is_one", |cx| {
        let kind: ur_device_type_t = number(cx, UR_DEVICE_INFO_TYPE)?;
        let group = [UR_DEVICE_TYPE_ALL, UR_DEVICE_TYPE_DEFAULT].contains(&kind);
        ensure!(!group && kind.name().is_some(), "the type is {kind}");
        Ok(())
    });
    suite.device("platform_is_its_own", |cx| {
        let platform: ur_platform_handle_t = number(cx, UR_DEVICE_INFO_PLATFORM)?;
        same!("the platform", platform, cx.platform());
        Ok(())
    });
    suite.device("root_has_no_parent", |cx| {
        let parent: ur_device_handle_t = number(cx, UR_DEVICE_INFO_PARENT_DEVICE)?;
        ensure!(parent.is_null(), "a root device has a parent");
        Ok(())
    });
    suite.device("work_item_sizes_of_all_dimensions", |cx| {
        let dimensions: u32 = number(cx, UR_DEVICE_INFO_MAX_WORK_ITEM_DIMENSIONS)?;
        let sizes: Vec<usize> = list(cx, UR_DEVICE_INFO_MAX_WORK_ITEM_SIZES)?;
        same!("sizes", sizes.len(), dimensions as usize);
        ensure!(dimensions >= 3, "{dimensions} dimensions");
        let largest: usize = number(cx, UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE)?;
        ensure!(largest >= 1, "no work-item in a work-group");
        let max = sizes.iter().copied().max().unwrap_or(0);
        let min = sizes.iter().copied().min().unwrap_or(0);
        ensure!(
            min >= 1 && max <= largest.max(max),
            "{sizes:?} in {largest}"
        );
        let product = sizes.iter().fold(1usize, |all, s| all.saturating_mul(*s));
        ensure!(product >= largest, "{sizes:?} do not reach {largest}");
        Ok(())
    });
    suite.device("address_bits_are_those_of_the_process", |cx| {
        same!(
            "bits",
            number::<u32>(cx, UR_DEVICE_INFO_ADDRESS_BITS)?,
            usize::BITS
        );
        Ok(())
    });
    suite.device("no_allocation_exceeds_memory", |cx| {
        let all: u64 = number(cx, UR_DEVICE_INFO_GLOBAL_MEM_SIZE)?;
        let one: u64 = number(cx, UR_DEVICE_INFO_MAX_MEM_ALLOC_SIZE)?;
        ensure!(one > 0 && one <= all, "{one} of {all} bytes");
        let constant: u64 = number(cx, UR_DEVICE_INFO_MAX_CONSTANT_BUFFER_SIZE)?;
        ensure!(constant > 0 && constant <= all, "{constant} of {all} bytes");
        Ok(())
    });
    suite.device("free_memory_is_part_of_it", |cx| {
        let Some(free) = cx.device_info::<u64>(UR_DEVICE_INFO_GLOBAL_MEM_FREE)? else {
            return Err(Stop::Unsupported("GLOBAL_MEM_FREE is declined".into()));
        };
        let all: u64 = number(cx, UR_DEVICE_INFO_GLOBAL_MEM_SIZE)?;
        ensure!(free <= all, "{free} of {all} bytes are free");
        Ok(())
    });
    suite.device("local_memory_where_there_is_some", |cx| {
        let kind: u32 = number(cx, UR_DEVICE_INFO_LOCAL_MEM_TYPE)?;
        let size: u64 = number(cx, UR_DEVICE_INFO_LOCAL_MEM_SIZE)?;
        ensure!(kind <= 2, "type {kind}");
        same!(
            "whether there is some",
            size > 0,
            kind != UR_DEVICE_LOCAL_MEM_TYPE_NONE.0
        );
        Ok(())
    });
    suite.device("endianness_is_that_of_the_host", |cx| {
        let kind: ur_device_type_t = number(cx, UR_DEVICE_INFO_TYPE)?;
        if kind != UR_DEVICE_TYPE_CPU {
            return Err(Stop::Unsupported("the device is not the host's CPU".into()));
        }
        let little: ur_bool_t = number(cx, UR_DEVICE_INFO_ENDIAN_LITTLE)?;
        same!("little-endian", little != 0, cfg!(target_endian = "little"));
        Ok(())
    });
    suite.device("timer_has_a_resolution", |cx| {
        let step: usize = number(cx, UR_DEVICE_INFO_PROFILING_TIMER_RESOLUTION)?;
        ensure!(step > 0, "the timer's resolution is 0");
        Ok(())
    });
    suite.device("is_available", |cx| {
        ensure!(
            cx.has(UR_DEVICE_INFO_AVAILABLE)?,
            "a device that is not available"
        );
        Ok(())
    });
    suite.device("who_compiles_can_link", |cx| {
        let compiles = cx.has(UR_DEVICE_INFO_COMPILER_AVAILABLE)?;
        let links = cx.has(UR_DEVICE_INFO_LINKER_AVAILABLE)?;
        ensure!(!compiles || links, "a compiler without a linker");
        Ok(())
    });
    suite.device("sub_group_sizes_fit_a_work_group", |cx| {
        let sizes: Vec<u32> = list(cx, UR_DEVICE_INFO_SUB_GROUP_SIZES_INTEL)?;
        let groups: u32 = number(cx, UR_DEVICE_INFO_MAX_NUM_SUB_GROUPS)?;
        let largest: usize = number(cx, UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE)?;
        for size in &sizes {
            ensure!(
                *size > 0 && *size as usize <= largest,
                "a sub-group of {size}"
            );
        }
        let mut sorted = sizes.clone();
        sorted.sort_unstable();
        sorted.dedup();
        same!("different sizes", sorted.len(), sizes.len());
        ensure!(sizes.is_empty() || groups > 0, "no sub-groups of {sizes:?}");
        Ok(())
    });
    suite.device("uuid_has_16_bytes", |cx| {
        if cx.device_size(UR_DEVICE_INFO_UUID)?.is_none() {
            return Err(Stop::Unsupported("UUID is declined".into()));
        }
        let uuid: Vec<u8> = list(cx, UR_DEVICE_INFO_UUID)?;
        same!("bytes", uuid.len(), 16);
        ensure!(uuid.iter().any(|byte| *byte != 0), "it is all zeros");
        same!(
            "the second answer",
            list::<u8>(cx, UR_DEVICE_INFO_UUID)?,
            uuid
        );
        Ok(())
    });
    suite.device("max_work_groups_of_all_dimensions", |cx| {
        let groups: Vec<usize> = list(cx, UR_DEVICE_INFO_MAX_WORK_GROUPS_3D)?;
        same!("numbers", groups.len(), 3);
        ensure!(groups.iter().all(|n| *n > 0), "{groups:?}");
        Ok(())
    });
    suite.device("images_are_as_large_as_they_must_be", |cx| {
        cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
        for query in [
            UR_DEVICE_INFO_IMAGE2D_MAX_WIDTH,
            UR_DEVICE_INFO_IMAGE2D_MAX_HEIGHT,
            UR_DEVICE_INFO_IMAGE3D_MAX_WIDTH,
            UR_DEVICE_INFO_IMAGE3D_MAX_HEIGHT,
            UR_DEVICE_INFO_IMAGE3D_MAX_DEPTH,
            UR_DEVICE_INFO_IMAGE_MAX_BUFFER_SIZE,
            UR_DEVICE_INFO_IMAGE_MAX_ARRAY_SIZE,
        ] {
            ensure!(number::<usize>(cx, query)? > 0, "{query} is 0");
        }
        for query in [
            UR_DEVICE_INFO_MAX_READ_IMAGE_ARGS,
            UR_DEVICE_INFO_MAX_WRITE_IMAGE_ARGS,
            UR_DEVICE_INFO_MAX_SAMPLERS,
        ] {
            ensure!(number::<u32>(cx, query)? > 0, "{query} is 0");
        }
        Ok(())
    });
    suite.device("parameters_have_room", |cx| {
        let size: usize = number(cx, UR_DEVICE_INFO_MAX_PARAMETER_SIZE)?;
        ensure!(size >= 256, "{size} bytes of parameters");
        Ok(())
    });
    suite.device("cache_fits_its_type", |cx| {
        let kind: u32 = number(cx, UR_DEVICE_INFO_GLOBAL_MEM_CACHE_TYPE)?;
        let size: u64 = number(cx, UR_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE)?;
        let line: u32 = number(cx, UR_DEVICE_INFO_GLOBAL_MEM_CACHELINE_SIZE)?;
        ensure!(kind <= 2, "type {kind}");
        same!(
            "whether there is one",
            size > 0,
            kind != UR_DEVICE_MEM_CACHE_TYPE_NONE.0
        );
        ensure!(
            size == 0 || u64::from(line) <= size,
            "lines of {line} in {size}"
        );
        Ok(())
    });
    suite.device("half_with_the_extension", |cx| {
        let config: u32 = number(cx, UR_DEVICE_INFO_HALF_FP_CONFIG)?;
        let width: u32 = number(cx, UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_HALF)?;
        let named = text(cx, UR_DEVICE_INFO_EXTENSIONS)?.contains("cl_khr_fp16");
        ensure!(
            !named || (config != 0 && width > 0),
            "{config:#x} and {width}"
        );
        Ok(())
    });
    suite.device("double_with_the_extension", |cx| {
        let config: u32 = number(cx, UR_DEVICE_INFO_DOUBLE_FP_CONFIG)?;
        let width: u32 = number(cx, UR_DEVICE_INFO_NATIVE_VECTOR_WIDTH_DOUBLE)?;
        let named = text(cx, UR_DEVICE_INFO_EXTENSIONS)?.contains("cl_khr_fp64");
        ensure!(
            !named || (config != 0 && width > 0),
            "{config:#x} and {width}"
        );
        Ok(())
    });
    suite.device("atomic_orders_include_relaxed", |cx| {
        let query = UR_DEVICE_INFO_ATOMIC_MEMORY_ORDER_CAPABILITIES;
        includes_weaker(cx, query, UR_MEMORY_ORDER_CAPABILITY_FLAG_RELAXED.0)
    });
    suite.device("atomic_scopes_include_work_group", |cx| {
        let query = UR_DEVICE_INFO_ATOMIC_MEMORY_SCOPE_CAPABILITIES;
        includes_weaker(cx, query, UR_MEMORY_SCOPE_CAPABILITY_FLAG_WORK_GROUP.0)
    });
    suite.device("fence_orders_include_acq_rel", |cx| {
        let query = UR_DEVICE_INFO_ATOMIC_FENCE_ORDER_CAPABILITIES;
        includes_weaker(cx, query, UR_MEMORY_ORDER_CAPABILITY_FLAG_ACQ_REL.0)
    });
    suite.device("fence_scopes_include_work_group", |cx| {
        let query = UR_DEVICE_INFO_ATOMIC_FENCE_SCOPE_CAPABILITIES;
        includes_weaker(cx, query, UR_MEMORY_SCOPE_CAPABILITY_FLAG_WORK_GROUP.0)
    });
    suite.device("partitions_only_into_several", |cx| {
        let kinds: Vec<ur_device_partition_t> = list(cx, UR_DEVICE_INFO_SUPPORTED_PARTITIONS)?;
        let most: u32 = number(cx, UR_DEVICE_INFO_PARTITION_MAX_SUB_DEVICES)?;
        let kinds: Vec<_> = kinds.into_iter().filter(|k| k.0 != 0).collect();
        ensure!(kinds.iter().all(|k| k.name().is_some()), "{kinds:?}");
        ensure!(kinds.is_empty() || most >= 1, "{kinds:?} into {most}");
        Ok(())
    });
}

//! Every info query of every kind of object: its type and size, short and long buffers, and what is
//! null.

use crate::failure::{Stop, check};
use crate::objects::{
    CommandBuffer, Context, Event, Kernel, Memory, Pool, Program, Queue, RGBA8, Sampler, Usm,
    UsmKind, flat,
};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, kernels, same, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

/// Asks a query by its number: size, place for the value, place for the size.
type Ask = Box<dyn Fn(u32, usize, *mut c_void, *mut usize) -> ur_result_t>;

/// A kind of object that has queries.
struct Subject {
    name: &'static str,
    call: &'static str,
    queries: &'static [InfoEntry],
    make: fn(&Cx) -> Result<Ask, Stop>,
}

/// Calls `$call` with these arguments, the query, and the rest; what is kept lives as long.
macro_rules! ask {
    ($kept:ident, $call:ident($($arg:expr),*), $query:ident) => {
        Ok(Box::new(move |query, size, value, size_out| {
            let $kept = &$kept;
            let _ = $kept;
            ur!($call($($arg,)* $query(query), size, value, size_out))
        }) as Ask)
    };
}

const SUBJECTS: &[Subject] = &[
    Subject {
        name: "adapter",
        call: "urAdapterGetInfo",
        queries: ADAPTER_INFOS,
        make: |cx| {
            let adapter = cx.adapter();
            ask!(adapter, urAdapterGetInfo(*adapter), ur_adapter_info_t)
        },
    },
    Subject {
        name: "platform",
        call: "urPlatformGetInfo",
        queries: PLATFORM_INFOS,
        make: |cx| {
            let platform = cx.platform();
            ask!(platform, urPlatformGetInfo(*platform), ur_platform_info_t)
        },
    },
    Subject {
        name: "device",
        call: "urDeviceGetInfo",
        queries: DEVICE_INFOS,
        make: |cx| {
            let device = cx.device();
            ask!(device, urDeviceGetInfo(*device), ur_device_info_t)
        },
    },
    Subject {
        name: "context",
        call: "urContextGetInfo",
        queries: CONTEXT_INFOS,
        make: |cx| {
            let context = cx.context()?;
            ask!(context, urContextGetInfo(context.get()), ur_context_info_t)
        },
    },
    Subject {
        name: "queue",
        call: "urQueueGetInfo",
        queries: QUEUE_INFOS,
        make: |cx| {
            let (context, queue) = cx.queue(0)?;
            let kept = (queue, context);
            ask!(kept, urQueueGetInfo(kept.0.get()), ur_queue_info_t)
        },
    },
    Subject {
        name: "event",
        call: "urEventGetInfo",
        queries: EVENT_INFOS,
        make: |cx| {
            let kept = event(cx, 0)?;
            ask!(kept, urEventGetInfo(kept.0.get()), ur_event_info_t)
        },
    },
    Subject {
        name: "event_profiling",
        call: "urEventGetProfilingInfo",
        queries: PROFILING_INFOS,
        make: |cx| {
            let flag = UR_QUEUE_FLAG_PROFILING_ENABLE;
            cx.needs_bits(UR_DEVICE_INFO_QUEUE_PROPERTIES, flag)?;
            let kept = event(cx, flag.0)?;
            kept.0.wait()?;
            ask!(
                kept,
                urEventGetProfilingInfo(kept.0.get()),
                ur_profiling_info_t
            )
        },
    },
    Subject {
        name: "buffer",
        call: "urMemGetInfo",
        queries: MEM_INFOS,
        make: |cx| {
            let context = cx.context()?;
            let buffer = Memory::buffer(&context, UR_MEM_FLAG_READ_WRITE, 64)?;
            let kept = (buffer, context);
            ask!(kept, urMemGetInfo(kept.0.get()), ur_mem_info_t)
        },
    },
    Subject {
        name: "image",
        call: "urMemImageGetInfo",
        queries: IMAGE_INFOS,
        make: |cx| {
            cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
            let context = cx.context()?;
            let image = Memory::image(&context, UR_MEM_FLAG_READ_WRITE, &RGBA8, &flat(8, 8))?;
            let kept = (image, context);
            ask!(kept, urMemImageGetInfo(kept.0.get()), ur_image_info_t)
        },
    },
    Subject {
        name: "sampler",
        call: "urSamplerGetInfo",
        queries: SAMPLER_INFOS,
        make: |cx| {
            cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
            let context = cx.context()?;
            let sampler = Sampler::new(&context, &ur_sampler_desc_t::default())?;
            let kept = (sampler, context);
            ask!(kept, urSamplerGetInfo(kept.0.get()), ur_sampler_info_t)
        },
    },
    Subject {
        name: "usm",
        call: "urUSMGetMemAllocInfo",
        queries: USM_ALLOC_INFOS,
        make: |cx| {
            let context = cx.context()?;
            // From a pool where there are some, so that there is one to ask for.
            let pool = match cx.has(UR_DEVICE_INFO_USM_POOL_SUPPORT)? {
                true => Some(Pool::new(&context)?),
                false => None,
            };
            let handle = pool.as_ref().map_or(null_mut(), Pool::get);
            UsmKind::Device.needed(cx)?;
            let usm = Usm::with(cx, &context, UsmKind::Device, None, handle, 64)?;
            let kept = (usm, pool, context);
            ask!(
                kept,
                urUSMGetMemAllocInfo(kept.2.get(), kept.0.at),
                ur_usm_alloc_info_t
            )
        },
    },
    Subject {
        name: "usm_pool",
        call: "urUSMPoolGetInfo",
        queries: USM_POOL_INFOS,
        make: |cx| {
            let context = cx.context()?;
            let pool = Pool::new(&context)?;
            let kept = (pool, context);
            ask!(kept, urUSMPoolGetInfo(kept.0.get()), ur_usm_pool_info_t)
        },
    },
    Subject {
        name: "virtual_memory_granularity",
        call: "urVirtualMemGranularityGetInfo",
        queries: VIRTUAL_MEM_GRANULARITY_INFOS,
        make: |cx| {
            cx.needs(UR_DEVICE_INFO_VIRTUAL_MEMORY_SUPPORT)?;
            let kept = (cx.context()?, cx.device());
            ask!(
                kept,
                urVirtualMemGranularityGetInfo(kept.0.get(), kept.1, 4096),
                ur_virtual_mem_granularity_info_t
            )
        },
    },
    Subject {
        name: "program",
        call: "urProgramGetInfo",
        queries: PROGRAM_INFOS,
        make: |cx| {
            let kept = program(cx)?;
            ask!(kept, urProgramGetInfo(kept.0.get()), ur_program_info_t)
        },
    },
    Subject {
        name: "program_build",
        call: "urProgramGetBuildInfo",
        queries: PROGRAM_BUILD_INFOS,
        make: |cx| {
            let (program, context) = program(cx)?;
            let kept = (program, context, cx.device());
            ask!(
                kept,
                urProgramGetBuildInfo(kept.0.get(), kept.2),
                ur_program_build_info_t
            )
        },
    },
    Subject {
        name: "kernel",
        call: "urKernelGetInfo",
        queries: KERNEL_INFOS,
        make: |cx| {
            let kept = kernel(cx)?;
            ask!(kept, urKernelGetInfo(kept.0.get()), ur_kernel_info_t)
        },
    },
    Subject {
        name: "kernel_group",
        call: "urKernelGetGroupInfo",
        queries: KERNEL_GROUP_INFOS,
        make: |cx| {
            let (kernel, program, context) = kernel(cx)?;
            let kept = (kernel, program, context, cx.device());
            ask!(
                kept,
                urKernelGetGroupInfo(kept.0.get(), kept.3),
                ur_kernel_group_info_t
            )
        },
    },
    Subject {
        name: "kernel_sub_group",
        call: "urKernelGetSubGroupInfo",
        queries: KERNEL_SUB_GROUP_INFOS,
        make: |cx| {
            let (kernel, program, context) = kernel(cx)?;
            let kept = (kernel, program, context, cx.device());
            ask!(
                kept,
                urKernelGetSubGroupInfo(kept.0.get(), kept.3),
                ur_kernel_sub_group_info_t
            )
        },
    },
    Subject {
        name: "command_buffer",
        call: "urCommandBufferGetInfoExp",
        queries: EXP_COMMAND_BUFFER_INFOS,
        make: |cx| {
            cx.needs(UR_DEVICE_INFO_COMMAND_BUFFER_SUPPORT_EXP)?;
            let context = cx.context()?;
            let desc = ur_exp_command_buffer_desc_t::default();
            let commands = CommandBuffer::new(&context, cx.device(), &desc)?;
            let kept = (commands, context);
            ask!(
                kept,
                urCommandBufferGetInfoExp(kept.0.get()),
                ur_exp_command_buffer_info_t
            )
        },
    },
];

/// An event of a command in a new queue with these flags.
fn event(cx: &Cx, flags: u32) -> Result<(Event, Queue, Context), Stop> {
    let (context, queue) = cx.queue(flags)?;
    let event = Event::made("urEnqueueEventsWait", |out| {
        ur!(urEnqueueEventsWait(queue.get(), 0, null(), out))
    })?;
    Ok((event, queue, context))
}

fn program(cx: &Cx) -> Result<(Program, Context), Stop> {
    let context = cx.context()?;
    let program = Program::built(&context, kernels::BASIC)?;
    Ok((program, context))
}

fn kernel(cx: &Cx) -> Result<(Kernel, Program, Context), Stop> {
    let (program, context) = program(cx)?;
    let kernel = Kernel::new(&program, c"saxpy")?;
    Ok((kernel, program, context))
}

/// What is asked about a query.
type Body = fn(&Subject, &InfoEntry, &Ask) -> Outcome;

/// The cases of each query; null and size are for the loader's check of parameters.
const CASES: [(&str, bool, Body); 4] = [
    ("value", false, value),
    ("short_buffer", false, short_buffer),
    ("long_buffer", false, long_buffer),
    ("nulls", true, nulls),
];

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for subject in SUBJECTS {
        let mut suite = suite.part(subject.name);
        for query in subject.queries {
            // The value is where the caller wants the binaries, so it has tests of its own.
            if query.name == "UR_PROGRAM_INFO_BINARIES" {
                continue;
            }
            for (case, validated, body) in CASES {
                // Between nothing and one byte there is no size that is too small.
                let single = bytes(payload(query)) == 1 && !payload(query).ends_with("[]");
                if case == "short_buffer" && single {
                    continue;
                }
                let run = move |cx: &Cx| {
                    let ask = (subject.make)(cx)?;
                    declined(subject, query, &ask)?;
                    body(subject, query, &ask)
                };
                let name = format!("{}::{case}", short(query.name));
                if validated {
                    add(&mut suite.validated(), subject, &name, run);
                } else {
                    add(&mut suite, subject, &name, run);
                }
            }
        }
        add(&mut suite, subject, "unknown_query", |cx| {
            let ask = (subject.make)(cx)?;
            let mut size = 0;
            let code = ask(0x7fff_ffff, 0, null_mut(), &raw mut size);
            let either = [
                UR_RESULT_ERROR_INVALID_ENUMERATION,
                UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
            ];
            check(subject.call, either, code)?;
            Ok(())
        });
    }
}

/// A test of the subject: once for each adapter, platform or device.
fn add(
    suite: &mut Suite<'_>,
    subject: &Subject,
    name: &str,
    run: impl Fn(&Cx) -> Outcome + Send + Sync + 'static,
) {
    match subject.name {
        "adapter" => suite.adapter(name, run),
        "platform" => suite.platform(name, run),
        _ => suite.device(name, run),
    }
}

/// `max_work_group_size` of `UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE`.
fn short(name: &str) -> String {
    let rest = name.rsplit_once("_INFO_").map_or(name, |(_, rest)| rest);
    rest.to_lowercase()
}

/// Ends the test as unsupported if the query may be declined and is: it is optional, or belongs to
/// an experimental feature.
fn declined(subject: &Subject, query: &InfoEntry, ask: &Ask) -> Outcome {
    let mut size = 0;
    let code = ask(query.value, 0, null_mut(), &raw mut size);
    let may = query.optional || query.name.ends_with("_EXP") || MAY_DECLINE.contains(&query.name);
    // To an earlier release a query may be a number without a name; a queue that is not on the
    // device may say just that.
    let said = code == UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION
        || code == UR_RESULT_ERROR_INVALID_ENUMERATION
        || code == UR_RESULT_ERROR_INVALID_QUEUE && query.name == "UR_QUEUE_INFO_SIZE";
    if may && said {
        return Err(Stop::Unsupported(format!("{} is declined", query.name)));
    }
    check(subject.call, UR_RESULT_SUCCESS, code)?;
    Ok(())
}

/// Queries about what not every object has: a version of the hardware, a queue on the device.
const MAY_DECLINE: [&str; 3] = [
    "UR_DEVICE_INFO_IP_VERSION",
    "UR_QUEUE_INFO_DEVICE_DEFAULT",
    "UR_QUEUE_INFO_SIZE",
];

/// The type of a query's value. The API's lists say less than its text for some: sizes are those of
/// all three dimensions, and a module may have zeros in it.
fn payload(query: &InfoEntry) -> &'static str {
    match query.name {
        "UR_KERNEL_GROUP_INFO_COMPILE_WORK_GROUP_SIZE"
        | "UR_KERNEL_GROUP_INFO_COMPILE_MAX_WORK_GROUP_SIZE" => "size_t[3]",
        "UR_PROGRAM_INFO_IL" => "uint8_t[]",
        _ => query.payload,
    }
}

/// Bytes of a value of the type; for a list, of one of them.
fn bytes(c_type: &str) -> usize {
    match c_type.trim_end_matches("[]") {
        "char" | "unsigned char" | "uint8_t" | "ur_bool_t" => 1,
        "size_t[3]" => 24,
        "ur_device_partition_property_t" => size_of::<ur_device_partition_property_t>(),
        "ur_image_format_t" => size_of::<ur_image_format_t>(),
        "ur_physical_mem_properties_t" => size_of::<ur_physical_mem_properties_t>(),
        "ur_exp_command_buffer_desc_t" => size_of::<ur_exp_command_buffer_desc_t>(),
        "uint64_t" | "size_t" => 8,
        name if name.ends_with('*') || name.ends_with("_handle_t") => 8,
        // The rest are enumerations and sets of bits.
        _ => 4,
    }
}

/// A place for a value with marks behind it.
struct Room(Vec<u64>);

const MARK: u8 = 0xa5;

impl Room {
    fn new(bytes: usize) -> Room {
        Room(vec![u64::from_ne_bytes([MARK; 8]); bytes.div_ceil(8) + 4])
    }

    fn at(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    /// Whether everything from a byte on is as it was.
    fn untouched(&self, from: usize) -> bool {
        self.bytes()[from..].iter().all(|byte| *byte == MARK)
    }
}

fn size(subject: &Subject, query: &InfoEntry, ask: &Ask) -> Result<usize, Stop> {
    let mut size = usize::MAX;
    let code = ask(query.value, 0, null_mut(), &raw mut size);
    check(subject.call, UR_RESULT_SUCCESS, code)?;
    ensure!(size != usize::MAX, "{} wrote no size", subject.call);
    Ok(size)
}

/// The size is that of the type, and the value is one that the type has.
fn value(subject: &Subject, query: &InfoEntry, ask: &Ask) -> Outcome {
    let size = size(subject, query, ask)?;
    let one = bytes(payload(query));
    if payload(query).ends_with("[]") {
        ensure!(size % one == 0, "{size} bytes for a list of {one} each");
    } else {
        same!(format_args!("the size of {}", query.name), size, one);
    }
    if size == 0 {
        return Ok(());
    }
    let mut room = Room::new(size);
    let mut again = usize::MAX;
    let code = ask(query.value, size, room.at(), &raw mut again);
    check(subject.call, UR_RESULT_SUCCESS, code)?;
    same!("the size beside the value", again, size);
    ensure!(room.untouched(size), "bytes behind the value were written");
    let bytes = room.bytes();
    match payload(query) {
        "char[]" => {
            same!("the text's last byte", bytes[size - 1], 0);
            ensure!(
                !bytes[..size - 1].contains(&0),
                "there is a zero inside the text"
            );
        }
        "ur_bool_t" => ensure!(bytes[0] <= 1, "a truth value of {}", bytes[0]),
        list if list.ends_with("handle_t[]") => {
            let null = bytes[..size].chunks_exact(8).any(|h| h == [0; 8]);
            ensure!(!null, "a null handle in the list");
        }
        _ => {}
    }
    Ok(())
}

/// A place that is too small is refused, and left alone.
fn short_buffer(subject: &Subject, query: &InfoEntry, ask: &Ask) -> Outcome {
    let size = size(subject, query, ask)?;
    if size < 2 {
        let reason = format!("the answer has {size} bytes, so no place is too small");
        return Err(Stop::Unsupported(reason));
    }
    let mut room = Room::new(size);
    let code = ask(query.value, size - 1, room.at(), null_mut());
    check(subject.call, UR_RESULT_ERROR_INVALID_SIZE, code)?;
    ensure!(room.untouched(0), "a place that is too small was written");
    Ok(())
}

/// A place that is larger than needed gets the value and the size that it needed.
fn long_buffer(subject: &Subject, query: &InfoEntry, ask: &Ask) -> Outcome {
    let size = size(subject, query, ask)?;
    let mut room = Room::new(size + 16);
    let mut told = usize::MAX;
    let code = ask(query.value, size + 16, room.at(), &raw mut told);
    check(subject.call, UR_RESULT_SUCCESS, code)?;
    same!("the size", told, size);
    ensure!(
        room.untouched(size + 16),
        "bytes behind the place were written"
    );
    Ok(())
}

/// Null for the size alone is right; for both, or with a size, it is refused.
fn nulls(subject: &Subject, query: &InfoEntry, ask: &Ask) -> Outcome {
    let size = size(subject, query, ask)?;
    let mut room = Room::new(size.max(1));
    if size > 0 {
        let code = ask(query.value, size, room.at(), null_mut());
        check(subject.call, UR_RESULT_SUCCESS, code)?;
    }
    let code = ask(query.value, 0, null_mut(), null_mut());
    check(subject.call, UR_RESULT_ERROR_INVALID_NULL_POINTER, code)?;
    let mut told = 0;
    let code = ask(query.value, size.max(1), null_mut(), &raw mut told);
    check(subject.call, UR_RESULT_ERROR_INVALID_NULL_POINTER, code)?;
    let mut room = Room::new(size.max(1));
    let code = ask(query.value, 0, room.at(), null_mut());
    // The only function whose rule for this has another result.
    let wanted = match subject.call {
        "urEventGetProfilingInfo" => UR_RESULT_ERROR_INVALID_VALUE,
        _ => UR_RESULT_ERROR_INVALID_SIZE,
    };
    check(subject.call, wanted, code)?;
    ensure!(room.untouched(0), "a place of no bytes was written");
    Ok(())
}

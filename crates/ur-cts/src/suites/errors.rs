//! Calls that must be refused: for each function and each condition on its arguments one that has
//! this reason alone, rendered from the API's data. All of them where the loader checks parameters,
//! with the documented result; those that speak of sizes and values also without, where an adapter
//! must not take them, whatever error it gives.

mod belonging;

use crate::failure::{Stop, check};
use crate::generated::words::call;
use crate::objects::{
    CommandBuffer, Context, Counted, Event, Kernel, Memory, Pool, Program, Queue, RGBA8, Sampler,
    flat,
};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, api, ensure, kernels, ur};
use std::cell::RefCell;
use std::ptr::{null, null_mut};
use ur_api::*;

const CASES: &str = include_str!("../generated/cases.tsv");

/// Results that only say what is missing, or that a number has no name.
const PLAIN: [&str; 3] = [
    "UR_RESULT_ERROR_INVALID_NULL_HANDLE",
    "UR_RESULT_ERROR_INVALID_NULL_POINTER",
    "UR_RESULT_ERROR_INVALID_ENUMERATION",
];

/// What only the loader's check is for: lists and places that are null where a number says that
/// there is something, or the other way round.
const LAYERS: [&str; 4] = ["WaitList", "propSize", "Entries", "pNumPlatforms"];

/// Functions that look at the state of an object first, which is not the right one here.
const STATE: [&str; 3] = [
    "urCommandBufferUpdateKernelLaunchExp",
    "urCommandBufferUpdateSignalEventExp",
    "urCommandBufferUpdateWaitEventsExp",
];

/// Kinds of objects that the suite makes; `-` is no object. An adapter looks at the others first.
const MADE: [&str; 13] = [
    "-",
    "adapter",
    "platform",
    "device",
    "context",
    "queue",
    "event",
    "mem",
    "sampler",
    "usm_pool",
    "program",
    "kernel",
    "exp_command_buffer",
];

/// Bytes behind each pointer.
const ROOM: usize = 512;

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for line in CASES.lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&'static str> = line.split('\t').collect();
        let [function, what, result, arguments, objects] = parts[..] else {
            continue;
        };
        if what == "right" {
            continue;
        }
        let name = format!("{function}::{what}");
        suite
            .validated()
            .part("validated")
            .device(&name, move |cx| {
                refuse(cx, function, Some(result), arguments, objects)
            });
        let unmade = objects.split(' ').any(|kind| !MADE.contains(&kind));
        let layers = LAYERS.iter().any(|text| what.contains(text));
        if !PLAIN.contains(&result) && !layers && !unmade && !STATE.contains(&function) {
            suite.part("adapter").device(&name, move |cx| {
                refuse(cx, function, None, arguments, objects)
            });
        }
    }
    belonging::tests(suite);
}

fn named(result: &str) -> ur_result_t {
    let all = crate::coverage::results();
    let found = all.iter().find(|(_, name)| *name == result);
    ur_result_t(found.expect("a result of the API").0)
}

/// Makes a call that must be refused.
fn refuse(
    cx: &Cx,
    function: &'static str,
    result: Option<&str>,
    arguments: &str,
    objects: &str,
) -> Outcome {
    let mut words = Words {
        cx: *cx,
        objects: Objects {
            images: function.contains("MemImage"),
            ..Objects::default()
        },
        words: Vec::new(),
        rooms: Vec::new(),
    };
    let kinds = objects.split(' ');
    for (word, kind) in arguments.split(' ').filter(|w| !w.is_empty()).zip(kinds) {
        words.add(word, kind)?;
    }
    if !api().has(function) {
        return Err(Stop::Unsupported(format!(
            "{function} is absent from this loader"
        )));
    }
    // SAFETY: the words are arguments of the function, with memory behind each pointer.
    let Some(code) = (unsafe { call(api(), function, &words.words) }) else {
        return Err(Stop::fail(format_args!("{function} is unknown")));
    };
    match result {
        Some(result) => check(function, named(result), code)?,
        // Some error, or that there is no such feature.
        None => ensure!(code != UR_RESULT_SUCCESS, "{function} succeeded"),
    }
    Ok(())
}

/// Objects of each kind that a call may need, made when first asked for.
#[derive(Debug, Default)]
struct Objects {
    /// Whether memory objects are images.
    images: bool,
    // In this order, so that each goes before what it was made of.
    commands: RefCell<Option<CommandBuffer>>,
    event: RefCell<Option<Event>>,
    kernel: RefCell<Option<Kernel>>,
    program: RefCell<Option<Program>>,
    memory: RefCell<Option<Memory>>,
    sampler: RefCell<Option<Sampler>>,
    pool: RefCell<Option<Pool>>,
    queue: RefCell<Option<Queue>>,
    context: RefCell<Option<Context>>,
}

/// The handle of an object, which is made first if there is none.
fn kept<T: Counted>(
    place: &RefCell<Option<T>>,
    make: impl FnOnce() -> Result<T, Stop>,
) -> Result<T::Handle, Stop> {
    if let Some(object) = &*place.borrow() {
        return Ok(object.get());
    }
    let object = make()?;
    let handle = object.get();
    *place.borrow_mut() = Some(object);
    Ok(handle)
}

impl Objects {
    fn context(&self, cx: &Cx) -> Result<ur_context_handle_t, Stop> {
        kept(&self.context, || cx.context())
    }

    fn queue(&self, cx: &Cx) -> Result<ur_queue_handle_t, Stop> {
        let context = self.context(cx)?;
        kept(&self.queue, || {
            Queue::made("urQueueCreate", |out| {
                ur!(urQueueCreate(context, cx.device(), null(), out))
            })
        })
    }

    fn program(&self, cx: &Cx) -> Result<ur_program_handle_t, Stop> {
        let context = self.context(cx)?;
        kept(&self.program, || {
            let program = Program::made("urProgramCreateWithIL", |out| {
                let il = kernels::BASIC;
                let words = il.as_ptr().cast();
                ur!(urProgramCreateWithIL(context, words, il.len(), null(), out))
            })?;
            let code = ur!(urProgramBuild(context, program.get(), null()));
            check("urProgramBuild", UR_RESULT_SUCCESS, code)?;
            Ok(program)
        })
    }

    /// The handle of an object of that kind, or that of the context for kinds that have no object
    /// here: the check of parameters looks at no handle, and without it such calls are not made.
    fn handle(&self, cx: &Cx, kind: &str) -> Result<usize, Stop> {
        Ok(match kind {
            "adapter" => cx.adapter().expose_provenance(),
            "platform" => cx.platform().expose_provenance(),
            "device" => cx.device().expose_provenance(),
            "context" => self.context(cx)?.expose_provenance(),
            "queue" => self.queue(cx)?.expose_provenance(),
            "event" => {
                let queue = self.queue(cx)?;
                let event = kept(&self.event, || {
                    Event::made("urEnqueueEventsWait", |out| {
                        ur!(urEnqueueEventsWait(queue, 0, null(), out))
                    })
                });
                event?.expose_provenance()
            }
            "exp_command_buffer" => {
                let context = self.context(cx)?;
                let commands = kept(&self.commands, || {
                    CommandBuffer::made("urCommandBufferCreateExp", |out| {
                        let desc = ur_exp_command_buffer_desc_t::default();
                        let desc = &raw const desc;
                        ur!(urCommandBufferCreateExp(context, cx.device(), desc, out))
                    })
                });
                commands?.expose_provenance()
            }
            "mem" if self.images => {
                cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
                let context = self.context(cx)?;
                let memory = kept(&self.memory, || {
                    Memory::made("urMemImageCreate", |out| {
                        let flags = UR_MEM_FLAG_READ_WRITE.0;
                        let desc = flat(8, 8);
                        let (format, desc) = (&raw const RGBA8, &raw const desc);
                        ur!(urMemImageCreate(
                            context,
                            flags,
                            format,
                            desc,
                            null_mut(),
                            out
                        ))
                    })
                });
                memory?.expose_provenance()
            }
            "mem" => {
                let context = self.context(cx)?;
                let memory = kept(&self.memory, || {
                    Memory::made("urMemBufferCreate", |out| {
                        let flags = UR_MEM_FLAG_READ_WRITE.0;
                        ur!(urMemBufferCreate(context, flags, ROOM, null(), out))
                    })
                });
                memory?.expose_provenance()
            }
            "sampler" => {
                let context = self.context(cx)?;
                let sampler = kept(&self.sampler, || {
                    Sampler::made("urSamplerCreate", |out| {
                        let desc = ur_sampler_desc_t::default();
                        ur!(urSamplerCreate(context, &raw const desc, out))
                    })
                });
                sampler?.expose_provenance()
            }
            "usm_pool" => {
                let context = self.context(cx)?;
                let pool = kept(&self.pool, || {
                    Pool::made("urUSMPoolCreate", |out| {
                        let mut desc = ur_usm_pool_desc_t::default();
                        ur!(urUSMPoolCreate(context, &raw mut desc, out))
                    })
                });
                pool?.expose_provenance()
            }
            "program" => self.program(cx)?.expose_provenance(),
            "kernel" => {
                let program = self.program(cx)?;
                let kernel = kept(&self.kernel, || {
                    Kernel::made("urKernelCreate", |out| {
                        ur!(urKernelCreate(program, c"fill".as_ptr(), out))
                    })
                });
                kernel?.expose_provenance()
            }
            _ => self.context(cx)?.expose_provenance(),
        })
    }
}

/// The words of a call, and what they point to.
struct Words {
    cx: Cx,
    objects: Objects,
    words: Vec<usize>,
    rooms: Vec<Vec<u64>>,
}

impl Words {
    fn room(&mut self) -> &mut [u64] {
        let mut room = vec![0; ROOM / 8];
        self.words.push(room.as_mut_ptr().expose_provenance());
        self.rooms.push(room);
        self.rooms.last_mut().expect("it was put there")
    }

    fn add(&mut self, word: &str, kind: &str) -> Result<(), Stop> {
        let inside = |name: &str| {
            let rest = word.strip_prefix(name)?;
            rest.strip_prefix('{')?.strip_suffix('}')
        };
        if let Some(numbers) = inside("box") {
            let numbers = numbers.split(',').map(number);
            self.words.extend(numbers);
        } else if let Some(handles) = inside("handles") {
            let handle = self.objects.handle(&self.cx, kind)? as u64;
            let room = self.room();
            for (place, which) in room.iter_mut().zip(handles.split(',')) {
                *place = if which == "ok" { handle } else { 0 };
            }
        } else if let Some(fields) = inside("memory") {
            let room = self.room();
            for field in fields.split(',') {
                write(room, field);
            }
        } else {
            match word {
                "memory" => {
                    self.room();
                }
                "null" => self.words.push(0),
                "handle" => {
                    let handle = self.objects.handle(&self.cx, kind)?;
                    self.words.push(handle);
                }
                "function" => self.words.push(1),
                word => self.words.push(number(word)),
            }
        }
        Ok(())
    }
}

fn number(text: &str) -> usize {
    text.parse().expect("a number")
}

/// Writes `offset:size=value`.
fn write(room: &mut [u64], field: &str) {
    let (place, value) = field.split_once('=').expect("a value");
    let (offset, size) = place.split_once(':').expect("a size");
    let value = number(value).to_le_bytes();
    for (index, byte) in value.iter().take(number(size)).enumerate() {
        let at = number(offset) + index;
        let shift = at % 8 * 8;
        room[at / 8] = room[at / 8] & !(0xff << shift) | u64::from(*byte) << shift;
    }
}

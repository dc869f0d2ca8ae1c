//! Memory and events that processes share.

use crate::acts::{Act, Player, Scene, hear, hex, tell, unhex};
use crate::failure::{Stop, check};
use crate::objects::{Context, Event, PhysicalMem, Queue, Usm, UsmKind};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, refused, same, ur};
use std::ffi::c_void;
use std::ptr::null_mut;
use ur_api::*;

/// Bytes by which another process opens something, given back when this goes away.
struct Ticket {
    context: ur_context_handle_t,
    at: *mut c_void,
    size: usize,
}

impl Ticket {
    fn of(context: &Context, memory: *mut c_void) -> Result<Ticket, Stop> {
        let (mut at, mut size) = (null_mut(), 0);
        ok!(urIPCGetMemHandleExp(
            context.get(),
            memory,
            &raw mut at,
            &raw mut size
        ))?;
        ensure!(!at.is_null() && size > 0, "a handle of {size} bytes");
        let context = context.get();
        Ok(Ticket { context, at, size })
    }

    fn bytes(&self) -> Vec<u8> {
        // SAFETY: the call gave that many bytes, which stay until they are given back.
        unsafe { std::slice::from_raw_parts(self.at.cast::<u8>(), self.size) }.to_vec()
    }

    fn put(self) -> Outcome {
        ok!(urIPCPutMemHandleExp(self.context, self.at))?;
        Ok(())
    }
}

fn open(cx: &Cx, context: &Context, bytes: &[u8]) -> Result<*mut c_void, Stop> {
    let mut at = null_mut();
    ok!(urIPCOpenMemHandleExp(
        context.get(),
        cx.device(),
        bytes.as_ptr().cast_mut().cast(),
        bytes.len(),
        &raw mut at
    ))?;
    ensure!(!at.is_null(), "there is no memory");
    Ok(at)
}

fn marked(size: usize, seed: u8) -> Vec<u8> {
    (0..size).map(|i| (i * 5 + i / 256) as u8 ^ seed).collect()
}

struct Shared {
    usm: Usm,
    queue: Queue,
    context: Context,
}

fn shared(cx: &Cx, size: usize) -> Result<Shared, Stop> {
    cx.needs(UR_DEVICE_INFO_IPC_MEMORY_SUPPORT_EXP)?;
    let (context, queue) = cx.queue(0)?;
    let usm = Usm::new(cx, &context, UsmKind::Device, size)?;
    queue.put(usm.at, &marked(size, 0))?;
    Ok(Shared {
        usm,
        queue,
        context,
    })
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for size in [1usize, 100, 4096, 65_537, 1 << 22] {
        suite.device(format!("memory::two_processes::{size}_bytes"), move |cx| {
            let shared = shared(cx, size)?;
            let ticket = Ticket::of(&shared.context, shared.usm.at)?;
            let input = format!("{} {size}", hex(&ticket.bytes()));
            Player::start(cx, "ipc_change", &input)?.end()?;
            let found = shared.queue.fetch(shared.usm.at, size)?;
            ensure!(found == marked(size, 0xff), "the other's bytes are missing");
            ticket.put()
        });
        suite.device(format!("memory::same_process::{size}_bytes"), move |cx| {
            let shared = shared(cx, size)?;
            let ticket = Ticket::of(&shared.context, shared.usm.at)?;
            let at = open(cx, &shared.context, &ticket.bytes())?;
            let found = shared.queue.fetch(at, size)?;
            ensure!(found == marked(size, 0), "the bytes differ");
            shared.queue.put(at, &marked(size, 3))?;
            let found = shared.queue.fetch(shared.usm.at, size)?;
            ensure!(found == marked(size, 3), "what was written is missing");
            ok!(urIPCCloseMemHandleExp(shared.context.get(), at))?;
            ticket.put()
        });
    }
    suite.device("memory::three_processes", |cx| {
        let size = 10_000;
        let shared = shared(cx, size)?;
        let ticket = Ticket::of(&shared.context, shared.usm.at)?;
        let input = format!("{} {size}", hex(&ticket.bytes()));
        for _ in 0..2 {
            Player::start(cx, "ipc_change", &input)?.end()?;
        }
        let found = shared.queue.fetch(shared.usm.at, size)?;
        ensure!(found == marked(size, 0), "it was not turned twice");
        ticket.put()
    });
    suite.device("memory::by_turns", |cx| {
        let shared = shared(cx, 64)?;
        let ticket = Ticket::of(&shared.context, shared.usm.at)?;
        let mut other = Player::start(cx, "ipc_turns", &hex(&ticket.bytes()))?;
        for turn in 1..=10u8 {
            shared.queue.put(shared.usm.at, &[turn; 64])?;
            other.tell("your turn")?;
            let said = other.hear()?;
            same!("what the other saw", said, format!("{turn}"));
            let found = shared.queue.fetch(shared.usm.at, 64)?;
            same!("what the other wrote", found, [turn + 100; 64]);
        }
        other.end()?;
        ticket.put()
    });
    suite.device("memory::bytes_stay_the_same_memory", |cx| {
        let shared = shared(cx, 4096)?;
        let first = Ticket::of(&shared.context, shared.usm.at)?;
        let second = Ticket::of(&shared.context, shared.usm.at)?;
        same!("the size", first.size, second.size);
        let bytes = second.bytes();
        first.put()?;
        let at = open(cx, &shared.context, &bytes)?;
        let found = shared.queue.fetch(at, 4096)?;
        ensure!(found == marked(4096, 0), "the bytes differ");
        ok!(urIPCCloseMemHandleExp(shared.context.get(), at))?;
        second.put()
    });
    suite.device("memory::of_the_wrong_size", |cx| {
        let shared = shared(cx, 64)?;
        let ticket = Ticket::of(&shared.context, shared.usm.at)?;
        let bytes = ticket.bytes();
        let mut at = null_mut();
        for size in [bytes.len() - 1, 1] {
            refused!(
                UR_RESULT_ERROR_INVALID_VALUE,
                urIPCOpenMemHandleExp(
                    shared.context.get(),
                    cx.device(),
                    bytes.as_ptr().cast_mut().cast(),
                    size,
                    &raw mut at
                )
            )?;
        }
        ticket.put()
    });
    suite.device("memory::that_is_none", |cx| {
        let shared = shared(cx, 64)?;
        let own = Box::new(0u64);
        let (mut at, mut size) = (null_mut(), 0);
        let at_own = (&raw const *own).cast_mut().cast();
        let code = ur!(urIPCGetMemHandleExp(
            shared.context.get(),
            at_own,
            &raw mut at,
            &raw mut size
        ));
        ensure!(code != UR_RESULT_SUCCESS, "memory of the host has a handle");
        Ok(())
    });
    physical(suite);
    events(suite);
}

fn new_physical(cx: &Cx) -> Result<(PhysicalMem, Context, usize), Stop> {
    cx.needs(UR_DEVICE_INFO_IPC_PHYSICAL_MEMORY_SUPPORT_EXP)?;
    let context = cx.context()?;
    let size = super::virtual_memory::granularity(cx, &context, 1)?;
    let properties = ur_physical_mem_properties_t {
        flags: UR_PHYSICAL_MEM_FLAG_ENABLE_IPC.0,
        ..Default::default()
    };
    let memory = PhysicalMem::new(&context, cx.device(), size, Some(&properties))?;
    Ok((memory, context, size))
}

fn physical_ticket(context: &Context, memory: &PhysicalMem) -> Result<(*mut c_void, usize), Stop> {
    let (mut at, mut size) = (null_mut(), 0);
    ok!(urIPCGetPhysMemHandleExp(
        context.get(),
        memory.get(),
        &raw mut at,
        &raw mut size
    ))?;
    Ok((at, size))
}

fn physical(suite: &mut Suite<'_>) {
    suite.device("physical_memory::two_processes", |cx| {
        let (memory, context, size) = new_physical(cx)?;
        let range = super::virtual_memory::Mapped::new(&context, &memory, size)?;
        let queue = Queue::new(&context, cx.device(), 0)?;
        queue.put(range.at, &marked(size, 0))?;
        let (at, bytes) = physical_ticket(&context, &memory)?;
        // SAFETY: the call gave that many bytes.
        let ticket = unsafe { std::slice::from_raw_parts(at.cast::<u8>(), bytes) };
        let input = format!("{} {size}", hex(ticket));
        Player::start(cx, "ipc_change_physical", &input)?.end()?;
        let found = queue.fetch(range.at, size)?;
        ensure!(found == marked(size, 0xff), "the other's bytes are missing");
        ok!(urIPCPutPhysMemHandleExp(context.get(), at))?;
        Ok(())
    });
    suite.device("physical_memory::same_process", |cx| {
        let (memory, context, size) = new_physical(cx)?;
        let queue = Queue::new(&context, cx.device(), 0)?;
        let (at, bytes) = physical_ticket(&context, &memory)?;
        let opened = PhysicalMem::made("urIPCOpenPhysMemHandleExp", |out| {
            ur!(urIPCOpenPhysMemHandleExp(
                context.get(),
                cx.device(),
                at,
                bytes,
                out
            ))
        })?;
        {
            let one = super::virtual_memory::Mapped::new(&context, &memory, size)?;
            let two = super::virtual_memory::Mapped::new(&context, &opened, size)?;
            queue.put(one.at, &marked(size, 9))?;
            let found = queue.fetch(two.at, size)?;
            ensure!(found == marked(size, 9), "they are not the same memory");
        }
        let handle = opened.get();
        std::mem::forget(opened);
        ok!(urIPCClosePhysMemHandleExp(context.get(), handle))?;
        ok!(urIPCPutPhysMemHandleExp(context.get(), at))?;
        Ok(())
    });
    suite.device("physical_memory::not_made_to_be_shared", |cx| {
        cx.needs(UR_DEVICE_INFO_IPC_PHYSICAL_MEMORY_SUPPORT_EXP)?;
        let context = cx.context()?;
        let size = super::virtual_memory::granularity(cx, &context, 1)?;
        let memory = PhysicalMem::new(&context, cx.device(), size, None)?;
        let (mut at, mut bytes) = (null_mut(), 0);
        refused!(
            UR_RESULT_ERROR_INVALID_ARGUMENT,
            urIPCGetPhysMemHandleExp(context.get(), memory.get(), &raw mut at, &raw mut bytes)
        )?;
        Ok(())
    });
}

fn events(suite: &mut Suite<'_>) {
    suite.device("event::handle_of_one_made_to_be_shared", |cx| {
        cx.needs(UR_DEVICE_INFO_IPC_EVENT_SUPPORT_EXP)?;
        let context = cx.context()?;
        let desc = ur_exp_event_desc_t {
            flags: UR_EXP_EVENT_FLAG_IPC_EXP.0,
            ..Default::default()
        };
        let event = Event::made("urEventCreateExp", |out| {
            ur!(urEventCreateExp(
                context.get(),
                cx.device(),
                &raw const desc,
                out
            ))
        })?;
        let (mut at, mut size) = (null_mut(), 0);
        ok!(urIPCGetEventHandleExp(
            event.get(),
            &raw mut at,
            &raw mut size
        ))?;
        let opened = Event::made("urIPCOpenEventHandleExp", |out| {
            ur!(urIPCOpenEventHandleExp(context.get(), at, size, out))
        })?;
        drop(opened);
        ok!(urIPCPutEventHandleExp(context.get(), at))?;
        Ok(())
    });
    suite.device("event::declined_where_unsupported", |cx| {
        if cx.has(UR_DEVICE_INFO_IPC_EVENT_SUPPORT_EXP)? {
            return Ok(());
        }
        let (_context, queue) = cx.queue(0)?;
        let event = Event::after(&queue, &[])?;
        let (mut at, mut size) = (null_mut(), 0);
        let code = ur!(urIPCGetEventHandleExp(
            event.get(),
            &raw mut at,
            &raw mut size
        ));
        if !crate::api().has("urIPCGetEventHandleExp") {
            return Err(Stop::Unsupported("the loader lacks the function".into()));
        }
        let declined = [
            UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
            UR_RESULT_ERROR_UNINITIALIZED,
            UR_RESULT_ERROR_INVALID_EVENT,
        ];
        check("urIPCGetEventHandleExp", declined, code)?;
        queue.finish()
    });
}

fn ticket_and_size(input: &str) -> (Vec<u8>, usize) {
    let (ticket, size) = input.split_once(' ').unwrap_or((input, "0"));
    (unhex(ticket), size.parse().unwrap_or(0))
}

/// Turns every bit of the other process's memory.
fn change(scene: &Scene) -> Outcome {
    let cx = scene.begin()?;
    let (ticket, size) = ticket_and_size(&scene.input);
    {
        let (context, queue) = cx.queue(0)?;
        let at = open(&cx, &context, &ticket)?;
        turn(&queue, at, size)?;
        ok!(urIPCCloseMemHandleExp(context.get(), at))?;
    }
    cx.world().stop(crate::api()).map_err(Stop::fail)
}

fn turn(queue: &Queue, at: *mut c_void, size: usize) -> Outcome {
    let mut bytes = queue.fetch(at, size)?;
    let right = bytes == marked(size, 0) || bytes == marked(size, 0xff);
    ensure!(right, "the bytes are not those of the other process");
    for byte in &mut bytes {
        *byte ^= 0xff;
    }
    queue.put(at, &bytes)
}

fn change_physical(scene: &Scene) -> Outcome {
    let cx = scene.begin()?;
    let (ticket, size) = ticket_and_size(&scene.input);
    {
        let (context, queue) = cx.queue(0)?;
        let memory = PhysicalMem::made("urIPCOpenPhysMemHandleExp", |out| {
            ur!(urIPCOpenPhysMemHandleExp(
                context.get(),
                cx.device(),
                ticket.as_ptr().cast(),
                ticket.len(),
                out
            ))
        })?;
        {
            let range = super::virtual_memory::Mapped::new(&context, &memory, size)?;
            turn(&queue, range.at, size)?;
        }
        let handle = memory.get();
        std::mem::forget(memory);
        ok!(urIPCClosePhysMemHandleExp(context.get(), handle))?;
    }
    cx.world().stop(crate::api()).map_err(Stop::fail)
}

/// Says what it sees, and changes it, each time that it is told.
fn turns(scene: &Scene) -> Outcome {
    let cx = scene.begin()?;
    let (context, queue) = cx.queue(0)?;
    let at = open(&cx, &context, &unhex(&scene.input))?;
    while !hear()?.is_empty() {
        let bytes = queue.fetch(at, 64)?;
        ensure!(bytes.iter().all(|b| *b == bytes[0]), "{bytes:?}");
        queue.put(at, &[bytes[0] + 100; 64])?;
        tell(&bytes[0].to_string())?;
    }
    ok!(urIPCCloseMemHandleExp(context.get(), at))?;
    Ok(())
}

pub(crate) const ACTS: &[(&str, Act)] = &[
    ("ipc_change", change),
    ("ipc_change_physical", change_physical),
    ("ipc_turns", turns),
];

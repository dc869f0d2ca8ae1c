//! Changes of recorded commands.

use super::append::append_launch;
use super::stage::{Kind, Links, Stage, enqueue, finalize, recorded, run};
use crate::failure::{Stop, check};
use crate::objects::{
    Arg, CommandBuffer, Counted, Event, Gate, Kernel, Memory, Program, Queue, Range, Usm, UsmKind,
};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, kernels, ok, refused, same, ur};
use std::ffi::CStr;
use std::ptr::null_mut;
use ur_api::*;

type Command = ur_exp_command_buffer_command_handle_t;

const CAPABILITIES: ur_device_info_t = UR_DEVICE_INFO_COMMAND_BUFFER_UPDATE_CAPABILITIES_EXP;
const ARGUMENTS: ur_device_command_buffer_update_capability_flag_t =
    UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_KERNEL_ARGUMENTS;
const GLOBAL: ur_device_command_buffer_update_capability_flag_t =
    UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_GLOBAL_WORK_SIZE;
const LOCAL: ur_device_command_buffer_update_capability_flag_t =
    UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_LOCAL_WORK_SIZE;
const OFFSET: ur_device_command_buffer_update_capability_flag_t =
    UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_GLOBAL_WORK_OFFSET;
const KERNEL: ur_device_command_buffer_update_capability_flag_t =
    UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_KERNEL_HANDLE;
const EVENTS: ur_device_command_buffer_update_capability_flag_t =
    UR_DEVICE_COMMAND_BUFFER_UPDATE_CAPABILITY_FLAG_EVENTS;

/// Numbers that all areas have room for.
const ROOM: usize = 64;

/// A launch of `fill` in a finalized command buffer, of 16 work-items that write 1 to `area`.
struct Recorded {
    buffer: CommandBuffer,
    command: Command,
    area: Usm,
    stage: Stage,
}

impl Recorded {
    fn new(cx: &Cx) -> Result<Recorded, Stop> {
        let mut recorded = Recorded::open(cx, c"fill", &mut |_| Ok(Vec::new()))?;
        recorded.close()?;
        Ok(recorded)
    }

    /// Not finalized, of a kernel with these arguments, and with alternatives.
    fn open(
        cx: &Cx,
        name: &CStr,
        alternatives: &mut dyn FnMut(&Stage) -> Result<Vec<Kernel>, Stop>,
    ) -> Result<Recorded, Stop> {
        let stage = Stage::new(cx, Kind::KernelLaunchWithArgs)?;
        let buffer = stage.updatable()?;
        let mut area = Usm::new(cx, &stage.context, UsmKind::Host, ROOM * 4)?;
        area.bytes().fill(0);
        let kernel = Kernel::new(stage.program(), name)?;
        let others = alternatives(&stage)?;
        let mut handles: Vec<_> = others.iter().map(Kernel::get).collect();
        let value = 1u32.to_ne_bytes();
        let args = [Arg::Pointer(area.at), Arg::Value(&value)];
        let args = if name == c"fill" {
            &args[..]
        } else {
            &args[..1]
        };
        let mut command = null_mut();
        let links = Links {
            command: &raw mut command,
            ..Links::NONE
        };
        let range = Range::from(&[16][..]);
        let code = append_launch(buffer.get(), &kernel, range, args, &mut handles, links);
        recorded("urCommandBufferAppendKernelLaunchWithArgsExp", code)?;
        ensure!(!command.is_null(), "there is no command");
        Ok(Recorded {
            buffer,
            command,
            area,
            stage,
        })
    }

    fn close(&mut self) -> Outcome {
        finalize(&self.buffer)
    }

    fn change(&self) -> ur_exp_command_buffer_update_kernel_launch_desc_t {
        ur_exp_command_buffer_update_kernel_launch_desc_t {
            hCommand: self.command,
            newWorkDim: 1,
            ..Default::default()
        }
    }

    /// Clears the area, runs the commands, and gives the numbers in the area.
    fn numbers(&mut self) -> Result<Vec<u32>, Stop> {
        self.area.bytes().fill(0);
        run(&self.stage.queue, &self.buffer)?;
        Ok(numbers(self.area.bytes()))
    }
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

/// So many of a number, and zeros up to the end.
fn row(start: usize, count: usize, value: u32) -> Vec<u32> {
    let inside = |at: &usize| (start..start + count).contains(at);
    (0..ROOM)
        .map(|at| if inside(&at) { value } else { 0 })
        .collect()
}

fn value_arg(index: u32, value: &[u8]) -> ur_exp_command_buffer_update_value_arg_desc_t {
    ur_exp_command_buffer_update_value_arg_desc_t {
        argIndex: index,
        argSize: value.len(),
        pNewValueArg: value.as_ptr().cast(),
        ..Default::default()
    }
}

fn pointer_arg(index: u32, usm: &Usm) -> ur_exp_command_buffer_update_pointer_arg_desc_t {
    ur_exp_command_buffer_update_pointer_arg_desc_t {
        argIndex: index,
        // The place of the pointer: some take the pointer's address, the API's text the pointer.
        pNewPointerArg: usm.at,
        ..Default::default()
    }
}

/// Makes changes.
#[track_caller]
fn update(
    recorded: &Recorded,
    changes: &[ur_exp_command_buffer_update_kernel_launch_desc_t],
) -> Outcome {
    ok!(urCommandBufferUpdateKernelLaunchExp(
        recorded.buffer.get(),
        changes.len() as u32,
        changes.as_ptr()
    ))?;
    Ok(())
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    let mut suite = suite.part("update_kernel_launch");
    suite.device("value", |cx| {
        cx.needs_bits(CAPABILITIES, ARGUMENTS)?;
        let mut recorded = Recorded::new(cx)?;
        same!("before", recorded.numbers()?, row(0, 16, 1));
        for value in [7u32, 0xdead_beef, 0] {
            let bytes = value.to_ne_bytes();
            let args = [value_arg(1, &bytes)];
            let mut change = recorded.change();
            change.numNewValueArgs = 1;
            change.pNewValueArgList = args.as_ptr();
            update(&recorded, &[change])?;
            same!("after", recorded.numbers()?, row(0, 16, value));
        }
        Ok(())
    });
    suite.device("pointer", |cx| {
        cx.needs_bits(CAPABILITIES, ARGUMENTS)?;
        let mut recorded = Recorded::new(cx)?;
        let mut other = Usm::new(cx, &recorded.stage.context, UsmKind::Host, ROOM * 4)?;
        other.bytes().fill(0);
        let args = [pointer_arg(0, &other)];
        let mut change = recorded.change();
        change.numNewPointerArgs = 1;
        change.pNewPointerArgList = args.as_ptr();
        update(&recorded, &[change])?;
        same!("the old area", recorded.numbers()?, row(0, 0, 0));
        same!("the new area", numbers(other.bytes()), row(0, 16, 1));
        Ok(())
    });
    suite.device("memory_object", |cx| {
        cx.needs_bits(CAPABILITIES, ARGUMENTS)?;
        let recorded = Recorded::new(cx)?;
        let zeros = [0u8; ROOM * 4];
        let memory = Memory::with(&recorded.stage.context, &zeros)?;
        let args = [ur_exp_command_buffer_update_memobj_arg_desc_t {
            argIndex: 0,
            hNewMemObjArg: memory.get(),
            ..Default::default()
        }];
        let mut change = recorded.change();
        change.numNewMemObjArgs = 1;
        change.pNewMemObjArgList = args.as_ptr();
        update(&recorded, &[change])?;
        run(&recorded.stage.queue, &recorded.buffer)?;
        let found = memory.read(&recorded.stage.queue, zeros.len())?;
        same!("the buffer", numbers(&found), row(0, 16, 1));
        Ok(())
    });
    suite.device("value_and_pointer", |cx| {
        cx.needs_bits(CAPABILITIES, ARGUMENTS)?;
        let mut recorded = Recorded::new(cx)?;
        let mut other = Usm::new(cx, &recorded.stage.context, UsmKind::Host, ROOM * 4)?;
        other.bytes().fill(0);
        let bytes = 99u32.to_ne_bytes();
        let (pointers, values) = ([pointer_arg(0, &other)], [value_arg(1, &bytes)]);
        let mut change = recorded.change();
        change.numNewPointerArgs = 1;
        change.pNewPointerArgList = pointers.as_ptr();
        change.numNewValueArgs = 1;
        change.pNewValueArgList = values.as_ptr();
        update(&recorded, &[change])?;
        same!("the old area", recorded.numbers()?, row(0, 0, 0));
        same!("the new area", numbers(other.bytes()), row(0, 16, 99));
        Ok(())
    });
    for size in [1usize, 8, 33, 64] {
        suite.device(format!("global_size_of_{size}"), move |cx| {
            cx.needs_bits(CAPABILITIES, GLOBAL)?;
            let mut recorded = Recorded::new(cx)?;
            let mut global = [size];
            let mut change = recorded.change();
            change.pNewGlobalWorkSize = global.as_mut_ptr();
            update(&recorded, &[change])?;
            same!("after", recorded.numbers()?, row(0, size, 1));
            Ok(())
        });
    }
    for start in [1usize, 16, 40] {
        suite.device(format!("offset_of_{start}"), move |cx| {
            cx.needs_bits(CAPABILITIES, GLOBAL)?;
            cx.needs_bits(CAPABILITIES, OFFSET)?;
            let mut recorded = Recorded::new(cx)?;
            let (mut offset, mut global) = ([start], [16usize]);
            let mut change = recorded.change();
            change.pNewGlobalWorkOffset = offset.as_mut_ptr();
            change.pNewGlobalWorkSize = global.as_mut_ptr();
            update(&recorded, &[change])?;
            same!("after", recorded.numbers()?, row(start, 16, 1));
            Ok(())
        });
    }
    for size in [1usize, 2, 4, 8, 16] {
        suite.device(format!("local_size_of_{size}"), move |cx| {
            cx.needs_bits(CAPABILITIES, GLOBAL)?;
            cx.needs_bits(CAPABILITIES, LOCAL)?;
            let mut recorded = Recorded::open(cx, c"groups", &mut |_| Ok(Vec::new()))?;
            recorded.close()?;
            let (mut local, mut global) = ([size], [16usize]);
            let mut change = recorded.change();
            change.pNewLocalWorkSize = local.as_mut_ptr();
            change.pNewGlobalWorkSize = global.as_mut_ptr();
            update(&recorded, &[change])?;
            same!("after", recorded.numbers()?, row(0, 16, size as u32));
            Ok(())
        });
    }
    suite.device("kernel", |cx| {
        cx.needs_bits(CAPABILITIES, KERNEL)?;
        let mut inverted = null_mut();
        let mut kept = None;
        let mut recorded = Recorded::open(cx, c"fill", &mut |stage| {
            let kernel = Kernel::new(stage.program(), c"fill_inverted")?;
            inverted = kernel.get();
            kept = Some(kernel.retain()?);
            Ok(vec![kernel])
        })?;
        recorded.close()?;
        same!("before", recorded.numbers()?, row(0, 16, 1));
        let mut change = recorded.change();
        change.hNewKernel = inverted;
        let bytes = 1u32.to_ne_bytes();
        let (pointers, values) = ([pointer_arg(0, &recorded.area)], [value_arg(1, &bytes)]);
        change.numNewPointerArgs = 1;
        change.pNewPointerArgList = pointers.as_ptr();
        change.numNewValueArgs = 1;
        change.pNewValueArgList = values.as_ptr();
        update(&recorded, &[change])?;
        same!("after", recorded.numbers()?, row(0, 16, !1));
        Ok(())
    });
    suite.device("kernel_that_is_no_alternative", |cx| {
        cx.needs_bits(CAPABILITIES, KERNEL)?;
        let mut recorded = Recorded::new(cx)?;
        let kernel = Kernel::new(recorded.stage.program(), c"fill_inverted")?;
        let mut change = recorded.change();
        change.hNewKernel = kernel.get();
        refused!(
            UR_RESULT_ERROR_INVALID_VALUE,
            urCommandBufferUpdateKernelLaunchExp(recorded.buffer.get(), 1, &raw const change)
        )?;
        same!("after", recorded.numbers()?, row(0, 16, 1));
        Ok(())
    });
    suite.device("of_a_kernel_of_another_program", |cx| {
        cx.needs_bits(CAPABILITIES, KERNEL)?;
        let mut other = None;
        let mut recorded = Recorded::open(cx, c"fill", &mut |stage| {
            let program = Program::built(&stage.context, kernels::BASIC)?;
            let kernel = Kernel::new(&program, c"fill")?;
            other = Some(kernel.retain()?);
            Ok(vec![kernel])
        })?;
        recorded.close()?;
        let mut change = recorded.change();
        change.hNewKernel = other.as_ref().map_or(null_mut(), Kernel::get);
        let bytes = 3u32.to_ne_bytes();
        let (pointers, values) = ([pointer_arg(0, &recorded.area)], [value_arg(1, &bytes)]);
        change.numNewPointerArgs = 1;
        change.pNewPointerArgList = pointers.as_ptr();
        change.numNewValueArgs = 1;
        change.pNewValueArgList = values.as_ptr();
        update(&recorded, &[change])?;
        same!("after", recorded.numbers()?, row(0, 16, 3));
        Ok(())
    });
    suite.device("dimensions", |cx| {
        cx.needs_bits(CAPABILITIES, GLOBAL)?;
        cx.needs_bits(CAPABILITIES, OFFSET)?;
        let mut recorded = Recorded::new(cx)?;
        let (mut global, mut offset) = ([8usize, 3], [0usize, 0]);
        let mut change = recorded.change();
        change.newWorkDim = 2;
        change.pNewGlobalWorkSize = global.as_mut_ptr();
        change.pNewGlobalWorkOffset = offset.as_mut_ptr();
        let code = ur!(urCommandBufferUpdateKernelLaunchExp(
            recorded.buffer.get(),
            1,
            &raw const change
        ));
        // Not every device can.
        if code == UR_RESULT_ERROR_INVALID_WORK_DIMENSION
            || code == UR_RESULT_ERROR_UNSUPPORTED_FEATURE
        {
            return Err(Stop::Unsupported("dimensions cannot be changed".into()));
        }
        check(
            "urCommandBufferUpdateKernelLaunchExp",
            UR_RESULT_SUCCESS,
            code,
        )?;
        same!("after", recorded.numbers()?, row(0, 8, 1));
        Ok(())
    });
    suite.device("two_launches_at_once", |cx| {
        cx.needs_bits(CAPABILITIES, ARGUMENTS)?;
        let mut recorded = Recorded::open(cx, c"fill", &mut |_| Ok(Vec::new()))?;
        let mut second = Usm::new(cx, &recorded.stage.context, UsmKind::Host, ROOM * 4)?;
        second.bytes().fill(0);
        let value = 2u32.to_ne_bytes();
        let args = [Arg::Pointer(second.at), Arg::Value(&value)];
        let kernel = Kernel::new(recorded.stage.program(), c"fill")?;
        let mut command = null_mut();
        let links = Links {
            command: &raw mut command,
            ..Links::NONE
        };
        let range = Range::from(&[16][..]);
        let buffer = recorded.buffer.get();
        let code = append_launch(buffer, &kernel, range, &args, &mut [], links);
        check(
            "urCommandBufferAppendKernelLaunchWithArgsExp",
            UR_RESULT_SUCCESS,
            code,
        )?;
        recorded.close()?;
        let (five, six) = (5u32.to_ne_bytes(), 6u32.to_ne_bytes());
        let (fives, sixes) = ([value_arg(1, &five)], [value_arg(1, &six)]);
        let mut changes = [recorded.change(), recorded.change()];
        changes[1].hCommand = command;
        for (change, args) in changes.iter_mut().zip([&fives, &sixes]) {
            change.numNewValueArgs = 1;
            change.pNewValueArgList = args.as_ptr();
        }
        update(&recorded, &changes)?;
        same!("the first", recorded.numbers()?, row(0, 16, 5));
        same!("the second", numbers(second.bytes()), row(0, 16, 6));
        Ok(())
    });
    suite.device("between_runs", |cx| {
        cx.needs_bits(CAPABILITIES, ARGUMENTS)?;
        let mut recorded = Recorded::new(cx)?;
        for value in 1..20u32 {
            let bytes = value.to_ne_bytes();
            let args = [value_arg(1, &bytes)];
            let mut change = recorded.change();
            change.numNewValueArgs = 1;
            change.pNewValueArgList = args.as_ptr();
            update(&recorded, &[change])?;
            enqueue(&recorded.stage.queue, &recorded.buffer, &[])?.wait()?;
            let found = numbers(recorded.area.bytes());
            same!("a run", found, row(0, 16, value));
        }
        Ok(())
    });
    suite.device("no_change", |cx| {
        cx.needs_bits(CAPABILITIES, ARGUMENTS)?;
        let mut recorded = Recorded::new(cx)?;
        update(&recorded, &[recorded.change()])?;
        same!("after", recorded.numbers()?, row(0, 16, 1));
        Ok(())
    });
    errors(&mut suite);
    events(&mut suite);
}

fn errors(suite: &mut Suite<'_>) {
    suite.device("not_finalized", |cx| {
        cx.needs_bits(CAPABILITIES, ARGUMENTS)?;
        let recorded = Recorded::open(cx, c"fill", &mut |_| Ok(Vec::new()))?;
        let change = recorded.change();
        refused!(
            UR_RESULT_ERROR_INVALID_OPERATION,
            urCommandBufferUpdateKernelLaunchExp(recorded.buffer.get(), 1, &raw const change)
        )?;
        Ok(())
    });
    suite.device("command_of_another_command_buffer", |cx| {
        cx.needs_bits(CAPABILITIES, ARGUMENTS)?;
        let (one, other) = (Recorded::new(cx)?, Recorded::new(cx)?);
        let change = other.change();
        refused!(
            UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP,
            urCommandBufferUpdateKernelLaunchExp(one.buffer.get(), 1, &raw const change)
        )?;
        Ok(())
    });
    suite.device("argument_that_the_kernel_lacks", |cx| {
        cx.needs_bits(CAPABILITIES, ARGUMENTS)?;
        let mut recorded = Recorded::new(cx)?;
        let bytes = [0u8; 4];
        let args = [value_arg(9, &bytes)];
        let mut change = recorded.change();
        change.numNewValueArgs = 1;
        change.pNewValueArgList = args.as_ptr();
        refused!(
            UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
            urCommandBufferUpdateKernelLaunchExp(recorded.buffer.get(), 1, &raw const change)
        )?;
        same!("after", recorded.numbers()?, row(0, 16, 1));
        Ok(())
    });
    suite.device("value_of_another_size", |cx| {
        cx.needs_bits(CAPABILITIES, ARGUMENTS)?;
        let mut recorded = Recorded::new(cx)?;
        let bytes = [9u8; 8];
        let args = [value_arg(1, &bytes)];
        let mut change = recorded.change();
        change.numNewValueArgs = 1;
        change.pNewValueArgList = args.as_ptr();
        refused!(
            UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
            urCommandBufferUpdateKernelLaunchExp(recorded.buffer.get(), 1, &raw const change)
        )?;
        same!("after", recorded.numbers()?, row(0, 16, 1));
        Ok(())
    });
    suite.device("one_wrong_change_among_right_ones", |cx| {
        cx.needs_bits(CAPABILITIES, ARGUMENTS)?;
        let mut recorded = Recorded::new(cx)?;
        let other = Recorded::new(cx)?;
        let bytes = 8u32.to_ne_bytes();
        let args = [value_arg(1, &bytes)];
        let mut changes = [recorded.change(), other.change()];
        changes[0].numNewValueArgs = 1;
        changes[0].pNewValueArgList = args.as_ptr();
        refused!(
            UR_RESULT_ERROR_INVALID_COMMAND_BUFFER_COMMAND_HANDLE_EXP,
            urCommandBufferUpdateKernelLaunchExp(recorded.buffer.get(), 2, changes.as_ptr())
        )?;
        let found = recorded.numbers()?;
        let either = found == row(0, 16, 1) || found == row(0, 16, 8);
        ensure!(either, "{found:?}");
        Ok(())
    });
    suite.device("four_dimensions", |cx| {
        cx.needs_bits(CAPABILITIES, GLOBAL)?;
        let recorded = Recorded::new(cx)?;
        let mut sizes = [1usize; 4];
        let mut change = recorded.change();
        change.newWorkDim = 4;
        change.pNewGlobalWorkSize = sizes.as_mut_ptr();
        change.pNewGlobalWorkOffset = sizes.as_mut_ptr();
        refused!(
            [
                UR_RESULT_ERROR_INVALID_WORK_DIMENSION,
                UR_RESULT_ERROR_INVALID_VALUE
            ],
            urCommandBufferUpdateKernelLaunchExp(recorded.buffer.get(), 1, &raw const change)
        )?;
        Ok(())
    });
    suite.device("command_buffer_that_is_not_updatable", |cx| {
        cx.needs_bits(CAPABILITIES, ARGUMENTS)?;
        let recorded = Recorded::new(cx)?;
        let stage = &recorded.stage;
        let buffer = stage.buffer()?;
        stage.append(&buffer, Kind::KernelLaunchWithArgs, Links::NONE)?;
        finalize(&buffer)?;
        let change = recorded.change();
        refused!(
            UR_RESULT_ERROR_INVALID_OPERATION,
            urCommandBufferUpdateKernelLaunchExp(buffer.get(), 1, &raw const change)
        )?;
        Ok(())
    });
}

/// A launch with an event to complete and one to wait for.
struct Linked {
    buffer: CommandBuffer,
    command: Command,
    event: Event,
    stage: Stage,
    _wait: Event,
}

fn linked(cx: &Cx) -> Result<Linked, Stop> {
    cx.needs_bits(CAPABILITIES, EVENTS)?;
    cx.needs(UR_DEVICE_INFO_COMMAND_BUFFER_EVENT_SUPPORT_EXP)?;
    let stage = Stage::new(cx, Kind::KernelLaunchWithArgs)?;
    let wait = Event::after(&stage.queue, &[])?;
    wait.wait()?;
    let buffer = stage.updatable()?;
    let (mut command, mut event) = (null_mut(), null_mut());
    let links = Links {
        wait: &[wait.get()],
        event: &raw mut event,
        command: &raw mut command,
        ..Links::NONE
    };
    stage.append(&buffer, Kind::KernelLaunchWithArgs, links)?;
    ensure!(
        !command.is_null() && !event.is_null(),
        "something is missing"
    );
    Ok(Linked {
        buffer,
        command,
        event: Event::adopt(event),
        stage,
        _wait: wait,
    })
}

fn events(suite: &mut Suite<'_>) {
    suite.device("signal_event", |cx| {
        let mut linked = linked(cx)?;
        finalize(&linked.buffer)?;
        enqueue(&linked.stage.queue, &linked.buffer, &[])?;
        linked.event.wait()?;
        for _ in 0..3 {
            let new = Event::made("urCommandBufferUpdateSignalEventExp", |out| {
                ur!(urCommandBufferUpdateSignalEventExp(linked.command, out))
            })?;
            ensure!(!new.ended()?, "it ended before its command was enqueued");
            linked.stage.reset()?;
            enqueue(&linked.stage.queue, &linked.buffer, &[])?;
            new.wait()?;
            linked.stage.expect(Kind::KernelLaunchWithArgs)?;
            linked.stage.queue.finish()?;
        }
        Ok(())
    });
    suite.device("wait_events", |cx| {
        let mut linked = linked(cx)?;
        finalize(&linked.buffer)?;
        run(&linked.stage.queue, &linked.buffer)?;
        linked.stage.reset()?;
        let other = Queue::new(&linked.stage.context, cx.device(), 0)?;
        let gate = Gate::new(cx, &linked.stage.context)?;
        let blocked = gate.block(&other)?;
        let handle = blocked.get();
        ok!(urCommandBufferUpdateWaitEventsExp(
            linked.command,
            1,
            &raw const handle
        ))?;
        let done = enqueue(&linked.stage.queue, &linked.buffer, &[])?;
        ensure!(!done.ended()?, "it ended before what it waits for");
        linked
            .stage
            .expect_nothing_yet(Kind::KernelLaunchWithArgs)?;
        gate.open();
        done.wait()?;
        linked.stage.expect(Kind::KernelLaunchWithArgs)?;
        other.finish()
    });
    suite.device("events_of_a_command_not_finalized", |cx| {
        let linked = linked(cx)?;
        let mut event = null_mut();
        refused!(
            UR_RESULT_ERROR_INVALID_OPERATION,
            urCommandBufferUpdateSignalEventExp(linked.command, &raw mut event)
        )?;
        let handle = linked.event.get();
        refused!(
            UR_RESULT_ERROR_INVALID_OPERATION,
            urCommandBufferUpdateWaitEventsExp(linked.command, 1, &raw const handle)
        )?;
        Ok(())
    });
}

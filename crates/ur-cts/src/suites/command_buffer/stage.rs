//! Commands that can be recorded, what they work on, and whether they did.

use crate::failure::{Stop, check};
use crate::objects::{
    Arg, CommandBuffer, Context, Event, Kernel, Memory, Program, Queue, Range, Usm, UsmKind,
    argument, or_null,
};
use crate::world::{Cx, Flags};
use crate::{Outcome, kernels, ok, ur};
use std::ptr::{null, null_mut};
use ur_api::*;

/// Bytes of everything that commands work on.
pub(super) const SIZE: usize = 256;

/// What kernels write.
const VALUE: u32 = 0x1234_5678;

/// What an append takes and gives besides its command.
#[derive(Clone, Copy)]
pub(super) struct Links<'a> {
    pub(super) points: &'a [ur_exp_command_buffer_sync_point_t],
    pub(super) wait: &'a [ur_event_handle_t],
    pub(super) point: *mut ur_exp_command_buffer_sync_point_t,
    pub(super) event: *mut ur_event_handle_t,
    pub(super) command: *mut ur_exp_command_buffer_command_handle_t,
}

impl Links<'_> {
    /// Nothing of it.
    pub(super) const NONE: Links<'static> = Links {
        points: &[],
        wait: &[],
        point: null_mut(),
        event: null_mut(),
        command: null_mut(),
    };
}

/// Calls an append with its own arguments and those that all have.
macro_rules! append {
    ($name:ident($($arg:expr),* $(,)?), $links:expr) => {{
        let links: $crate::suites::command_buffer::stage::Links<'_> = $links;
        $crate::ur!($name(
            $($arg,)*
            links.points.len() as u32,
            $crate::objects::or_null(links.points),
            links.wait.len() as u32,
            $crate::objects::or_null(links.wait),
            links.point,
            links.event,
            links.command
        ))
    }};
}
pub(super) use append;

/// A kind of command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    KernelLaunch,
    KernelLaunchWithArgs,
    UsmMemcpy,
    UsmFill,
    UsmPrefetch,
    UsmAdvise,
    BufferCopy,
    BufferWrite,
    BufferRead,
    BufferFill,
    BufferCopyRect,
    BufferWriteRect,
    BufferReadRect,
}

impl Kind {
    pub(super) const ALL: [Kind; 13] = [
        Kind::KernelLaunch,
        Kind::KernelLaunchWithArgs,
        Kind::UsmMemcpy,
        Kind::UsmFill,
        Kind::UsmPrefetch,
        Kind::UsmAdvise,
        Kind::BufferCopy,
        Kind::BufferWrite,
        Kind::BufferRead,
        Kind::BufferFill,
        Kind::BufferCopyRect,
        Kind::BufferWriteRect,
        Kind::BufferReadRect,
    ];

    /// The function that records it, the part of names of tests for it, and what its events say that
    /// it is.
    const fn facts(self) -> (&'static str, &'static str, ur_command_t) {
        match self {
            Kind::KernelLaunch => (
                "urCommandBufferAppendKernelLaunchExp",
                "append_kernel_launch",
                UR_COMMAND_KERNEL_LAUNCH,
            ),
            Kind::KernelLaunchWithArgs => (
                "urCommandBufferAppendKernelLaunchWithArgsExp",
                "append_kernel_launch_with_args",
                UR_COMMAND_KERNEL_LAUNCH,
            ),
            Kind::UsmMemcpy => (
                "urCommandBufferAppendUSMMemcpyExp",
                "append_usm_memcpy",
                UR_COMMAND_USM_MEMCPY,
            ),
            Kind::UsmFill => (
                "urCommandBufferAppendUSMFillExp",
                "append_usm_fill",
                UR_COMMAND_USM_FILL,
            ),
            Kind::UsmPrefetch => (
                "urCommandBufferAppendUSMPrefetchExp",
                "append_usm_prefetch",
                UR_COMMAND_USM_PREFETCH,
            ),
            Kind::UsmAdvise => (
                "urCommandBufferAppendUSMAdviseExp",
                "append_usm_advise",
                UR_COMMAND_USM_ADVISE,
            ),
            Kind::BufferCopy => (
                "urCommandBufferAppendMemBufferCopyExp",
                "append_mem_buffer_copy",
                UR_COMMAND_MEM_BUFFER_COPY,
            ),
            Kind::BufferWrite => (
                "urCommandBufferAppendMemBufferWriteExp",
                "append_mem_buffer_write",
                UR_COMMAND_MEM_BUFFER_WRITE,
            ),
            Kind::BufferRead => (
                "urCommandBufferAppendMemBufferReadExp",
                "append_mem_buffer_read",
                UR_COMMAND_MEM_BUFFER_READ,
            ),
            Kind::BufferFill => (
                "urCommandBufferAppendMemBufferFillExp",
                "append_mem_buffer_fill",
                UR_COMMAND_MEM_BUFFER_FILL,
            ),
            Kind::BufferCopyRect => (
                "urCommandBufferAppendMemBufferCopyRectExp",
                "append_mem_buffer_copy_rect",
                UR_COMMAND_MEM_BUFFER_COPY_RECT,
            ),
            Kind::BufferWriteRect => (
                "urCommandBufferAppendMemBufferWriteRectExp",
                "append_mem_buffer_write_rect",
                UR_COMMAND_MEM_BUFFER_WRITE_RECT,
            ),
            Kind::BufferReadRect => (
                "urCommandBufferAppendMemBufferReadRectExp",
                "append_mem_buffer_read_rect",
                UR_COMMAND_MEM_BUFFER_READ_RECT,
            ),
        }
    }

    pub(super) fn call(self) -> &'static str {
        self.facts().0
    }

    pub(super) fn name(self) -> &'static str {
        self.facts().1
    }

    pub(super) fn command(self) -> ur_command_t {
        self.facts().2
    }

    pub(super) fn is_launch(self) -> bool {
        matches!(self, Kind::KernelLaunch | Kind::KernelLaunchWithArgs)
    }

    /// Where its effect shows.
    fn target(self) -> Target {
        match self {
            Kind::KernelLaunchWithArgs | Kind::UsmMemcpy | Kind::UsmFill => Target::Usm,
            Kind::BufferRead | Kind::BufferReadRect => Target::Host,
            Kind::KernelLaunch | Kind::UsmPrefetch | Kind::UsmAdvise => Target::Nowhere,
            _ => Target::Buffer,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Usm,
    Buffer,
    Host,
    Nowhere,
}

/// A box of bytes from one place to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Boxed {
    pub(super) from: [usize; 3],
    pub(super) to: [usize; 3],
    pub(super) region: [usize; 3],
    /// Bytes from a row and from a slice to the next, at the source and at the target.
    pub(super) from_pitch: [usize; 2],
    pub(super) to_pitch: [usize; 2],
}

/// The box that tests of all kinds of commands use.
const BOX: Boxed = Boxed {
    from: [2, 1, 1],
    to: [1, 2, 0],
    region: [5, 3, 2],
    from_pitch: [8, 64],
    to_pitch: [16, 96],
};

fn origin(at: [usize; 3]) -> ur_rect_offset_t {
    let [x, y, z] = at.map(|part| part as u64);
    ur_rect_offset_t { x, y, z }
}

impl Boxed {
    /// What the target holds behind the copy.
    pub(super) fn apply(&self, from: &[u8], to: &mut [u8]) {
        let at = |origin: [usize; 3], pitch: [usize; 2], y: usize, z: usize| {
            origin[0] + (origin[1] + y) * pitch[0] + (origin[2] + z) * pitch[1]
        };
        for z in 0..self.region[2] {
            for y in 0..self.region[1] {
                let source = at(self.from, self.from_pitch, y, z);
                let target = at(self.to, self.to_pitch, y, z);
                let width = self.region[0];
                to[target..target + width].copy_from_slice(&from[source..source + width]);
            }
        }
    }

    pub(super) fn region(&self) -> ur_rect_region_t {
        let [width, height, depth] = self.region.map(|part| part as u64);
        ur_rect_region_t {
            width,
            height,
            depth,
        }
    }

    pub(super) fn origins(&self) -> (ur_rect_offset_t, ur_rect_offset_t) {
        (origin(self.from), origin(self.to))
    }
}

/// What commands work on. Sources hold 1, 4, 7, … and targets zeros.
pub(super) struct Stage {
    // In this order, so that each goes before what it was made of.
    pub(super) kernel: Option<Kernel>,
    program: Option<Program>,
    pub(super) from: Option<Memory>,
    pub(super) to: Memory,
    pub(super) usm_from: Usm,
    pub(super) usm_to: Usm,
    pub(super) host_from: Vec<u8>,
    pub(super) host_to: Vec<u8>,
    pub(super) queue: Queue,
    pub(super) context: Context,
    pub(super) cx: Cx,
}

impl Stage {
    /// What a kind of command needs.
    #[track_caller]
    pub(super) fn new(cx: &Cx, kind: Kind) -> Result<Stage, Stop> {
        Stage::with(cx, kind, 0)
    }

    /// As [`Stage::new`], with a queue that has flags.
    #[track_caller]
    pub(super) fn with(cx: &Cx, kind: Kind, flags: impl Into<Flags>) -> Result<Stage, Stop> {
        cx.needs(UR_DEVICE_INFO_COMMAND_BUFFER_SUPPORT_EXP)?;
        let (context, queue) = cx.queue(flags)?;
        let source: Vec<u8> = (0..SIZE).map(|i| (i * 3 + 1) as u8).collect();
        let mut usm_from = Usm::new(cx, &context, UsmKind::Host, SIZE)?;
        let mut usm_to = Usm::new(cx, &context, UsmKind::Host, SIZE)?;
        usm_from.bytes().copy_from_slice(&source);
        usm_to.bytes().fill(0);
        let mut stage = Stage {
            kernel: None,
            program: None,
            from: Some(Memory::with(&context, &source)?),
            to: Memory::with(&context, &[0; SIZE])?,
            usm_from,
            usm_to,
            host_from: source,
            host_to: vec![0; SIZE],
            queue,
            context,
            cx: *cx,
        };
        if kind.is_launch() {
            let name = match kind {
                Kind::KernelLaunch => c"nothing",
                _ => c"fill",
            };
            let program = Program::built(&stage.context, kernels::COMMANDS)?;
            stage.kernel = Some(Kernel::new(&program, name)?);
            stage.program = Some(program);
            stage.has_kernels()?;
        }
        Ok(stage)
    }

    /// Ends the test as unsupported if kernels do nothing, which tests of kernels find.
    fn has_kernels(&mut self) -> Outcome {
        let program = self.program.as_ref().expect("it was made");
        let value = VALUE.to_ne_bytes();
        let args = [Arg::Pointer(self.usm_to.at), Arg::Value(&value)];
        Kernel::new(program, c"fill")?.run(&self.queue, Range::from(&[1][..]), &args)?;
        let works = self.usm_to.bytes()[..4] == value;
        self.usm_to.bytes().fill(0);
        if works {
            return Ok(());
        }
        let reason = "kernels have no effect on this device";
        Err(Stop::Unsupported(reason.into()))
    }

    /// The program of a stage for launches.
    pub(super) fn program(&self) -> &Program {
        self.program.as_ref().expect("a stage for launches")
    }

    /// Gives back what a recorded command needs no handle of any more.
    pub(super) fn forget(&mut self) {
        self.kernel = None;
        self.program = None;
        self.from = None;
    }

    /// An empty command buffer.
    #[track_caller]
    pub(super) fn buffer(&self) -> Result<CommandBuffer, Stop> {
        self.buffer_with(&ur_exp_command_buffer_desc_t::default())
    }

    /// An empty command buffer in which commands follow each other.
    #[track_caller]
    pub(super) fn in_order(&self) -> Result<CommandBuffer, Stop> {
        self.buffer_with(&ur_exp_command_buffer_desc_t {
            isInOrder: 1,
            ..Default::default()
        })
    }

    /// An empty command buffer that can be changed; unsupported where nothing can be.
    #[track_caller]
    pub(super) fn updatable(&self) -> Result<CommandBuffer, Stop> {
        let query = UR_DEVICE_INFO_COMMAND_BUFFER_UPDATE_CAPABILITIES_EXP;
        if self.cx.device_info::<u32>(query)?.unwrap_or(0) == 0 {
            return Err(Stop::Unsupported(format!("{query} is 0")));
        }
        self.buffer_with(&ur_exp_command_buffer_desc_t {
            isUpdatable: 1,
            ..Default::default()
        })
    }

    #[track_caller]
    pub(super) fn buffer_with(
        &self,
        desc: &ur_exp_command_buffer_desc_t,
    ) -> Result<CommandBuffer, Stop> {
        CommandBuffer::new(&self.context, self.cx.device(), desc)
    }

    /// Calls the append of a kind.
    pub(super) fn append_raw(
        &self,
        buffer: &CommandBuffer,
        kind: Kind,
        links: Links<'_>,
    ) -> ur_result_t {
        let to = buffer.get();
        let from = self.from.as_ref().map_or(null_mut(), Memory::get);
        let kernel = self.kernel.as_ref().map_or(null_mut(), Kernel::get);
        let target = self.to.get();
        let (usm_from, usm_to) = (self.usm_from.at, self.usm_to.at);
        let host_from = self.host_from.as_ptr().cast_mut().cast();
        let host_to = self.host_to.as_ptr().cast_mut().cast();
        let pattern = VALUE.to_ne_bytes();
        let pattern = pattern.as_ptr().cast();
        let global = [SIZE / 4];
        let (origin, aim) = BOX.origins();
        let region = BOX.region();
        let [from_row, from_slice] = BOX.from_pitch;
        let [to_row, to_slice] = BOX.to_pitch;
        match kind {
            Kind::KernelLaunch => append!(
                urCommandBufferAppendKernelLaunchExp(
                    to,
                    kernel,
                    1,
                    null(),
                    global.as_ptr(),
                    null(),
                    0,
                    null_mut(),
                ),
                links
            ),
            Kind::KernelLaunchWithArgs => {
                let value = VALUE.to_ne_bytes();
                let args = [
                    argument(0, &Arg::Pointer(usm_to)),
                    argument(1, &Arg::Value(&value)),
                ];
                append!(
                    urCommandBufferAppendKernelLaunchWithArgsExp(
                        to,
                        kernel,
                        1,
                        null(),
                        global.as_ptr(),
                        null(),
                        2,
                        args.as_ptr(),
                        0,
                        null_mut(),
                    ),
                    links
                )
            }
            Kind::UsmMemcpy => append!(
                urCommandBufferAppendUSMMemcpyExp(to, usm_to, usm_from, SIZE),
                links
            ),
            Kind::UsmFill => append!(
                urCommandBufferAppendUSMFillExp(to, usm_to, pattern, 4, SIZE),
                links
            ),
            Kind::UsmPrefetch => append!(
                urCommandBufferAppendUSMPrefetchExp(to, usm_to, SIZE, 0),
                links
            ),
            Kind::UsmAdvise => append!(
                urCommandBufferAppendUSMAdviseExp(to, usm_to, SIZE, UR_USM_ADVICE_FLAG_DEFAULT.0,),
                links
            ),
            Kind::BufferCopy => append!(
                urCommandBufferAppendMemBufferCopyExp(to, from, target, 16, 32, 100),
                links
            ),
            Kind::BufferWrite => append!(
                urCommandBufferAppendMemBufferWriteExp(to, target, 16, 100, host_from),
                links
            ),
            Kind::BufferRead => append!(
                urCommandBufferAppendMemBufferReadExp(to, from, 16, 100, host_to),
                links
            ),
            Kind::BufferFill => append!(
                urCommandBufferAppendMemBufferFillExp(to, target, pattern, 4, 16, 100),
                links
            ),
            Kind::BufferCopyRect => append!(
                urCommandBufferAppendMemBufferCopyRectExp(
                    to, from, target, origin, aim, region, from_row, from_slice, to_row, to_slice,
                ),
                links
            ),
            Kind::BufferWriteRect => append!(
                urCommandBufferAppendMemBufferWriteRectExp(
                    to, target, aim, origin, region, to_row, to_slice, from_row, from_slice,
                    host_from,
                ),
                links
            ),
            Kind::BufferReadRect => append!(
                urCommandBufferAppendMemBufferReadRectExp(
                    to, from, origin, aim, region, from_row, from_slice, to_row, to_slice, host_to,
                ),
                links
            ),
        }
    }

    /// Records a command; unsupported where the device declines this kind of command, as the API
    /// lets it.
    #[track_caller]
    pub(super) fn append(&self, buffer: &CommandBuffer, kind: Kind, links: Links<'_>) -> Outcome {
        recorded(kind.call(), self.append_raw(buffer, kind, links))
    }

    /// Records filling `usm_to` with a byte.
    #[track_caller]
    pub(super) fn append_fill(
        &self,
        buffer: &CommandBuffer,
        value: u8,
        links: Links<'_>,
    ) -> Outcome {
        let (at, pattern) = (self.usm_to.at, (&raw const value).cast());
        let code = append!(
            urCommandBufferAppendUSMFillExp(buffer.get(), at, pattern, 1, SIZE),
            links
        );
        recorded("urCommandBufferAppendUSMFillExp", code)
    }

    /// What the target of a kind of command holds before and behind it.
    fn wanted(&self, kind: Kind) -> (Vec<u8>, Vec<u8>) {
        let before = vec![0; SIZE];
        let mut after = before.clone();
        let words = VALUE.to_ne_bytes();
        let filled: Vec<u8> = words.iter().copied().cycle().take(SIZE).collect();
        match kind {
            Kind::KernelLaunchWithArgs | Kind::UsmFill => after = filled,
            Kind::UsmMemcpy => after.clone_from(&self.host_from),
            Kind::BufferCopy => after[32..132].copy_from_slice(&self.host_from[16..116]),
            Kind::BufferWrite => after[16..116].copy_from_slice(&self.host_from[..100]),
            Kind::BufferRead => after[..100].copy_from_slice(&self.host_from[16..116]),
            Kind::BufferFill => after[16..116].copy_from_slice(&filled[..100]),
            Kind::BufferCopyRect | Kind::BufferWriteRect | Kind::BufferReadRect => {
                BOX.apply(&self.host_from, &mut after);
            }
            Kind::KernelLaunch | Kind::UsmPrefetch | Kind::UsmAdvise => {}
        }
        (before, after)
    }

    /// Whether the command has had its effect, all of it; none for one without.
    pub(super) fn happened(&mut self, kind: Kind) -> Result<Option<bool>, Stop> {
        let (before, after) = self.wanted(kind);
        let found = match kind.target() {
            Target::Nowhere => return Ok(None),
            Target::Usm => self.usm_to.bytes().to_vec(),
            Target::Host => self.host_to.clone(),
            Target::Buffer => self.to.read(&self.queue, SIZE)?,
        };
        if found == after {
            return Ok(Some(true));
        }
        if found == before {
            return Ok(Some(false));
        }
        Err(Stop::fail(format_args!(
            "{} left {found:?} instead of {after:?}",
            kind.call()
        )))
    }

    /// Ends the test as failed unless the command has had its effect.
    #[track_caller]
    pub(super) fn expect(&mut self, kind: Kind) -> Outcome {
        match self.happened(kind)? {
            Some(false) => Err(Stop::fail(format_args!("{} did nothing", kind.call()))),
            _ => Ok(()),
        }
    }

    /// Ends the test as failed if the command has had its effect.
    #[track_caller]
    pub(super) fn expect_nothing(&mut self, kind: Kind) -> Outcome {
        match self.happened(kind)? {
            Some(true) => Err(Stop::fail(format_args!("{} ran too early", kind.call()))),
            _ => Ok(()),
        }
    }

    /// As [`Stage::expect_nothing`] while the command is enqueued and blocked: a look at a buffer
    /// would wait for it.
    #[track_caller]
    pub(super) fn expect_nothing_yet(&mut self, kind: Kind) -> Outcome {
        match kind.target() {
            Target::Buffer => Ok(()),
            _ => self.expect_nothing(kind),
        }
    }

    /// Makes all targets as they were.
    pub(super) fn reset(&mut self) -> Outcome {
        self.usm_to.bytes().fill(0);
        self.host_to.fill(0);
        let zeros = [0u8; SIZE];
        ok!(urEnqueueMemBufferWrite(
            self.queue.get(),
            self.to.get(),
            true,
            0,
            SIZE,
            zeros.as_ptr().cast(),
            0,
            null(),
            null_mut()
        ))?;
        Ok(())
    }
}

/// Checks the answer of an append, which may decline.
#[track_caller]
pub(super) fn recorded(call: &'static str, code: ur_result_t) -> Outcome {
    if code == UR_RESULT_ERROR_UNSUPPORTED_FEATURE {
        return Err(Stop::Unsupported(format!("{call} declines")));
    }
    check(call, UR_RESULT_SUCCESS, code)?;
    Ok(())
}

/// Ends the recording.
#[track_caller]
pub(super) fn finalize(buffer: &CommandBuffer) -> Outcome {
    ok!(urCommandBufferFinalizeExp(buffer.get()))?;
    Ok(())
}

/// Enqueues the commands of a command buffer.
#[track_caller]
pub(super) fn enqueue(
    queue: &Queue,
    buffer: &CommandBuffer,
    wait: &[ur_event_handle_t],
) -> Result<Event, Stop> {
    Event::made("urEnqueueCommandBufferExp", |out| {
        ur!(urEnqueueCommandBufferExp(
            queue.get(),
            buffer.get(),
            wait.len() as u32,
            or_null(wait),
            out
        ))
    })
}

/// Enqueues the commands and waits for them.
#[track_caller]
pub(super) fn run(queue: &Queue, buffer: &CommandBuffer) -> Outcome {
    enqueue(queue, buffer, &[])?.wait()
}

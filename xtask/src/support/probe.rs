//! Calls every entry point of an adapter's library, each in a process of its own, to learn which
//! answer `UNSUPPORTED_FEATURE`.

use super::generated::{Handle, Objects, PROBES, tables};
use anyhow::{Context, Result, bail};
use std::alloc::Layout;
use std::ffi::{CStr, CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{null, null_mut};
use ur_api::*;

/// Memory that calls may read and write: all bytes 0, a part for each parameter.
pub struct Scratch(*mut u8);

impl Scratch {
    /// What every size is: whole pages, for those that want that.
    pub const SIZE: usize = 4096;

    /// Bytes for each parameter, more than any size times any other.
    const PART: usize = 1 << 16;

    /// Most parameters of a call.
    const PARTS: usize = 32;

    fn new() -> Scratch {
        let layout = Layout::from_size_align(Self::PART * Self::PARTS, Self::SIZE);
        // SAFETY: the size is not 0.
        Scratch(layout.map_or(null_mut(), |layout| unsafe {
            std::alloc::alloc_zeroed(layout)
        }))
    }

    /// The part of the parameter at `place`.
    pub fn at(&self, place: usize) -> *mut c_void {
        self.0.wrapping_add(place * Self::PART).cast()
    }

    /// A function for those that want one.
    pub unsafe extern "C" fn callback() {}
}

/// An entry point and whether it is there.
pub struct Answer {
    /// Its name.
    pub name: &'static str,
    /// Its dispatch table.
    pub table: &'static str,
    /// Whether it does anything.
    pub supported: bool,
}

/// Seconds after which a call that hangs counts as one that does something.
const PATIENCE: u32 = 20;

/// Exit codes of the processes that call.
const SUPPORTED: i32 = 60;
const UNSUPPORTED: i32 = 61;

/// Asks the adapter library at `path`. Objects are made with kernels of the SPIR-V module at
/// `module`.
pub fn ask(path: &Path, module: &Path) -> Result<Vec<Answer>> {
    let name = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the library is one of ours.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        bail!("{} cannot be opened", path.display());
    }
    // SAFETY: the name is terminated, and the library stays open.
    let symbol = |name: &CStr| unsafe { libc::dlsym(library, name.as_ptr()) };
    // SAFETY: the functions of those names are the API's.
    let table = unsafe { tables(&symbol) };
    let code = std::fs::read(module).with_context(|| module.display().to_string())?;
    let objects = objects(&table, &code).context("the adapter gives no platform and device")?;
    let scratch = Scratch::new();
    let mut answers = Vec::new();
    for probe in PROBES {
        let supported = (probe.possible)(&objects)
            && in_child(|| {
                // SAFETY: as the call itself says; this process ends with it.
                let answer = unsafe { (probe.call)(&table, &objects, &scratch) };
                answer.is_some_and(|answer| answer != UR_RESULT_ERROR_UNSUPPORTED_FEATURE)
            })?;
        answers.push(Answer {
            name: probe.name,
            table: probe.table,
            supported,
        });
    }
    Ok(answers)
}

/// What `body` says in a forked process. One that does not come back did something.
fn in_child(body: impl FnOnce() -> bool) -> Result<bool> {
    // SAFETY: the child makes one call and ends.
    let child = unsafe { libc::fork() };
    if child < 0 {
        bail!("no process: {}", std::io::Error::last_os_error());
    }
    if child == 0 {
        // SAFETY: ends the process by a signal if the call does not come back.
        unsafe { libc::alarm(PATIENCE) };
        let code = if body() { SUPPORTED } else { UNSUPPORTED };
        // SAFETY: ends the process without what the parent has to clean up.
        unsafe { libc::_exit(code) };
    }
    let mut status = 0;
    // SAFETY: waits for the child just made.
    if unsafe { libc::waitpid(child, &mut status, 0) } != child {
        bail!("a process is lost");
    }
    Ok(!libc::WIFEXITED(status) || libc::WEXITSTATUS(status) != UNSUPPORTED)
}

/// Calls an entry with a place for a handle as its last argument; null if it fails.
macro_rules! make {
    ($table:ident.$group:ident.$entry:ident($($arg:expr),*)) => {{
        let mut made = null_mut();
        // SAFETY: the objects made before are alive, and structures are as the API says.
        let answer = $table.$group.$entry.map(|entry| unsafe { entry($($arg,)* &mut made) });
        Handle(if answer == Some(UR_RESULT_SUCCESS) { made } else { null_mut() })
    }};
}

/// One object of each kind that the adapter can make.
fn objects(table: &ur_dditable_t, code: &[u8]) -> Option<Objects> {
    let mut o = Objects::default();
    let (one, none, all) = (1, null_mut(), UR_DEVICE_TYPE_ALL);
    let (mut adapter, mut platform, mut device) = (null_mut(), null_mut(), null_mut());
    // SAFETY: there is room for one handle each.
    unsafe {
        table.Adapter.pfnGet?(one, &mut adapter, none);
        table.Platform.pfnGet?(adapter, one, &mut platform, none);
        table.Device.pfnGet?(platform, all, one, &mut device, none);
    }
    if device.is_null() {
        return None;
    }
    (o.adapter, o.platform, o.device) = (Handle(adapter), Handle(platform), Handle(device));
    let (bytes, image_size) = (Scratch::SIZE, 4);
    o.context = make!(table.Context.pfnCreate(1, &device, null()));
    let context = o.context.0;
    o.queue = make!(table.Queue.pfnCreate(context, device, null()));
    let queue = o.queue.0;
    o.event = make!(table.Enqueue.pfnEventsWait(queue, 0, null()));
    let flags = UR_MEM_FLAG_READ_WRITE.0;
    o.mem = make!(table.Mem.pfnBufferCreate(context, flags, bytes, null()));
    let format = ur_image_format_t {
        channelOrder: UR_IMAGE_CHANNEL_ORDER_RGBA,
        channelType: UR_IMAGE_CHANNEL_TYPE_FLOAT,
    };
    let image = ur_image_desc_t {
        stype: UR_STRUCTURE_TYPE_IMAGE_DESC,
        r#type: UR_MEM_TYPE_IMAGE2D,
        width: image_size,
        height: image_size,
        ..Default::default()
    };
    let sampler = ur_sampler_desc_t {
        stype: UR_STRUCTURE_TYPE_SAMPLER_DESC,
        ..Default::default()
    };
    let _: Handle<_> =
        make!(
            table
                .Mem
                .pfnImageCreate(context, flags, &format, &image, none.cast())
        );
    o.sampler = make!(table.Sampler.pfnCreate(context, &sampler));
    let (start, len) = (code.as_ptr().cast(), code.len());
    o.program = make!(table.Program.pfnCreateWithIL(context, start, len, null()));
    let program = o.program.0;
    if !program.is_null() {
        // SAFETY: the program is alive.
        table
            .Program
            .pfnBuild
            .map(|build| unsafe { build(context, program, null()) });
    }
    o.kernel = make!(table.Kernel.pfnCreate(program, c"vector_add".as_ptr()));
    let mut pool = ur_usm_pool_desc_t {
        stype: UR_STRUCTURE_TYPE_USM_POOL_DESC,
        ..Default::default()
    };
    o.usm_pool = make!(table.USM.pfnPoolCreate(context, &mut pool));
    o.physical_mem = make!(table.PhysicalMem.pfnCreate(context, device, bytes, null()));
    let buffer = ur_exp_command_buffer_desc_t {
        stype: UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_DESC,
        isUpdatable: 1,
        ..Default::default()
    };
    o.command_buffer = make!(
        table
            .CommandBufferExp
            .pfnCreateExp(context, device, &buffer)
    );
    let mut command = null_mut();
    let mut memory = [0u8; 16];
    let at = memory.as_mut_ptr().cast();
    // SAFETY: the command is recorded and never run.
    table
        .CommandBufferExp
        .pfnAppendUSMMemcpyExp
        .map(|append| unsafe {
            append(
                o.command_buffer.0,
                at,
                at,
                8,
                0,
                null(),
                0,
                null(),
                none,
                none.cast(),
                &mut command,
            )
        });
    o.command_buffer_command = Handle(command);
    o.graph = make!(table.GraphExp.pfnCreateExp(context));
    o.executable_graph = make!(table.GraphExp.pfnInstantiateGraphExp(o.graph.0));
    Some(o)
}

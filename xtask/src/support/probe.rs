//! Calls every entry point of an adapter's library, each in a process of its own, to learn which
//! answer `UNSUPPORTED_FEATURE`.

use super::generated::{Handle, Objects, PROBES, Probe, tables};
use anyhow::{Context, Result, bail};
use std::alloc::Layout;
use std::ffi::{CStr, CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
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
    /// Whether it does anything.
    pub supported: bool,
}

/// Seconds after which a call that hangs counts as one that does something.
const PATIENCE: u32 = 60;

/// Exit codes of the processes that call.
const SUPPORTED: i32 = 60;
const UNSUPPORTED: i32 = 61;
const NO_DEVICE: i32 = 62;

/// An adapter's library and what it is asked with.
pub struct Subject {
    /// The library.
    pub library: PathBuf,
    /// A folder that names the OpenCL drivers, for an adapter of such.
    pub drivers: Option<PathBuf>,
    /// The file of a SPIR-V module, of whose kernels objects are made.
    pub module: PathBuf,
}

/// Asks an adapter.
pub fn ask(subject: &Subject) -> Result<Vec<Answer>> {
    let code = std::fs::read(&subject.module);
    let code = code.with_context(|| subject.module.display().to_string())?;
    let codes = in_children(PROBES.len(), |place| {
        // An adapter and its driver may have threads, which a process that is forked later would lack:
        // so each opens them for itself.
        match open(subject, &code) {
            Some((table, objects)) => call(&PROBES[place], &table, &objects),
            None => NO_DEVICE,
        }
    })?;
    if codes.contains(&Some(NO_DEVICE)) {
        bail!("{} gives no platform and device", subject.library.display());
    }
    let answers = PROBES.iter().zip(codes).map(|(probe, code)| Answer {
        name: probe.name,
        supported: code != Some(UNSUPPORTED),
    });
    Ok(answers.collect())
}

/// Opens an adapter in this process, and makes objects.
fn open(subject: &Subject, code: &[u8]) -> Option<(ur_dditable_t, Objects)> {
    if let Some(drivers) = &subject.drivers {
        // SAFETY: this process was forked from one of one thread.
        unsafe {
            std::env::remove_var("OCL_ICD_FILENAMES");
            std::env::set_var("OCL_ICD_VENDORS", drivers);
        }
    }
    let name = CString::new(subject.library.as_os_str().as_bytes()).ok()?;
    // SAFETY: the library is one of ours.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        return None;
    }
    // SAFETY: the name is terminated, and the library stays open.
    let symbol = |name: &CStr| unsafe { libc::dlsym(library, name.as_ptr()) };
    // SAFETY: the functions of those names are the API's.
    let table = unsafe { tables(&symbol) };
    let objects = objects(&table, code)?;
    Some((table, objects))
}

/// Makes one call, and gives an exit code.
fn call(probe: &Probe, table: &ur_dditable_t, objects: &Objects) -> i32 {
    if !(probe.possible)(objects) {
        return UNSUPPORTED;
    }
    // SAFETY: as the call itself says; this process ends with it.
    let answer = unsafe { (probe.call)(table, objects, &Scratch::new()) };
    match answer {
        None | Some(UR_RESULT_ERROR_UNSUPPORTED_FEATURE) => UNSUPPORTED,
        Some(_) => SUPPORTED,
    }
}

/// The exit codes of `count` forked processes, of which as many run at once as there are processors.
/// One that does not come back did something, and has none.
fn in_children(count: usize, body: impl Fn(usize) -> i32) -> Result<Vec<Option<i32>>> {
    let most = std::thread::available_parallelism()?.get();
    let mut codes = vec![None; count];
    let mut running: Vec<(libc::pid_t, usize)> = Vec::new();
    let mut next = 0;
    while next < count || !running.is_empty() {
        if next < count && running.len() < most {
            running.push((fork(|| body(next))?, next));
            next += 1;
            continue;
        }
        let mut status = 0;
        // SAFETY: waits for one of the children.
        let ended = unsafe { libc::wait(&mut status) };
        let Some(at) = running.iter().position(|(child, _)| *child == ended) else {
            bail!("a process is lost");
        };
        let (_, place) = running.swap_remove(at);
        codes[place] = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
    }
    Ok(codes)
}

/// A process that ends with what `body` gives.
fn fork(body: impl FnOnce() -> i32) -> Result<libc::pid_t> {
    // SAFETY: this process has one thread.
    let child = unsafe { libc::fork() };
    if child < 0 {
        bail!("no process: {}", std::io::Error::last_os_error());
    }
    if child == 0 {
        // SAFETY: ends the process by a signal if the call does not come back.
        unsafe { libc::alarm(PATIENCE) };
        let code = body();
        // SAFETY: ends the process without what the parent has to clean up.
        unsafe { libc::_exit(code) };
    }
    Ok(child)
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

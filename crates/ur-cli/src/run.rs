//! `ur run`: one kernel of a SPIR-V file on one device.

use crate::api::{self, Adapter, Device, Loader, Owned, ur};
use crate::argument::{
    Argument, Invalid, Print, parse_argument, parse_out, parse_print, parse_range,
};
use anyhow::{Context, Result, bail};
use clap::Parser;
use std::ffi::{CString, c_void};
use std::fs;
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::time::Instant;
use ur_api::*;

/// What to run.
#[derive(Parser)]
#[command(after_help = "\
Arguments, in the order of the kernel's parameters:
  --arg TYPE:VALUE    a number; TYPE is i8 u8 i16 u16 i32 u32 i64 u64 f32 f64
  --arg buffer:FILE   device memory with the file's bytes
  --arg zeros:BYTES   device memory, all zero
  --arg local:BYTES   work-group local memory

Example:
  ur run add.spv --kernel add --global 1024 --arg buffer:a.bin --arg buffer:b.bin \\
      --arg zeros:4096 --print 2:f32:8

Exit codes: 0 success, 1 a call failed or a file cannot be used, 2 wrong command line.")]
pub struct Args {
    /// The SPIR-V file
    file: PathBuf,
    /// The kernel's name
    #[arg(long)]
    kernel: String,
    /// Global size in work-items, N[,N[,N]]
    #[arg(long)]
    global: String,
    /// Work-group size, N[,N[,N]]; the adapter chooses when absent
    #[arg(long)]
    local: Option<String>,
    /// The device, as in ONEAPI_DEVICE_SELECTOR; its first match that takes SPIR-V is used
    #[arg(long, value_name = "SELECTOR")]
    device: Option<String>,
    /// One argument; repeat it for each parameter
    #[arg(long = "arg", value_name = "KIND:VALUE", allow_hyphen_values = true)]
    args: Vec<String>,
    /// Options of the program's build
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    options: String,
    /// Print values of an argument's memory afterwards, IDX:TYPE[:COUNT]
    #[arg(long, value_name = "IDX:TYPE[:COUNT]")]
    print: Vec<String>,
    /// Write an argument's memory to a file afterwards, IDX:FILE
    #[arg(long, value_name = "IDX:FILE")]
    out: Vec<String>,
}

/// The command line, understood.
struct Job {
    code: Vec<u8>,
    kernel: CString,
    options: CString,
    global: Vec<usize>,
    local: Option<Vec<usize>>,
    arguments: Vec<Argument>,
    prints: Vec<Print>,
    outs: Vec<(usize, PathBuf)>,
}

impl Job {
    fn new(args: &Args) -> Result<Self> {
        let job = Job {
            code: fs::read(&args.file)
                .with_context(|| format!("cannot read {}", args.file.display()))?,
            kernel: c_string("--kernel", &args.kernel)?,
            options: c_string("--options", &args.options)?,
            global: parse_range(&args.global)?,
            local: args.local.as_deref().map(parse_range).transpose()?,
            arguments: all(&args.args, parse_argument)?,
            prints: all(&args.print, parse_print)?,
            outs: all(&args.out, parse_out)?,
        };
        if let Some(local) = &job.local
            && local.len() != job.global.len()
        {
            return Err(Invalid("--local and --global differ in dimensions".into()).into());
        }
        let wanted = job.prints.iter().map(|print| print.index);
        for index in wanted.chain(job.outs.iter().map(|(index, _)| *index)) {
            match job.arguments.get(index) {
                Some(Argument::File(_) | Argument::Zeros(_)) => {}
                Some(_) => return Err(Invalid(format!("argument {index} is no memory")).into()),
                None => return Err(Invalid(format!("there is no argument {index}")).into()),
            }
        }
        Ok(job)
    }
}

fn all<T>(texts: &[String], parse: impl Fn(&str) -> Result<T, Invalid>) -> Result<Vec<T>, Invalid> {
    texts.iter().map(|text| parse(text)).collect()
}

fn c_string(option: &str, text: &str) -> Result<CString, Invalid> {
    CString::new(text).map_err(|_| Invalid(format!("{option} holds a NUL")))
}

/// Runs the kernel and shows what was asked for.
pub fn run(args: &Args) -> Result<()> {
    let job = Job::new(args)?;
    if let Some(selector) = &args.device {
        // SAFETY: no other thread has been started yet that could read the environment.
        unsafe { std::env::set_var("ONEAPI_DEVICE_SELECTOR", selector) };
    }
    let _loader = Loader::start()?;
    let (adapter, device) = first_device()?;
    let explain = |failure| api::explain(&adapter, failure);
    let name = api::device_info(device.get(), UR_DEVICE_INFO_NAME).map_err(explain)?;
    println!("device: {}", api::text(&name));

    let session = Session::open(&device).map_err(explain)?;
    let built = Instant::now();
    let program = session.program(&job, &device, &adapter)?;
    let kernel = session.kernel(&program, &job).map_err(explain)?;
    println!("built in {:.2} ms", built.elapsed().as_secs_f64() * 1e3);

    let memory = job
        .arguments
        .iter()
        .map(|argument| session.memory(argument, &device, &adapter))
        .collect::<Result<Vec<_>>>()?;
    let times = session.launch(&job, &kernel, &memory).map_err(explain)?;
    match times {
        Some(nanoseconds) => println!("ran in {:.3} ms", nanoseconds as f64 / 1e6),
        None => println!("ran"),
    }

    let mut contents: Vec<Option<Vec<u8>>> = vec![None; memory.len()];
    let mut content = |index: usize| -> Result<Vec<u8>> {
        if let Some(bytes) = &contents[index] {
            return Ok(bytes.clone());
        }
        let block = memory[index]
            .as_ref()
            .context("an argument without memory")?;
        let bytes = session.read(block).map_err(explain)?;
        contents[index] = Some(bytes.clone());
        Ok(bytes)
    };
    for print in &job.prints {
        let bytes = content(print.index)?;
        let size = print.scalar.size();
        let values: Vec<String> = bytes
            .chunks_exact(size)
            .take(print.count.unwrap_or(usize::MAX))
            .filter_map(|chunk| print.scalar.show(chunk))
            .collect();
        println!("{}: {}", print.index, values.join(" "));
    }
    for (index, file) in &job.outs {
        fs::write(file, content(*index)?)
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// The first device that the selector leaves, of those with a compiler of SPIR-V if there are any,
/// with its adapter.
fn first_device() -> Result<(Adapter, Device)> {
    let mut other = None;
    for adapter in api::adapters()? {
        let mut first = None;
        for platform in api::platforms(&adapter)? {
            for device in api::devices(platform, true)? {
                let compiler = api::device_info(device.get(), UR_DEVICE_INFO_COMPILER_AVAILABLE);
                if compiler.is_ok_and(|value| value.first().is_some_and(|byte| *byte != 0)) {
                    return Ok((adapter, device));
                }
                first = first.or(Some(device));
            }
        }
        other = other.or(first.map(|device| (adapter, device)));
    }
    other.context("no device; `ur info` shows which adapters were tried")
}

/// A context and a queue on the device.
struct Session {
    // Dropped in this order: the queue belongs to the context.
    queue: Owned<ur_queue_handle_t>,
    context: Owned<ur_context_handle_t>,
}

/// Device memory of one argument.
struct Block<'a> {
    session: &'a Session,
    pointer: *mut c_void,
    size: usize,
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        // SAFETY: allocated in the session's context; the queue was finished before.
        unsafe { ur_loader::urUSMFree(self.session.context.get(), self.pointer) };
    }
}

impl Session {
    fn open(device: &Device) -> api::Result<Self> {
        let handle = device.get();
        let mut context = null_mut();
        // SAFETY: one live device; the out-parameter is ours.
        unsafe {
            ur!(urContextCreate(
                1,
                &raw const handle,
                null(),
                &raw mut context
            ))
        }?;
        // SAFETY: the call gave one reference.
        let context = unsafe { Owned::new(context, ur_loader::urContextRelease) };

        let properties = ur_queue_properties_t {
            flags: UR_QUEUE_FLAG_PROFILING_ENABLE.0,
            ..Default::default()
        };
        let mut queue = null_mut();
        // SAFETY: live handles, a valid structure; the out-parameter is ours.
        unsafe {
            ur!(urQueueCreate(
                context.get(),
                handle,
                &raw const properties,
                &raw mut queue
            ))
        }?;
        // SAFETY: the call gave one reference.
        let queue = unsafe { Owned::new(queue, ur_loader::urQueueRelease) };
        Ok(Self { queue, context })
    }

    /// The program, built; an error has the build log.
    fn program(
        &self,
        job: &Job,
        device: &Device,
        adapter: &Adapter,
    ) -> Result<Owned<ur_program_handle_t>> {
        let mut program = null_mut();
        // SAFETY: the code is readable for its length; the out-parameter is ours.
        unsafe {
            ur!(urProgramCreateWithIL(
                self.context.get(),
                job.code.as_ptr().cast(),
                job.code.len(),
                null(),
                &raw mut program
            ))
        }
        .map_err(|failure| api::explain(adapter, failure))?;
        // SAFETY: the call gave one reference.
        let program = unsafe { Owned::new(program, ur_loader::urProgramRelease) };
        // SAFETY: live handles and a terminated text.
        let built = unsafe {
            ur!(urProgramBuild(
                self.context.get(),
                program.get(),
                job.options.as_ptr()
            ))
        };
        if let Err(failure) = built {
            let failure = api::explain(adapter, failure);
            let log = api::query("urProgramGetBuildInfo", |size, value, size_out| {
                // SAFETY: live handles; `value` has room for `size` bytes.
                unsafe {
                    ur_loader::urProgramGetBuildInfo(
                        program.get(),
                        device.get(),
                        UR_PROGRAM_BUILD_INFO_LOG,
                        size,
                        value,
                        size_out,
                    )
                }
            });
            let log = log.map(|bytes| api::text(&bytes)).unwrap_or_default();
            if log.is_empty() {
                return Err(failure.into());
            }
            bail!("{failure}\nbuild log:\n{log}");
        }
        Ok(program)
    }

    fn kernel(
        &self,
        program: &Owned<ur_program_handle_t>,
        job: &Job,
    ) -> api::Result<Owned<ur_kernel_handle_t>> {
        let mut kernel = null_mut();
        // SAFETY: a live program and a terminated name; the out-parameter is ours.
        unsafe {
            ur!(urKernelCreate(
                program.get(),
                job.kernel.as_ptr(),
                &raw mut kernel
            ))
        }?;
        // SAFETY: the call gave one reference.
        Ok(unsafe { Owned::new(kernel, ur_loader::urKernelRelease) })
    }

    /// Device memory for an argument that has any, with its first content.
    fn memory(
        &self,
        argument: &Argument,
        device: &Device,
        adapter: &Adapter,
    ) -> Result<Option<Block<'_>>> {
        let content = match argument {
            Argument::File(file) => {
                fs::read(file).with_context(|| format!("cannot read {}", file.display()))?
            }
            Argument::Zeros(size) => vec![0; *size],
            Argument::Value(_) | Argument::Local(_) => return Ok(None),
        };
        if content.is_empty() {
            bail!("an empty file makes no memory");
        }
        self.filled(&content, device)
            .map(Some)
            .map_err(|failure| api::explain(adapter, failure).into())
    }

    fn filled(&self, content: &[u8], device: &Device) -> api::Result<Block<'_>> {
        let mut pointer = null_mut();
        // SAFETY: live handles, no pool; the out-parameter is ours.
        unsafe {
            ur!(urUSMDeviceAlloc(
                self.context.get(),
                device.get(),
                null(),
                null_mut(),
                content.len(),
                &raw mut pointer
            ))
        }?;
        let block = Block {
            session: self,
            pointer,
            size: content.len(),
        };
        self.copy(pointer, content.as_ptr().cast(), content.len())?;
        Ok(block)
    }

    /// A blocking copy.
    fn copy(&self, to: *mut c_void, from: *const c_void, size: usize) -> api::Result<()> {
        // SAFETY: both sides hold `size` bytes: one is a block, the other a vector of its size.
        unsafe {
            ur!(urEnqueueUSMMemcpy(
                self.queue.get(),
                true,
                to,
                from,
                size,
                0,
                null(),
                null_mut()
            ))
        }
    }

    /// Runs the kernel to its end; the time it took on the device, if the device measures it.
    fn launch(
        &self,
        job: &Job,
        kernel: &Owned<ur_kernel_handle_t>,
        memory: &[Option<Block<'_>>],
    ) -> api::Result<Option<u64>> {
        let arguments: Vec<_> = (0u32..)
            .zip(job.arguments.iter().zip(memory))
            .map(|(index, (argument, block))| properties(index, argument, block.as_ref()))
            .collect();
        let offset = vec![0usize; job.global.len()];
        let local = job.local.as_ref().map_or(null(), |local| local.as_ptr());
        let mut event = null_mut();
        // SAFETY: live handles; the arrays have the lengths named; argument values and memory live
        // until the queue is finished below.
        unsafe {
            ur!(urEnqueueKernelLaunchWithArgsExp(
                self.queue.get(),
                kernel.get(),
                job.global.len() as u32,
                offset.as_ptr(),
                job.global.as_ptr(),
                local,
                arguments.len() as u32,
                arguments.as_ptr(),
                null(),
                0,
                null(),
                &raw mut event
            ))
        }?;
        // SAFETY: the call gave one reference.
        let event = unsafe { Owned::new(event, ur_loader::urEventRelease) };
        // SAFETY: a live queue.
        unsafe { ur!(urQueueFinish(self.queue.get())) }?;
        let time = |name| {
            let mut nanoseconds = 0u64;
            // SAFETY: a live event; the value has the size named.
            unsafe {
                ur!(urEventGetProfilingInfo(
                    event.get(),
                    name,
                    size_of::<u64>(),
                    (&raw mut nanoseconds).cast(),
                    null_mut()
                ))
            }
            .ok()
            .map(|()| nanoseconds)
        };
        Ok(time(UR_PROFILING_INFO_COMMAND_START)
            .zip(time(UR_PROFILING_INFO_COMMAND_END))
            .map(|(start, end)| end.saturating_sub(start)))
    }

    fn read(&self, block: &Block<'_>) -> api::Result<Vec<u8>> {
        let mut content = vec![0; block.size];
        self.copy(content.as_mut_ptr().cast(), block.pointer, block.size)?;
        Ok(content)
    }
}

/// The structure that passes one argument to the launch.
fn properties(
    index: u32,
    argument: &Argument,
    block: Option<&Block<'_>>,
) -> ur_exp_kernel_arg_properties_t {
    let pointer = block.map_or(null_mut(), |block| block.pointer);
    let (r#type, size, value) = match argument {
        Argument::Value(bytes) => (
            UR_EXP_KERNEL_ARG_TYPE_VALUE,
            bytes.len(),
            ur_exp_kernel_arg_value_t {
                value: bytes.as_ptr().cast(),
            },
        ),
        Argument::File(_) | Argument::Zeros(_) => (
            UR_EXP_KERNEL_ARG_TYPE_POINTER,
            size_of::<*const c_void>(),
            ur_exp_kernel_arg_value_t { pointer },
        ),
        Argument::Local(size) => (
            UR_EXP_KERNEL_ARG_TYPE_LOCAL,
            *size,
            ur_exp_kernel_arg_value_t { value: null() },
        ),
    };
    ur_exp_kernel_arg_properties_t {
        r#type,
        index,
        size,
        value,
        ..Default::default()
    }
}

//! Programs in OpenCL C, which OpenCL's own function makes in the context behind ours: what devices
//! without SPIR-V have kernels by.

use super::{run, text};
use crate::failure::Stop;
use crate::objects::{Arg, Kernel, Memory, Program, Range};
use crate::suites::enqueue::buffers::filled;
use crate::suites::enqueue::command::Scene;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, refused, same, ur};
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::null;
use ur_api::*;

const SOURCE: &str = "
kernel void ids(global uint *out) { out[get_global_id(0)] = get_global_id(0); }
kernel void weighted(global const float *x, global float *y, float a, local float *board) {
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    board[l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] += a * board[n - 1 - l];
}
";

pub(super) fn tests(suite: &mut Suite<'_>) {
    suite.device("source::runs", |cx| {
        let scene = Scene::new(cx, 0)?;
        let program = made(&scene, SOURCE)?;
        program.build(&scene.context, None)?;
        same!(
            "numbers",
            run(&scene, &program, c"ids", 1000)?,
            (0..1000).collect::<Vec<u32>>()
        );
        Ok(())
    });
    suite.device("source::local_memory_and_values", |cx| {
        let scene = Scene::new(cx, 0)?;
        let program = made(&scene, SOURCE)?;
        program.build(&scene.context, None)?;
        weighted(&scene, &program)
    });
    suite.device("source::options", |cx| {
        let scene = Scene::new(cx, 0)?;
        let source = "kernel void ids(global uint *out) { out[get_global_id(0)] = NUMBER; }";
        let program = made(&scene, source)?;
        program.build(&scene.context, Some(c"-DNUMBER=41+1"))?;
        same!("numbers", run(&scene, &program, c"ids", 5)?, vec![42; 5]);
        Ok(())
    });
    suite.device("source::names_its_kernels", |cx| {
        let scene = Scene::new(cx, 0)?;
        let program = made(&scene, SOURCE)?;
        program.build(&scene.context, None)?;
        let count: usize = program.info(UR_PROGRAM_INFO_NUM_KERNELS)?;
        same!("kernels", count, 2);
        let mut names = [0u8; 64];
        let place = names.as_mut_ptr().cast();
        ok!(urProgramGetInfo(
            program.get(),
            UR_PROGRAM_INFO_KERNEL_NAMES,
            names.len(),
            place,
            std::ptr::null_mut()
        ))?;
        let names = text(&names);
        let mut names: Vec<&str> = names.split(';').collect();
        names.sort_unstable();
        same!("names", names, ["ids", "weighted"]);
        Ok(())
    });
    suite.device("source::faults_are_in_the_log", |cx| {
        let scene = Scene::new(cx, 0)?;
        let program = made(
            &scene,
            "kernel void ids(global uint *out) { *out = nowhere; }",
        )?;
        refused!(
            UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE,
            urProgramBuild(scene.context.get(), program.get(), null())
        )?;
        let mut size = 0;
        let (query, device) = (UR_PROGRAM_BUILD_INFO_LOG, cx.device());
        let nowhere = std::ptr::null_mut();
        ok!(urProgramGetBuildInfo(
            program.get(),
            device,
            query,
            0,
            nowhere,
            &raw mut size
        ))?;
        let mut log = vec![0u8; size];
        let place = log.as_mut_ptr().cast();
        ok!(urProgramGetBuildInfo(
            program.get(),
            device,
            query,
            size,
            place,
            std::ptr::null_mut()
        ))?;
        let log = text(&log);
        ensure!(log.contains("nowhere"), "the log does not name it: {log}");
        Ok(())
    });
    suite.device("source::one_kernel_of_many_threads", many_threads);
    suite.device("source::binary_of_it_runs", |cx| {
        let scene = Scene::new(cx, 0)?;
        let program = made(&scene, SOURCE)?;
        program.build(&scene.context, None)?;
        let size: usize = program.info(UR_PROGRAM_INFO_BINARY_SIZES)?;
        let mut binary = vec![0u8; size];
        let mut places = [binary.as_mut_ptr()];
        let place = places.as_mut_ptr().cast();
        ok!(urProgramGetInfo(
            program.get(),
            UR_PROGRAM_INFO_BINARIES,
            size_of_val(&places),
            place,
            std::ptr::null_mut()
        ))?;
        let again = Program::made("urProgramCreateWithBinary", |out| {
            let mut device = cx.device();
            let (mut length, mut bytes) = (size, binary.as_ptr());
            ur!(urProgramCreateWithBinary(
                scene.context.get(),
                1,
                &raw mut device,
                &raw mut length,
                &raw mut bytes,
                null(),
                out
            ))
        })?;
        again.build(&scene.context, None)?;
        weighted(&scene, &again)
    });
}

/// A program of a source, which is handed over.
#[track_caller]
fn made(scene: &Scene, source: &str) -> Result<Program, Stop> {
    type Create = unsafe extern "C" fn(
        *mut c_void,
        c_uint,
        *const *const c_char,
        *const usize,
        *mut c_int,
    ) -> *mut c_void;
    if scene.cx.backend() != UR_BACKEND_OPENCL {
        return Err(Stop::Unsupported(
            "sources, on a backend that is not OpenCL".into(),
        ));
    }
    let mut context = 0;
    ok!(urContextGetNativeHandle(
        scene.context.get(),
        &raw mut context
    ))?;
    // SAFETY: a terminated name; the library is the one that the adapter uses.
    let library = unsafe { libc::dlopen(c"libOpenCL.so.1".as_ptr(), libc::RTLD_NOW) };
    ensure!(!library.is_null(), "native contexts, but no OpenCL library");
    // SAFETY: an open library and a terminated name.
    let address = unsafe { libc::dlsym(library, c"clCreateProgramWithSource".as_ptr()) };
    ensure!(!address.is_null(), "no function that takes sources");
    // SAFETY: the function of that name has this type.
    let create = unsafe { std::mem::transmute::<*mut c_void, Create>(address) };
    let (start, length, mut code) = (source.as_ptr().cast(), source.len(), 0);
    // SAFETY: the context lives; one text of that length.
    let native = unsafe {
        create(
            context as *mut c_void,
            1,
            &raw const start,
            &raw const length,
            &raw mut code,
        )
    };
    same!("what OpenCL says", code, 0);
    let properties = ur_program_native_properties_t {
        isNativeHandleOwned: true,
        ..Default::default()
    };
    Program::made("urProgramCreateWithNativeHandle", |out| {
        let properties = &raw const properties;
        let (native, context) = (native as ur_native_handle_t, scene.context.get());
        ur!(urProgramCreateWithNativeHandle(
            native, context, properties, out
        ))
    })
}

/// Runs `weighted` and looks at what it did.
#[track_caller]
fn weighted(scene: &Scene, program: &Program) -> Outcome {
    const COUNT: usize = 256;
    const GROUP: usize = 16;
    let kernel = Kernel::new(program, c"weighted")?;
    let numbers: Vec<f32> = (0..COUNT).map(|i| i as f32).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let (x, y) = (
        Memory::with(&scene.context, &bytes)?,
        Memory::with(&scene.context, &bytes)?,
    );
    let range = Range {
        global: &[COUNT],
        local: &[GROUP],
        ..Default::default()
    };
    let factor = 2f32.to_ne_bytes();
    let args = [
        Arg::from(&x),
        Arg::from(&y),
        Arg::Value(&factor),
        Arg::Local(4 * GROUP),
    ];
    kernel.run(&scene.queue, range, &args)?;
    let found = y.read(&scene.queue, 4 * COUNT)?;
    for (i, found) in found.chunks_exact(4).enumerate() {
        let mirrored = i - i % GROUP + (GROUP - 1 - i % GROUP);
        let wanted = numbers[i] + 2.0 * numbers[mirrored];
        same!(format_args!("number {i}"), found, wanted.to_ne_bytes());
    }
    Ok(())
}

/// Launches one kernel from several threads at once, each with a buffer of its own.
fn many_threads(cx: &Cx) -> Outcome {
    let scene = Scene::new(cx, 0)?;
    let program = made(
        &scene,
        "kernel void fill(global uint *out, uint value) { out[get_global_id(0)] = value; }",
    )?;
    program.build(&scene.context, None)?;
    let kernel = Kernel::new(&program, c"fill")?;
    let buffers = (0..8)
        .map(|_| filled(&scene, 256, 1))
        .collect::<Result<Vec<_>, _>>()?;
    let wrong: Vec<String> = std::thread::scope(|threads| {
        let all: Vec<_> = (0u32..8)
            .map(|thread| {
                let (scene, kernel, buffer) = (&scene, &kernel, &buffers[thread as usize]);
                threads.spawn(move || -> Option<String> {
                    for round in 0..50u32 {
                        let value = (thread << 16 | round).to_ne_bytes();
                        let args = [Arg::from(buffer), Arg::Value(&value)];
                        let range = Range::from(&[64usize][..]);
                        if kernel.run(&scene.queue, range, &args).is_err() {
                            return Some(format!("thread {thread}, launch {round} is refused"));
                        }
                        match buffer.read(&scene.queue, 256) {
                            Ok(found) if found.chunks_exact(4).all(|found| found == value) => {}
                            Ok(_) => {
                                return Some(format!("thread {thread}, launch {round}: another's"));
                            }
                            Err(_) => return Some(format!("thread {thread}: no answer")),
                        }
                    }
                    None
                })
            })
            .collect();
        all.into_iter()
            .filter_map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|_| Some("it panicked".to_owned()))
            })
            .collect()
    });
    ensure!(wrong.is_empty(), "{}", wrong.join("; "));
    Ok(())
}

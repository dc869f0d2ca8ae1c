//! Programs: how they are made, built, linked and saved, and what they say of themselves.

mod build;
mod contents;
mod source;
mod sycl;

use crate::failure::Stop;
use crate::objects::{Arg, Counted, Kernel, Program, Range};
use crate::suites::enqueue::buffers::filled;
use crate::suites::enqueue::command::Scene;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, kernels, ok, refused, same, ur};
use std::ffi::CStr;
use std::ptr::{null, null_mut};
use ur_api::*;

pub(crate) fn tests(suite: &mut Suite<'_>) {
    created(suite);
    counts(suite);
    binaries(suite);
    build::tests(suite);
    contents::tests(suite);
    source::tests(suite);
    sycl::tests(suite);
}

/// A scene on a device that has a compiler.
#[track_caller]
fn scene(cx: &Cx) -> Result<Scene, Stop> {
    cx.needs(UR_DEVICE_INFO_COMPILER_AVAILABLE)?;
    Scene::new(cx, 0)
}

/// Runs a kernel of a program over a buffer of numbers, and gives them.
#[track_caller]
fn run(scene: &Scene, program: &Program, name: &CStr, count: usize) -> Result<Vec<u32>, Stop> {
    let kernel = Kernel::new(program, name)?;
    let buffer = filled(scene, count * 4, 1)?;
    kernel.run(
        &scene.queue,
        Range::from(&[count][..]),
        &[Arg::from(&buffer)],
    )?;
    let bytes = buffer.read(&scene.queue, count * 4)?;
    let words = bytes.chunks_exact(4);
    Ok(words
        .map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
        .collect())
}

/// Whether a program works: runs a kernel of `basic.cl`.
#[track_caller]
fn works(scene: &Scene, program: &Program) -> Outcome {
    let found = run(scene, program, c"ids", 8)?;
    same!("numbers", found, (0..8).collect::<Vec<u32>>());
    Ok(())
}

/// Text in front of the end, or all of it.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
}

fn created(suite: &mut Suite<'_>) {
    suite.device("create_with_il::describes_itself", |cx| {
        let scene = scene(cx)?;
        let program = Program::from_il(&scene.context, kernels::BASIC)?;
        let context: ur_context_handle_t = program.info(UR_PROGRAM_INFO_CONTEXT)?;
        same!("context", context, scene.context.get());
        same!(
            "number of devices",
            program.info::<u32>(UR_PROGRAM_INFO_NUM_DEVICES)?,
            1
        );
        let devices: Vec<ur_device_handle_t> = program.list(UR_PROGRAM_INFO_DEVICES)?;
        same!("devices", devices, [cx.device()]);
        same!("count", program.count()?, 1);
        let il: Vec<u8> = program.list(UR_PROGRAM_INFO_IL)?;
        ensure!(il == kernels::BASIC, "the IL is not what was given");
        Ok(())
    });
    suite.device("create_with_il::source_changed_after_the_call", |cx| {
        let scene = scene(cx)?;
        let mut il = kernels::BASIC.to_vec();
        let program = Program::from_il(&scene.context, &il)?;
        il.fill(0);
        std::hint::black_box(&mut il);
        program.build(&scene.context, None)?;
        works(&scene, &program)
    });
    for (name, kind, bytes) in [
        ("number", UR_PROGRAM_METADATA_TYPE_UINT32, 4),
        ("large_number", UR_PROGRAM_METADATA_TYPE_UINT64, 8),
        ("bytes", UR_PROGRAM_METADATA_TYPE_BYTE_ARRAY, 16),
        ("text", UR_PROGRAM_METADATA_TYPE_STRING, 5),
    ] {
        suite.device(format!("create_with_il::metadata::{name}"), move |cx| {
            let scene = scene(cx)?;
            let data = *b"some\0bytes here.";
            let value = match kind {
                UR_PROGRAM_METADATA_TYPE_UINT32 => ur_program_metadata_value_t { data32: 5 },
                UR_PROGRAM_METADATA_TYPE_UINT64 => ur_program_metadata_value_t { data64: 5 },
                _ => ur_program_metadata_value_t {
                    pData: data.as_ptr().cast_mut().cast(),
                },
            };
            let metadata = ur_program_metadata_t {
                pName: c"a name that means nothing".as_ptr(),
                r#type: kind,
                size: bytes,
                value,
            };
            let properties = ur_program_properties_t {
                count: 1,
                pMetadatas: &raw const metadata,
                ..Default::default()
            };
            let program = Program::made("urProgramCreateWithIL", |out| {
                let (il, size) = (kernels::BASIC.as_ptr().cast(), kernels::BASIC.len());
                let properties = &raw const properties;
                ur!(urProgramCreateWithIL(
                    scene.context.get(),
                    il,
                    size,
                    properties,
                    out
                ))
            })?;
            program.build(&scene.context, None)?;
            works(&scene, &program)
        });
    }
    for (name, il) in [
        ("text", &b"This is no module at all."[..]),
        ("zeroes", &[0; 64]),
        ("header_alone", &kernels::BASIC[..20]),
        (
            "cut_in_the_middle",
            &kernels::BASIC[..kernels::BASIC.len() / 8 * 4],
        ),
        ("one_byte", &kernels::BASIC[..1]),
    ] {
        // Whoever looks at it first may refuse it.
        suite.device(format!("create_with_il::broken::{name}"), move |cx| {
            let scene = scene(cx)?;
            let mut program = null_mut();
            let code = ur!(urProgramCreateWithIL(
                scene.context.get(),
                il.as_ptr().cast(),
                il.len(),
                null(),
                &raw mut program
            ));
            if code != UR_RESULT_SUCCESS {
                crate::failure::check(
                    "urProgramCreateWithIL",
                    UR_RESULT_ERROR_INVALID_BINARY,
                    code,
                )?;
                return Ok(());
            }
            let program = Program::adopt(program);
            let code = ur!(urProgramBuild(scene.context.get(), program.get(), null()));
            let errors = [
                UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE,
                UR_RESULT_ERROR_INVALID_PROGRAM,
            ];
            crate::failure::check("urProgramBuild", errors, code)?;
            Ok(())
        });
    }
    suite.device("errors::no_il", |cx| {
        let scene = scene(cx)?;
        let mut program = null_mut();
        refused!(
            UR_RESULT_ERROR_INVALID_SIZE,
            urProgramCreateWithIL(
                scene.context.get(),
                kernels::BASIC.as_ptr().cast(),
                0,
                null(),
                &raw mut program
            )
        )?;
        Ok(())
    });
    suite.device("native_handle::there_and_back", |cx| {
        let scene = scene(cx)?;
        let program = Program::built(&scene.context, kernels::BASIC)?;
        let mut native = 0;
        let got = crate::failure::check(
            "urProgramGetNativeHandle",
            UR_RESULT_SUCCESS,
            ur!(urProgramGetNativeHandle(program.get(), &raw mut native)),
        );
        if got.is_err() {
            // Who has no handles makes nothing of them either.
            let mut none = null_mut();
            refused!(
                UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
                urProgramCreateWithNativeHandle(1, scene.context.get(), null(), &raw mut none)
            )?;
        }
        got?;
        same!("count after", program.count()?, 1);
        let properties = ur_program_native_properties_t {
            isNativeHandleOwned: false,
            ..Default::default()
        };
        let other = Program::made("urProgramCreateWithNativeHandle", |out| {
            let properties = &raw const properties;
            let context = scene.context.get();
            ur!(urProgramCreateWithNativeHandle(
                native, context, properties, out
            ))
        })?;
        works(&scene, &other)
    });
}

fn counts(suite: &mut Suite<'_>) {
    suite.device("retain::counts", |cx| {
        let scene = scene(cx)?;
        let program = Program::from_il(&scene.context, kernels::BASIC)?;
        let second = program.retain()?;
        same!("count after retain", program.count()?, 2);
        let third = program.retain()?;
        same!("count after retain", program.count()?, 3);
        third.release()?;
        same!("count after release", program.count()?, 2);
        second.release()?;
        same!("count after release", program.count()?, 1);
        Ok(())
    });
    suite.device("retain::outlives_the_first_owner", |cx| {
        let scene = scene(cx)?;
        let program = Program::built(&scene.context, kernels::BASIC)?;
        let second = program.retain()?;
        program.release()?;
        works(&scene, &second)
    });
    suite.device("release::keeps_its_context", |cx| {
        cx.needs(UR_DEVICE_INFO_COMPILER_AVAILABLE)?;
        let context = cx.context()?;
        let handle = context.get();
        let program = Program::from_il(&context, kernels::BASIC)?;
        context.release()?;
        let found: ur_context_handle_t = program.info(UR_PROGRAM_INFO_CONTEXT)?;
        same!("context", found, handle);
        Ok(())
    });
    suite.device("release::while_a_kernel_is_left", |cx| {
        let scene = scene(cx)?;
        let program = Program::built(&scene.context, kernels::BASIC)?;
        let kernel = Kernel::new(&program, c"increment")?;
        program.release()?;
        let buffer = filled(&scene, 64, 1)?;
        kernel.run(&scene.queue, Range::from(&[16][..]), &[Arg::from(&buffer)])
    });
}

/// The binaries of a program, one for each device.
#[track_caller]
fn saved(program: &Program) -> Result<Vec<Vec<u8>>, Stop> {
    let sizes: Vec<usize> = program.list(UR_PROGRAM_INFO_BINARY_SIZES)?;
    let mut all: Vec<Vec<u8>> = sizes.iter().map(|size| vec![0; *size]).collect();
    let mut places: Vec<*mut u8> = all.iter_mut().map(|bytes| bytes.as_mut_ptr()).collect();
    let size = size_of_val(&places[..]);
    ok!(urProgramGetInfo(
        program.get(),
        UR_PROGRAM_INFO_BINARIES,
        size,
        places.as_mut_ptr().cast(),
        null_mut()
    ))?;
    Ok(all)
}

/// A program of binaries for the scene's device.
#[track_caller]
fn restored(scene: &Scene, binary: &[u8]) -> Result<Program, Stop> {
    Program::made("urProgramCreateWithBinary", |out| {
        restore(scene, binary, out)
    })
}

fn restore(scene: &Scene, binary: &[u8], out: *mut ur_program_handle_t) -> ur_result_t {
    let (mut device, mut length) = (scene.cx.device(), binary.len());
    let mut bytes = binary.as_ptr();
    ur!(urProgramCreateWithBinary(
        scene.context.get(),
        1,
        &raw mut device,
        &raw mut length,
        &raw mut bytes,
        null(),
        out
    ))
}

fn binaries(suite: &mut Suite<'_>) {
    suite.device("binary::with_properties", |cx| {
        let scene = scene(cx)?;
        let program = Program::built(&scene.context, kernels::BASIC)?;
        let binaries = saved(&program)?;
        let metadata = ur_program_metadata_t {
            pName: c"a name that means nothing".as_ptr(),
            r#type: UR_PROGRAM_METADATA_TYPE_UINT32,
            size: 4,
            value: ur_program_metadata_value_t { data32: 5 },
        };
        let properties = ur_program_properties_t {
            count: 1,
            pMetadatas: &raw const metadata,
            ..Default::default()
        };
        let (mut device, mut length) = (cx.device(), binaries[0].len());
        let mut bytes = binaries[0].as_ptr();
        let again = Program::made("urProgramCreateWithBinary", |out| {
            ur!(urProgramCreateWithBinary(
                scene.context.get(),
                1,
                &raw mut device,
                &raw mut length,
                &raw mut bytes,
                &raw const properties,
                out
            ))
        })?;
        again.build(&scene.context, None)?;
        works(&scene, &again)
    });
    suite.device("binary::there_and_back", |cx| {
        let scene = scene(cx)?;
        let program = Program::built(&scene.context, kernels::BASIC)?;
        let binaries = saved(&program)?;
        same!("number of binaries", binaries.len(), 1);
        ensure!(!binaries[0].is_empty(), "an empty binary");
        program.release()?;
        let restored = restored(&scene, &binaries[0])?;
        restored.build(&scene.context, None)?;
        works(&scene, &restored)
    });
    suite.device("binary::twice_there_and_back", |cx| {
        let scene = scene(cx)?;
        let mut program = Program::built(&scene.context, kernels::BASIC)?;
        for _ in 0..2 {
            let binaries = saved(&program)?;
            program = restored(&scene, &binaries[0])?;
            program.build(&scene.context, None)?;
        }
        works(&scene, &program)
    });
    suite.device("binary::changed_after_the_call", |cx| {
        let scene = scene(cx)?;
        let program = Program::built(&scene.context, kernels::BASIC)?;
        let mut binaries = saved(&program)?;
        let restored = restored(&scene, &binaries[0])?;
        binaries[0].fill(0);
        restored.build(&scene.context, None)?;
        works(&scene, &restored)
    });
    suite.device("binary::has_its_constants", |cx| {
        let scene = scene(cx)?;
        let program = Program::from_il(&scene.context, kernels::CONSTANTS)?;
        contents::constant(&program, 1, &77u32.to_ne_bytes())?;
        program.build(&scene.context, None)?;
        let binaries = saved(&program)?;
        let restored = restored(&scene, &binaries[0])?;
        restored.build(&scene.context, None)?;
        same!("constant", contents::constants(&scene, &restored)?[0], 77);
        Ok(())
    });
    suite.device("binary::of_the_device_described", |cx| {
        let scene = scene(cx)?;
        let program = Program::built(&scene.context, kernels::BASIC)?;
        let restored = restored(&scene, &saved(&program)?[0])?;
        let devices: Vec<ur_device_handle_t> = restored.list(UR_PROGRAM_INFO_DEVICES)?;
        same!("devices", devices, [cx.device()]);
        same!("count", restored.count()?, 1);
        Ok(())
    });
    suite.device("binary::broken", |cx| {
        let scene = scene(cx)?;
        let mut program = null_mut();
        let errors = [
            UR_RESULT_ERROR_INVALID_NATIVE_BINARY,
            UR_RESULT_ERROR_INVALID_BINARY,
        ];
        let code = restore(&scene, b"this is no binary", &raw mut program);
        crate::failure::check("urProgramCreateWithBinary", errors, code)?;
        Ok(())
    });
}

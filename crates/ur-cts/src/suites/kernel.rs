//! Kernels: what they say of themselves and of how they run, suggestions, and what may be told them.

mod set_arg;

use crate::failure::{Stop, check};
use crate::info;
use crate::kernels;
use crate::objects::{Arg, Counted, Kernel, Memory, Program, Range, argument};
use crate::suites::enqueue::buffers::filled;
use crate::suites::enqueue::command::Scene;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, refused, same, ur};
use std::ffi::CString;
use std::ptr::{null, null_mut};
use ur_api::*;

/// Kernels of `basic.cl`, with their numbers of arguments.
const KERNELS: [(&str, u32); 9] = [
    ("fill", 2),
    ("ids", 1),
    ("copy", 2),
    ("increment", 1),
    ("saxpy", 4),
    ("group_sum", 3),
    ("sizes", 1),
    ("by_value", 2),
    ("fixed_size", 1),
];

pub(crate) fn tests(suite: &mut Suite<'_>) {
    set_arg::tests(&mut suite.part("set_arg"));
    for (name, arguments) in KERNELS {
        suite.device(format!("create::{name}"), move |cx| {
            let (scene, program) = program(cx)?;
            let kernel = named(&program, name)?;
            same!("name", kernel.text(UR_KERNEL_INFO_FUNCTION_NAME)?, name);
            same!(
                "number of arguments",
                kernel.info::<u32>(UR_KERNEL_INFO_NUM_ARGS)?,
                arguments
            );
            let context: ur_context_handle_t = kernel.info(UR_KERNEL_INFO_CONTEXT)?;
            same!("context", context, scene.context.get());
            let of: ur_program_handle_t = kernel.info(UR_KERNEL_INFO_PROGRAM)?;
            same!("program", of, program.get());
            same!("count", kernel.count()?, 1);
            Ok(())
        });
        suite.device(format!("group_info::{name}"), move |cx| group(cx, name));
        suite.device(format!("sub_group_info::{name}"), move |cx| {
            sub_group(cx, name)
        });
        for global in [&[1][..], &[1000], &[64, 64], &[7, 5, 3], &[16, 8, 4]] {
            // Where a size is required it has three dimensions, and divides these only.
            if name == "fixed_size" && global != [16, 8, 4] {
                continue;
            }
            let size: Vec<String> = global.iter().map(usize::to_string).collect();
            let size = size.join("x");
            suite.device(format!("suggested::{name}::{size}"), move |cx| {
                suggested(cx, name, global)
            });
        }
    }
    suite.device("attributes::required_size", |cx| {
        let (_scene, program) = program(cx)?;
        let kernel = named(&program, "fixed_size")?;
        let text = kernel.text(UR_KERNEL_INFO_ATTRIBUTES)?;
        // A device need not know them of a kernel that was not compiled from source.
        let plain = text.replace(' ', "");
        ensure!(
            plain.is_empty() || plain.contains("reqd_work_group_size(8,4,2)"),
            "the attributes are {text:?}"
        );
        Ok(())
    });
    suite.device("group_info::required_size", |cx| {
        let (_scene, program) = program(cx)?;
        for (name, wanted) in [("fixed_size", [8, 4, 2]), ("fill", [0; 3])] {
            let kernel = named(&program, name)?;
            let query = UR_KERNEL_GROUP_INFO_COMPILE_WORK_GROUP_SIZE;
            let size = group_values(cx, &kernel, query)?;
            same!(format!("required size of {name}"), size, wanted);
        }
        Ok(())
    });
    counts(suite);
    told(suite);
    errors(suite);
    suite.device("native_handle::there_and_back", native);
    suite.device("several_of_one_function", |cx| {
        let (scene, program) = program(cx)?;
        let (first, second) = (named(&program, "fill")?, named(&program, "fill")?);
        ensure!(first.get() != second.get(), "two kernels are the same");
        let buffers = [filled(&scene, 64, 1)?, filled(&scene, 64, 1)?];
        for (kernel, buffer, number) in [(&first, &buffers[0], 3u32), (&second, &buffers[1], 4)] {
            let number = number.to_ne_bytes();
            let args = [Arg::from(buffer), Arg::Value(&number)];
            kernel.run(&scene.queue, Range::from(&[16][..]), &args)?;
        }
        same!(
            "first",
            buffers[0].read(&scene.queue, 4)?,
            3u32.to_ne_bytes()
        );
        same!(
            "second",
            buffers[1].read(&scene.queue, 4)?,
            4u32.to_ne_bytes()
        );
        Ok(())
    });
}

#[track_caller]
fn program(cx: &Cx) -> Result<(Scene, Program), Stop> {
    cx.needs(UR_DEVICE_INFO_COMPILER_AVAILABLE)?;
    let scene = Scene::new(cx, 0)?;
    let program = Program::built(&scene.context, kernels::BASIC)?;
    Ok((scene, program))
}

#[track_caller]
fn named(program: &Program, name: &str) -> Result<Kernel, Stop> {
    let name = CString::new(name).map_err(Stop::fail)?;
    Kernel::new(program, &name)
}

/// Values of a query about work-groups.
#[track_caller]
fn group_values(
    cx: &Cx,
    kernel: &Kernel,
    query: ur_kernel_group_info_t,
) -> Result<Vec<usize>, Stop> {
    info::values("urKernelGetGroupInfo", |size, value, out| {
        let (kernel, device) = (kernel.get(), cx.device());
        ur!(urKernelGetGroupInfo(
            kernel, device, query, size, value, out
        ))
    })
}

fn group(cx: &Cx, name: &str) -> Outcome {
    let (_scene, program) = program(cx)?;
    let kernel = named(&program, name)?;
    let one = |query| match group_values(cx, &kernel, query)?[..] {
        [one] => Ok(one),
        ref other => Err(Stop::fail(format_args!(
            "{query} gave {} values instead of one",
            other.len()
        ))),
    };
    let most = one(UR_KERNEL_GROUP_INFO_WORK_GROUP_SIZE)?;
    let device = cx.device_info::<usize>(UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE)?;
    ensure!(most > 0, "no work-group fits");
    ensure!(
        device.is_none_or(|device| most <= device),
        "work-groups of {most}, and the device has {device:?}"
    );
    let multiple = one(UR_KERNEL_GROUP_INFO_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)?;
    ensure!(multiple > 0, "a multiple of 0");
    let local = one(UR_KERNEL_GROUP_INFO_LOCAL_MEM_SIZE)?;
    let device = cx.device_info::<u64>(UR_DEVICE_INFO_LOCAL_MEM_SIZE)?;
    ensure!(
        device.is_none_or(|device| local as u64 <= device),
        "{local} bytes of local memory, and the device has {device:?}"
    );
    one(UR_KERNEL_GROUP_INFO_PRIVATE_MEM_SIZE)?;
    let size = group_values(cx, &kernel, UR_KERNEL_GROUP_INFO_COMPILE_WORK_GROUP_SIZE)?;
    same!("dimensions of the required size", size.len(), 3);
    // The largest work-group can be launched, which is what the number says.
    if name == "fill" {
        let scene = Scene::new(cx, 0)?;
        let kernel = scene.kernel(kernels::BASIC, c"fill")?;
        let buffer = filled(&scene, most * 4, 1)?;
        let number = 6u32.to_ne_bytes();
        let range = Range {
            global: &[most],
            local: &[most],
            offset: &[],
        };
        let args = [Arg::from(&buffer), Arg::Value(&number)];
        kernel.run(&scene.queue, range, &args)?;
        let found = buffer.read(&scene.queue, most * 4)?;
        same!("last element", found[most * 4 - 4..], number);
    }
    Ok(())
}

fn sub_group(cx: &Cx, name: &str) -> Outcome {
    let (_scene, program) = program(cx)?;
    let kernel = named(&program, name)?;
    let one = |query: ur_kernel_sub_group_info_t| -> Result<u32, Stop> {
        info::value("urKernelGetSubGroupInfo", |size, value, out| {
            let (kernel, device) = (kernel.get(), cx.device());
            ur!(urKernelGetSubGroupInfo(
                kernel, device, query, size, value, out
            ))
        })
    };
    let size = one(UR_KERNEL_SUB_GROUP_INFO_MAX_SUB_GROUP_SIZE)?;
    let count = one(UR_KERNEL_SUB_GROUP_INFO_MAX_NUM_SUB_GROUPS)?;
    ensure!(size > 0 && count > 0, "{count} sub-groups of {size}");
    // Nothing is required in these kernels.
    same!(
        "required sub-groups",
        one(UR_KERNEL_SUB_GROUP_INFO_COMPILE_NUM_SUB_GROUPS)?,
        0
    );
    same!(
        "required sub-group size",
        one(UR_KERNEL_SUB_GROUP_INFO_SUB_GROUP_SIZE_INTEL)?,
        0
    );
    Ok(())
}

/// Arguments for a kernel that will not run.
fn arguments<'a>(name: &str, buffer: &'a Memory) -> Vec<Arg<'a>> {
    let buffer = Arg::from(buffer);
    match name {
        "fill" => vec![buffer, Arg::Value(&[0; 4])],
        "copy" => vec![buffer, buffer],
        "saxpy" => vec![buffer, buffer, Arg::Value(&[0; 4]), buffer],
        "group_sum" => vec![buffer, Arg::Local(1024), buffer],
        "by_value" => vec![Arg::Value(&[0; 32]), buffer],
        _ => vec![buffer],
    }
}

/// A suggestion fits the kernel and the device; where one size is required, it is that.
fn suggested(cx: &Cx, name: &str, global: &[usize]) -> Outcome {
    let (scene, program) = program(cx)?;
    let kernel = named(&program, name)?;
    let dimensions = global.len() as u32;
    let offset = vec![0; global.len()];
    let mut plain = [0usize; 3];
    let buffer = filled(&scene, 64, 1)?;
    kernel.give(&arguments(name, &buffer))?;
    ok!(urKernelGetSuggestedLocalWorkSize(
        kernel.get(),
        scene.queue.get(),
        dimensions,
        offset.as_ptr(),
        global.as_ptr(),
        plain.as_mut_ptr()
    ))?;
    let most = group_values(cx, &kernel, UR_KERNEL_GROUP_INFO_WORK_GROUP_SIZE)?;
    let given = &plain[..global.len()];
    ensure!(
        given.iter().all(|n| *n > 0) && given.iter().product::<usize>() <= most[0],
        "{given:?} was suggested, and at most {most:?} fit"
    );
    ensure!(
        plain[global.len()..].iter().all(|n| *n == 0),
        "more was written than there are dimensions"
    );
    if name == "fixed_size" {
        same!("suggestion", plain, [8, 4, 2]);
    }
    Ok(())
}

fn counts(suite: &mut Suite<'_>) {
    suite.device("retain::counts", |cx| {
        let (_scene, program) = program(cx)?;
        let kernel = named(&program, "fill")?;
        let second = kernel.retain()?;
        same!("count after retain", kernel.count()?, 2);
        second.release()?;
        same!("count after release", kernel.count()?, 1);
        Ok(())
    });
    suite.device("retain::outlives_the_first_owner", |cx| {
        let (scene, program) = program(cx)?;
        let kernel = named(&program, "increment")?;
        let second = kernel.retain()?;
        kernel.release()?;
        let buffer = filled(&scene, 64, 1)?;
        second.run(&scene.queue, Range::from(&[16][..]), &[Arg::from(&buffer)])
    });
    suite.device("release::keeps_its_program", |cx| {
        let (scene, program) = program(cx)?;
        let handle = program.get();
        let kernel = named(&program, "increment")?;
        program.release()?;
        let of: ur_program_handle_t = kernel.info(UR_KERNEL_INFO_PROGRAM)?;
        same!("program", of, handle);
        let buffer = filled(&scene, 64, 1)?;
        kernel.run(&scene.queue, Range::from(&[16][..]), &[Arg::from(&buffer)])
    });
    suite.device("create::leaves_the_count_of_the_kernel_at_one", |cx| {
        let (_scene, program) = program(cx)?;
        let kernels = ["fill", "ids", "copy"].map(|name| named(&program, name));
        for kernel in kernels {
            same!("count", kernel?.count()?, 1);
        }
        Ok(())
    });
    suite.device("threads::create_of_one_program", |cx| {
        let (_scene, program) = program(cx)?;
        let program = &program;
        let results: Vec<Outcome> = std::thread::scope(|scope| {
            let one = |name: &'static str| {
                for _ in 0..10 {
                    let kernel = named(program, name)?;
                    same!("name", kernel.text(UR_KERNEL_INFO_FUNCTION_NAME)?, name);
                }
                Ok(())
            };
            let names = ["fill", "ids", "copy", "saxpy"];
            let running = names.map(|name| scope.spawn(move || one(name)));
            let ended = running.into_iter().map(|thread| thread.join());
            ended
                .map(|result| result.unwrap_or_else(|_| Err(Stop::fail("a thread panicked"))))
                .collect()
        });
        results.into_iter().collect()
    });
}

/// What a kernel is told.
fn told(suite: &mut Suite<'_>) {
    for indirect in [false, true] {
        suite.device(
            format!("exec_info::indirect_access_{indirect}"),
            move |cx| {
                let value = ur_bool_t::from(indirect);
                tell(cx, UR_KERNEL_EXEC_INFO_USM_INDIRECT_ACCESS, &[value], true)
            },
        );
    }
    for (name, config) in [
        ("default", UR_KERNEL_CACHE_CONFIG_DEFAULT),
        ("large_local", UR_KERNEL_CACHE_CONFIG_LARGE_SLM),
        ("large_data", UR_KERNEL_CACHE_CONFIG_LARGE_DATA),
    ] {
        suite.device(format!("exec_info::cache_{name}"), move |cx| {
            let value = config.0.to_ne_bytes();
            tell(cx, UR_KERNEL_EXEC_INFO_CACHE_CONFIG, &value, false)
        });
    }
    suite.device("suggested::without_arguments", |cx| {
        let (scene, _) = program(cx)?;
        let kernel = scene.kernel(kernels::ARGUMENTS, c"no_arguments")?;
        let (offset, global, mut local) = ([0], [1000], [0; 1]);
        ok!(urKernelGetSuggestedLocalWorkSizeWithArgs(
            kernel.get(),
            scene.queue.get(),
            1,
            offset.as_ptr(),
            global.as_ptr(),
            0,
            null(),
            local.as_mut_ptr()
        ))?;
        ensure!(local[0] > 0, "0 was suggested");
        Ok(())
    });
    suite.device("suggested::with_args", |cx| {
        let (scene, program) = program(cx)?;
        let kernel = named(&program, "increment")?;
        let buffer = filled(&scene, 4000, 1)?;
        let args = [argument(0, &Arg::from(&buffer))];
        let (offset, global, mut local) = ([0], [1000], [0; 1]);
        ok!(urKernelGetSuggestedLocalWorkSizeWithArgs(
            kernel.get(),
            scene.queue.get(),
            1,
            offset.as_ptr(),
            global.as_ptr(),
            1,
            args.as_ptr(),
            local.as_mut_ptr()
        ))?;
        ensure!(local[0] > 0, "0 was suggested");
        let range = Range {
            global: &global,
            local: &local,
            offset: &[],
        };
        if 1000 % local[0] == 0 {
            kernel.run(&scene.queue, range, &[Arg::from(&buffer)])?;
        }
        Ok(())
    });
    for dimensions in 1..=3u32 {
        suite.device(format!("cooperative_groups::{dimensions}"), move |cx| {
            let (_scene, program) = program(cx)?;
            let kernel = named(&program, "increment")?;
            let local = [1usize; 3];
            let mut count = 0;
            ok!(urKernelSuggestMaxCooperativeGroupCount(
                kernel.get(),
                cx.device(),
                dimensions,
                local.as_ptr(),
                0,
                &raw mut count
            ))?;
            ensure!(count > 0, "not even one group can run");
            Ok(())
        });
    }
    suite.device("specialization_constants", |cx| {
        let (_scene, program) = program(cx)?;
        let kernel = named(&program, "fill")?;
        let value = 7u32;
        let constant = ur_specialization_constant_info_t {
            id: 1234,
            size: 4,
            pValue: (&raw const value).cast(),
        };
        // Nobody has such a constant; a kernel may have none at all.
        refused!(
            [
                UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
                UR_RESULT_ERROR_INVALID_SPEC_ID,
                UR_RESULT_ERROR_INVALID_VALUE
            ],
            urKernelSetSpecializationConstants(kernel.get(), 1, &raw const constant)
        )?;
        Ok(())
    });
}

/// Tells a kernel something, and runs it.
fn tell(cx: &Cx, what: ur_kernel_exec_info_t, value: &[u8], properties: bool) -> Outcome {
    let (scene, program) = program(cx)?;
    let kernel = named(&program, "increment")?;
    let given = ur_kernel_exec_info_properties_t::default();
    let given = if properties { &raw const given } else { null() };
    ok!(urKernelSetExecInfo(
        kernel.get(),
        what,
        value.len(),
        given,
        value.as_ptr().cast()
    ))?;
    let buffer = filled(&scene, 64, 1)?;
    kernel.run(&scene.queue, Range::from(&[16][..]), &[Arg::from(&buffer)])
}

fn errors(suite: &mut Suite<'_>) {
    for (name, text) in [
        ("unknown_name", "no_such_kernel"),
        ("empty_name", ""),
        ("name_in_other_case", "FILL"),
        ("beginning_of_a_name", "fil"),
        ("name_and_more", "fill "),
    ] {
        suite.device(format!("errors::{name}"), move |cx| {
            let (_scene, program) = program(cx)?;
            let text = CString::new(text).map_err(Stop::fail)?;
            let mut kernel = null_mut();
            refused!(
                UR_RESULT_ERROR_INVALID_KERNEL_NAME,
                urKernelCreate(program.get(), text.as_ptr(), &raw mut kernel)
            )?;
            Ok(())
        });
    }
    suite.device("errors::program_not_built", |cx| {
        cx.needs(UR_DEVICE_INFO_COMPILER_AVAILABLE)?;
        let context = cx.context()?;
        let program = Program::from_il(&context, kernels::BASIC)?;
        let mut kernel = null_mut();
        let code = ur!(urKernelCreate(
            program.get(),
            c"fill".as_ptr(),
            &raw mut kernel
        ));
        // The API does not say which error.
        ensure!(
            code != UR_RESULT_SUCCESS,
            "a program that is not built has a kernel"
        );
        Ok(())
    });
    for dimensions in [0u32, 4] {
        suite.device(
            format!("errors::cooperative_groups_of_{dimensions}"),
            move |cx| {
                let (_scene, program) = program(cx)?;
                let kernel = named(&program, "increment")?;
                let (local, mut count) = ([1usize; 4], 0);
                refused!(
                    [
                        UR_RESULT_ERROR_INVALID_WORK_DIMENSION,
                        UR_RESULT_ERROR_UNSUPPORTED_FEATURE
                    ],
                    urKernelSuggestMaxCooperativeGroupCount(
                        kernel.get(),
                        cx.device(),
                        dimensions,
                        local.as_ptr(),
                        0,
                        &raw mut count
                    )
                )?;
                Ok(())
            },
        );
    }
}

fn native(cx: &Cx) -> Outcome {
    let (scene, program) = program(cx)?;
    let kernel = named(&program, "increment")?;
    let mut native = 0;
    let got = check(
        "urKernelGetNativeHandle",
        UR_RESULT_SUCCESS,
        ur!(urKernelGetNativeHandle(kernel.get(), &raw mut native)),
    );
    if got.is_err() {
        // Who has no handles makes nothing of them either.
        let mut none = null_mut();
        refused!(
            UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
            urKernelCreateWithNativeHandle(
                1,
                scene.context.get(),
                program.get(),
                null(),
                &raw mut none
            )
        )?;
    }
    got?;
    same!("count after", kernel.count()?, 1);
    let properties = ur_kernel_native_properties_t {
        isNativeHandleOwned: false,
        ..Default::default()
    };
    let other = Kernel::made("urKernelCreateWithNativeHandle", |out| {
        let (context, program) = (scene.context.get(), program.get());
        let properties = &raw const properties;
        ur!(urKernelCreateWithNativeHandle(
            native, context, program, properties, out
        ))
    })?;
    same!(
        "name",
        other.text(UR_KERNEL_INFO_FUNCTION_NAME)?,
        "increment"
    );
    let buffer = filled(&scene, 64, 1)?;
    let code = other.enqueue(
        &scene.queue,
        Range::from(&[16][..]),
        &[Arg::from(&buffer)],
        &[],
        null_mut(),
    );
    check(other.launches_by(), UR_RESULT_SUCCESS, code)?;
    scene.queue.finish()
}

//! Building, compiling and linking, in the plain and in the experimental form.

use super::{run, scene, text, works};
use crate::failure::{Stop, check};
use crate::info;
use crate::kernels;
use crate::objects::{Context, Counted, Program};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, refused, same, ur};
use std::ffi::CStr;
use std::ptr::{null, null_mut};
use ur_api::*;

/// A query about the build for the device of the test.
#[track_caller]
fn built<T: info::Plain>(
    cx: &Cx,
    program: &Program,
    query: ur_program_build_info_t,
) -> Result<T, Stop> {
    info::value("urProgramGetBuildInfo", |size, value, out| {
        ur!(urProgramGetBuildInfo(
            program.get(),
            cx.device(),
            query,
            size,
            value,
            out
        ))
    })
}

/// How far the build is.
#[track_caller]
fn status(cx: &Cx, program: &Program) -> Result<ur_program_build_status_t, Stop> {
    built(cx, program, UR_PROGRAM_BUILD_INFO_STATUS)
}

/// What was built.
#[track_caller]
fn kind(cx: &Cx, program: &Program) -> Result<ur_program_binary_type_t, Stop> {
    built(cx, program, UR_PROGRAM_BUILD_INFO_BINARY_TYPE)
}

/// A query for a text.
#[track_caller]
fn told(cx: &Cx, program: &Program, query: ur_program_build_info_t) -> Result<String, Stop> {
    let bytes = info::bytes("urProgramGetBuildInfo", |size, value, out| {
        ur!(urProgramGetBuildInfo(
            program.get(),
            cx.device(),
            query,
            size,
            value,
            out
        ))
    })?;
    Ok(text(&bytes))
}

/// Which of the two forms of a function.
#[derive(Clone, Copy)]
enum Form {
    Plain,
    Exp,
}

impl Form {
    fn build(
        self,
        cx: &Cx,
        context: &Context,
        program: &Program,
        options: Option<&CStr>,
    ) -> (&'static str, ur_result_t) {
        let (program, mut device) = (program.get(), cx.device());
        let options = options.map_or(null(), CStr::as_ptr);
        match self {
            Form::Plain => (
                "urProgramBuild",
                ur!(urProgramBuild(context.get(), program, options)),
            ),
            Form::Exp => (
                "urProgramBuildExp",
                ur!(urProgramBuildExp(program, 1, &raw mut device, 0, options)),
            ),
        }
    }

    fn compile(
        self,
        cx: &Cx,
        context: &Context,
        program: &Program,
        options: Option<&CStr>,
    ) -> (&'static str, ur_result_t) {
        let (program, mut device) = (program.get(), cx.device());
        let options = options.map_or(null(), CStr::as_ptr);
        match self {
            Form::Plain => (
                "urProgramCompile",
                ur!(urProgramCompile(context.get(), program, options)),
            ),
            Form::Exp => (
                "urProgramCompileExp",
                ur!(urProgramCompileExp(program, 1, &raw mut device, 0, options)),
            ),
        }
    }

    fn link(
        self,
        cx: &Cx,
        context: &Context,
        programs: &[&Program],
        options: Option<&CStr>,
        out: *mut ur_program_handle_t,
    ) -> (&'static str, ur_result_t) {
        let handles: Vec<_> = programs.iter().map(|program| program.get()).collect();
        let (count, list) = (handles.len() as u32, handles.as_ptr());
        let mut device = cx.device();
        let options = options.map_or(null(), CStr::as_ptr);
        match self {
            Form::Plain => (
                "urProgramLink",
                ur!(urProgramLink(context.get(), count, list, options, out)),
            ),
            Form::Exp => (
                "urProgramLinkExp",
                ur!(urProgramLinkExp(
                    context.get(),
                    1,
                    &raw mut device,
                    0,
                    count,
                    list,
                    options,
                    out
                )),
            ),
        }
    }
}

#[track_caller]
fn success((call, code): (&'static str, ur_result_t)) -> Outcome {
    check(call, UR_RESULT_SUCCESS, code)?;
    Ok(())
}

/// A compiled program of a module.
#[track_caller]
fn compiled(cx: &Cx, context: &Context, il: &[u8], form: Form) -> Result<Program, Stop> {
    let program = Program::from_il(context, il)?;
    success(form.compile(cx, context, &program, None))?;
    Ok(program)
}

/// Links programs.
#[track_caller]
fn linked(
    cx: &Cx,
    context: &Context,
    programs: &[&Program],
    options: Option<&CStr>,
    form: Form,
) -> Result<Program, Stop> {
    let mut program = null_mut();
    success(form.link(cx, context, programs, options, &raw mut program))?;
    ensure!(!program.is_null(), "a link gave null");
    Ok(Program::adopt(program))
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    suite.device("build_info::before", |cx| {
        let scene = scene(cx)?;
        let program = Program::from_il(&scene.context, kernels::BASIC)?;
        let found = status(cx, &program)?;
        same!("status", found, UR_PROGRAM_BUILD_STATUS_NONE);
        let found = kind(cx, &program)?;
        same!("type", found, UR_PROGRAM_BINARY_TYPE_NONE);
        let found = told(cx, &program, UR_PROGRAM_BUILD_INFO_OPTIONS)?;
        same!("options", found, "");
        Ok(())
    });
    for (form, what) in [(Form::Plain, ""), (Form::Exp, "_exp")] {
        suite.device(format!("build{what}::success"), move |cx| {
            let scene = scene(cx)?;
            let program = Program::from_il(&scene.context, kernels::BASIC)?;
            success(form.build(cx, &scene.context, &program, None))?;
            let found = status(cx, &program)?;
            same!("status", found, UR_PROGRAM_BUILD_STATUS_SUCCESS);
            let found = kind(cx, &program)?;
            same!("type", found, UR_PROGRAM_BINARY_TYPE_EXECUTABLE);
            told(cx, &program, UR_PROGRAM_BUILD_INFO_LOG)?;
            works(&scene, &program)
        });
        for options in [
            c"",
            c"-cl-fast-relaxed-math",
            c"-cl-opt-disable",
            c"-g -cl-opt-disable",
        ] {
            let name = options.to_string_lossy().replace(' ', "_");
            suite.device(format!("build{what}::options::{name}"), move |cx| {
                let scene = scene(cx)?;
                let program = Program::from_il(&scene.context, kernels::BASIC)?;
                success(form.build(cx, &scene.context, &program, Some(options)))?;
                let found = told(cx, &program, UR_PROGRAM_BUILD_INFO_OPTIONS)?;
                same!("options", found, options.to_string_lossy());
                works(&scene, &program)
            });
        }
        for options in [c"", c"-cl-opt-disable"] {
            let name = options.to_string_lossy().replace(' ', "_");
            suite.device(format!("compile{what}::options::{name}"), move |cx| {
                let scene = scene(cx)?;
                let program = Program::from_il(&scene.context, kernels::BASIC)?;
                success(form.compile(cx, &scene.context, &program, Some(options)))?;
                let found = told(cx, &program, UR_PROGRAM_BUILD_INFO_OPTIONS)?;
                same!("options", found, options.to_string_lossy());
                let program = linked(cx, &scene.context, &[&program], None, form)?;
                works(&scene, &program)
            });
        }
        suite.device(format!("build{what}::missing_function"), move |cx| {
            let scene = scene(cx)?;
            let program = Program::from_il(&scene.context, kernels::LINK_MAIN)?;
            let (call, code) = form.build(cx, &scene.context, &program, None);
            check(call, UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE, code)?;
            let found = status(cx, &program)?;
            same!("status", found, UR_PROGRAM_BUILD_STATUS_ERROR);
            let log = told(cx, &program, UR_PROGRAM_BUILD_INFO_LOG)?;
            ensure!(
                log.contains("twice"),
                "the log is {log:?}, without what is missing"
            );
            Ok(())
        });
        suite.device(format!("compile{what}::options"), move |cx| {
            let scene = scene(cx)?;
            let program = Program::from_il(&scene.context, kernels::LINK_LIBRARY)?;
            let options = c"-cl-fast-relaxed-math";
            success(form.compile(cx, &scene.context, &program, Some(options)))?;
            let found = told(cx, &program, UR_PROGRAM_BUILD_INFO_OPTIONS)?;
            same!("options", found, options.to_string_lossy());
            let found = kind(cx, &program)?;
            let wanted = [
                UR_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                UR_PROGRAM_BINARY_TYPE_LIBRARY,
            ];
            ensure!(wanted.contains(&found), "the type is {found}");
            Ok(())
        });
        suite.device(format!("compile{what}::success"), move |cx| {
            let scene = scene(cx)?;
            let program = compiled(cx, &scene.context, kernels::LINK_MAIN, form)?;
            let found = status(cx, &program)?;
            same!("status", found, UR_PROGRAM_BUILD_STATUS_SUCCESS);
            let found = kind(cx, &program)?;
            same!("type", found, UR_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
            Ok(())
        });
        suite.device(format!("link{what}::one"), move |cx| {
            let scene = scene(cx)?;
            let program = compiled(cx, &scene.context, kernels::BASIC, form)?;
            let linked = linked(cx, &scene.context, &[&program], None, form)?;
            same!("count", linked.count()?, 1);
            let found = kind(cx, &linked)?;
            same!("type", found, UR_PROGRAM_BINARY_TYPE_EXECUTABLE);
            works(&scene, &linked)
        });
        for (order, first) in [("main_first", true), ("library_first", false)] {
            suite.device(format!("link{what}::two::{order}"), move |cx| {
                let scene = scene(cx)?;
                let main = compiled(cx, &scene.context, kernels::LINK_MAIN, form)?;
                let library = compiled(cx, &scene.context, kernels::LINK_LIBRARY, form)?;
                let both = if first {
                    [&main, &library]
                } else {
                    [&library, &main]
                };
                let linked = linked(cx, &scene.context, &both, None, form)?;
                // What it was made of may go.
                drop((main, library));
                same!(
                    "numbers",
                    run(&scene, &linked, c"use_library", 5)?,
                    [1, 3, 5, 7, 9]
                );
                Ok(())
            });
        }
        suite.device(format!("link{what}::several_kernels"), move |cx| {
            let scene = scene(cx)?;
            let main = compiled(cx, &scene.context, kernels::LINK_MAIN, form)?;
            let library = compiled(cx, &scene.context, kernels::LINK_LIBRARY, form)?;
            let basic = compiled(cx, &scene.context, kernels::BASIC, form)?;
            let all = [&main, &library, &basic];
            let linked = linked(cx, &scene.context, &all, None, form)?;
            same!(
                "numbers",
                run(&scene, &linked, c"use_library", 3)?,
                [1, 3, 5]
            );
            works(&scene, &linked)
        });
        suite.device(format!("link{what}::library"), move |cx| {
            let scene = scene(cx)?;
            let context = &scene.context;
            let part = compiled(cx, context, kernels::LINK_LIBRARY, form)?;
            let library = linked(cx, context, &[&part], Some(c"-create-library"), form)?;
            let found = kind(cx, &library)?;
            same!("type", found, UR_PROGRAM_BINARY_TYPE_LIBRARY);
            let main = compiled(cx, context, kernels::LINK_MAIN, form)?;
            let linked = linked(cx, context, &[&main, &library], None, form)?;
            same!(
                "numbers",
                run(&scene, &linked, c"use_library", 3)?,
                [1, 3, 5]
            );
            Ok(())
        });
        suite.device(format!("link{what}::missing_function"), move |cx| {
            let scene = scene(cx)?;
            let main = compiled(cx, &scene.context, kernels::LINK_MAIN, form)?;
            let mut program = null_mut();
            let (call, code) = form.link(cx, &scene.context, &[&main], None, &raw mut program);
            // A link that fails may give the program all the same, for its log.
            let _program = (!program.is_null()).then(|| Program::adopt(program));
            check(call, UR_RESULT_ERROR_PROGRAM_LINK_FAILURE, code)?;
            Ok(())
        });
        suite.device(format!("link{what}::function_twice"), move |cx| {
            let scene = scene(cx)?;
            let first = compiled(cx, &scene.context, kernels::LINK_LIBRARY, form)?;
            let second = compiled(cx, &scene.context, kernels::LINK_LIBRARY, form)?;
            let both = [&first, &second];
            let mut program = null_mut();
            let (call, code) = form.link(cx, &scene.context, &both, None, &raw mut program);
            let _program = (!program.is_null()).then(|| Program::adopt(program));
            check(call, UR_RESULT_ERROR_PROGRAM_LINK_FAILURE, code)?;
            Ok(())
        });
        suite.device(format!("link{what}::errors::nothing"), move |cx| {
            let scene = scene(cx)?;
            let main = compiled(cx, &scene.context, kernels::BASIC, form)?;
            let (mut program, mut device) = (null_mut(), cx.device());
            let list = [main.get()];
            let size = UR_RESULT_ERROR_INVALID_SIZE;
            match form {
                Form::Plain => refused!(
                    size,
                    urProgramLink(
                        scene.context.get(),
                        0,
                        list.as_ptr(),
                        null(),
                        &raw mut program
                    )
                )?,
                Form::Exp => refused!(
                    size,
                    urProgramLinkExp(
                        scene.context.get(),
                        1,
                        &raw mut device,
                        0,
                        0,
                        list.as_ptr(),
                        null(),
                        &raw mut program
                    )
                )?,
            }
            Ok(())
        });
    }
    suite.device("build_exp::missing_function_allowed", |cx| {
        let scene = scene(cx)?;
        let main = Program::from_il(&scene.context, kernels::LINK_MAIN)?;
        let library = Program::built(&scene.context, kernels::LINK_LIBRARY)?;
        let mut device = cx.device();
        let flags = UR_EXP_PROGRAM_FLAG_ALLOW_UNRESOLVED_SYMBOLS.0;
        ok!(urProgramBuildExp(
            main.get(),
            1,
            &raw mut device,
            flags,
            null()
        ))?;
        let both = [main.get(), library.get()];
        ok!(urProgramDynamicLinkExp(
            scene.context.get(),
            2,
            both.as_ptr()
        ))?;
        same!("numbers", run(&scene, &main, c"use_library", 3)?, [1, 3, 5]);
        Ok(())
    });
    suite.device("link_exp::missing_function_allowed", |cx| {
        cx.needs(UR_DEVICE_INFO_DYNAMIC_LINK_SUPPORT_EXP)?;
        let scene = scene(cx)?;
        let main = Program::from_il(&scene.context, kernels::LINK_MAIN)?;
        let library = Program::built(&scene.context, kernels::LINK_LIBRARY)?;
        let mut device = cx.device();
        let flags = UR_EXP_PROGRAM_FLAG_ALLOW_UNRESOLVED_SYMBOLS.0;
        ok!(urProgramCompileExp(
            main.get(),
            1,
            &raw mut device,
            flags,
            null()
        ))?;
        let one = [main.get()];
        let program = Program::made("urProgramLinkExp", |out| {
            ur!(urProgramLinkExp(
                scene.context.get(),
                1,
                &raw mut device,
                flags,
                1,
                one.as_ptr(),
                null(),
                out
            ))
        })?;
        let both = [program.get(), library.get()];
        ok!(urProgramDynamicLinkExp(
            scene.context.get(),
            2,
            both.as_ptr()
        ))?;
        let found = run(&scene, &program, c"use_library", 3)?;
        same!("numbers", found, [1, 3, 5]);
        Ok(())
    });
    suite.device("dynamic_link::missing_function", |cx| {
        cx.needs(UR_DEVICE_INFO_DYNAMIC_LINK_SUPPORT_EXP)?;
        let scene = scene(cx)?;
        let main = Program::from_il(&scene.context, kernels::LINK_MAIN)?;
        let mut device = cx.device();
        let flags = UR_EXP_PROGRAM_FLAG_ALLOW_UNRESOLVED_SYMBOLS.0;
        ok!(urProgramBuildExp(
            main.get(),
            1,
            &raw mut device,
            flags,
            null()
        ))?;
        let one = [main.get()];
        refused!(
            UR_RESULT_ERROR_PROGRAM_LINK_FAILURE,
            urProgramDynamicLinkExp(scene.context.get(), 1, one.as_ptr())
        )?;
        Ok(())
    });
    suite.device("threads::many_programs", |cx| {
        let scene = scene(cx)?;
        let scene = &scene;
        let results: Vec<Outcome> = std::thread::scope(|threads| {
            let one = || {
                for _ in 0..3 {
                    let program = Program::built(&scene.context, kernels::BASIC)?;
                    works(scene, &program)?;
                }
                Ok(())
            };
            let running = [(); 4].map(|()| threads.spawn(one));
            let ended = running.into_iter().map(|thread| thread.join());
            ended
                .map(|result| result.unwrap_or_else(|_| Err(Stop::fail("a thread panicked"))))
                .collect()
        });
        results.into_iter().collect()
    });
}

//! What is in a program: kernels, variables, functions, and constants that may be set.

use super::scene;
use crate::failure::{Stop, check};
use crate::kernels;
use crate::objects::{Arg, Dam, Kernel, Program, Range, Usm, UsmKind};
use crate::suites::enqueue::buffers::filled;
use crate::suites::enqueue::command::Scene;
use crate::suites::enqueue::variables;
use crate::test::Suite;
use crate::{Outcome, ensure, ok, refused, same, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

/// Constants of `constants.spvasm`: name, number, value given, which of the results, the result.
type Constant = (&'static str, u32, &'static [u8], usize, u64);

const CONSTANTS: [Constant; 9] = [
    ("word", 1, &[0x78, 0x56, 0x34, 0x12], 0, 0x1234_5678),
    ("largest_word", 1, &[0xff; 4], 0, 0xffff_ffff),
    ("flag_true", 2, &[1], 1, 1),
    ("flag_false", 2, &[0], 1, 0),
    (
        "wide",
        3,
        &[1, 2, 3, 4, 5, 6, 7, 8],
        2,
        0x0807_0605_0403_0201,
    ),
    ("largest_wide", 3, &[0xff; 8], 2, u64::MAX),
    ("real", 4, &[0, 0, 0x28, 0x42], 3, 42),
    ("half_word", 5, &[0x34, 0x12], 4, 0x1234),
    ("byte", 6, &[0xfe], 5, 0xfe),
];

/// What the constants are when nobody sets them.
const DEFAULTS: [u64; 6] = [5, 0, 6, 7, 8, 9];

/// Sets a constant.
#[track_caller]
pub(super) fn constant(program: &Program, id: u32, value: &[u8]) -> Outcome {
    let given = ur_specialization_constant_info_t {
        id,
        size: value.len(),
        pValue: value.as_ptr().cast(),
    };
    ok!(urProgramSetSpecializationConstants(
        program.get(),
        1,
        &raw const given
    ))?;
    Ok(())
}

/// The constants as a kernel sees them.
#[track_caller]
pub(super) fn constants(scene: &Scene, program: &Program) -> Result<Vec<u64>, Stop> {
    let kernel = Kernel::new(program, c"constants")?;
    let out = filled(scene, 48, 1)?;
    kernel.run(&scene.queue, Range::from(&[1][..]), &[Arg::from(&out)])?;
    let bytes = out.read(&scene.queue, 48)?;
    let words = bytes.chunks_exact(8);
    Ok(words
        .map(|word| u64::from_ne_bytes(word.try_into().unwrap_or_default()))
        .collect())
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    suite.device("kernels::number_and_names", |cx| {
        let scene = scene(cx)?;
        let program = Program::built(&scene.context, kernels::BASIC)?;
        let mut size = 0;
        let code = ur!(urProgramGetInfo(
            program.get(),
            UR_PROGRAM_INFO_NUM_KERNELS,
            0,
            null_mut(),
            &raw mut size
        ));
        if code == UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION {
            return Err(Stop::Unsupported("the number of kernels".into()));
        }
        check("urProgramGetInfo", UR_RESULT_SUCCESS, code)?;
        let number: usize = program.info(UR_PROGRAM_INFO_NUM_KERNELS)?;
        let names = program.text(UR_PROGRAM_INFO_KERNEL_NAMES)?;
        let names: Vec<&str> = names.split(';').collect();
        same!("number", number, names.len());
        for wanted in ["by_value", "copy", "fill", "ids", "sizes"] {
            ensure!(names.contains(&wanted), "{wanted} is not among {names:?}");
        }
        let program = Program::built(&scene.context, kernels::CONSTANTS)?;
        same!(
            "number",
            program.info::<usize>(UR_PROGRAM_INFO_NUM_KERNELS)?,
            1
        );
        let names = program.text(UR_PROGRAM_INFO_KERNEL_NAMES)?;
        same!("names", names, "constants");
        Ok(())
    });
    specialised(suite);
    addresses(suite);
}

fn specialised(suite: &mut Suite<'_>) {
    suite.device("constants::defaults", |cx| {
        let scene = scene(cx)?;
        let program = Program::built(&scene.context, kernels::CONSTANTS)?;
        same!("constants", constants(&scene, &program)?, DEFAULTS);
        Ok(())
    });
    for (name, id, value, which, result) in CONSTANTS {
        suite.device(format!("constants::{name}"), move |cx| {
            let scene = scene(cx)?;
            let program = Program::from_il(&scene.context, kernels::CONSTANTS)?;
            constant(&program, id, value)?;
            program.build(&scene.context, None)?;
            let mut wanted = DEFAULTS;
            wanted[which] = result;
            same!("constants", constants(&scene, &program)?, wanted);
            Ok(())
        });
    }
    suite.device("constants::several_at_once", |cx| {
        let scene = scene(cx)?;
        let program = Program::from_il(&scene.context, kernels::CONSTANTS)?;
        let (word, wide) = (100u32, 200u64);
        let both = [
            ur_specialization_constant_info_t {
                id: 3,
                size: 8,
                pValue: (&raw const wide).cast(),
            },
            ur_specialization_constant_info_t {
                id: 1,
                size: 4,
                pValue: (&raw const word).cast(),
            },
        ];
        ok!(urProgramSetSpecializationConstants(
            program.get(),
            2,
            both.as_ptr()
        ))?;
        program.build(&scene.context, None)?;
        same!(
            "constants",
            constants(&scene, &program)?,
            [100, 0, 200, 7, 8, 9]
        );
        Ok(())
    });
    suite.device("constants::last_value_counts", |cx| {
        let scene = scene(cx)?;
        let program = Program::from_il(&scene.context, kernels::CONSTANTS)?;
        for value in [1u32, 2, 3] {
            constant(&program, 1, &value.to_ne_bytes())?;
        }
        program.build(&scene.context, None)?;
        same!("constant", constants(&scene, &program)?[0], 3);
        Ok(())
    });
    suite.device("constants::programs_have_their_own", |cx| {
        let scene = scene(cx)?;
        let first = Program::from_il(&scene.context, kernels::CONSTANTS)?;
        let second = Program::from_il(&scene.context, kernels::CONSTANTS)?;
        constant(&first, 1, &11u32.to_ne_bytes())?;
        constant(&second, 1, &22u32.to_ne_bytes())?;
        first.build(&scene.context, None)?;
        second.build(&scene.context, None)?;
        same!("first", constants(&scene, &first)?[0], 11);
        same!("second", constants(&scene, &second)?[0], 22);
        Ok(())
    });
    suite.device("constants::compiled_and_linked", |cx| {
        let scene = scene(cx)?;
        let program = Program::from_il(&scene.context, kernels::CONSTANTS)?;
        constant(&program, 1, &33u32.to_ne_bytes())?;
        ok!(urProgramCompile(scene.context.get(), program.get(), null()))?;
        let list = [program.get()];
        let linked = Program::made("urProgramLink", |out| {
            let context = scene.context.get();
            ur!(urProgramLink(context, 1, list.as_ptr(), null(), out))
        })?;
        same!("constant", constants(&scene, &linked)?[0], 33);
        Ok(())
    });
    suite.device("constants::errors::none", |cx| {
        let scene = scene(cx)?;
        let program = Program::from_il(&scene.context, kernels::CONSTANTS)?;
        let given = ur_specialization_constant_info_t::default();
        refused!(
            UR_RESULT_ERROR_INVALID_SIZE,
            urProgramSetSpecializationConstants(program.get(), 0, &raw const given)
        )?;
        Ok(())
    });
    suite.device("constants::errors::unknown_number", |cx| {
        let scene = scene(cx)?;
        let program = Program::from_il(&scene.context, kernels::CONSTANTS)?;
        let value = 1u32;
        let given = ur_specialization_constant_info_t {
            id: 1234,
            size: 4,
            pValue: (&raw const value).cast(),
        };
        refused!(
            [
                UR_RESULT_ERROR_INVALID_SPEC_ID,
                UR_RESULT_ERROR_INVALID_VALUE
            ],
            urProgramSetSpecializationConstants(program.get(), 1, &raw const given)
        )?;
        Ok(())
    });
    for size in [1usize, 2, 8] {
        suite.device(
            format!("constants::errors::{size}_bytes_instead_of_4"),
            move |cx| {
                let scene = scene(cx)?;
                let program = Program::from_il(&scene.context, kernels::CONSTANTS)?;
                let value = 1u64;
                let given = ur_specialization_constant_info_t {
                    id: 1,
                    size,
                    pValue: (&raw const value).cast(),
                };
                refused!(
                    UR_RESULT_ERROR_INVALID_VALUE,
                    urProgramSetSpecializationConstants(program.get(), 1, &raw const given)
                )?;
                Ok(())
            },
        );
    }
}

/// The address and size of a variable.
#[track_caller]
fn variable(
    scene: &Scene,
    program: &Program,
    name: &std::ffi::CStr,
) -> Result<(*mut c_void, usize), Stop> {
    let (mut at, mut size) = (null_mut(), 0);
    ok!(urProgramGetGlobalVariablePointer(
        scene.cx.device(),
        program.get(),
        name.as_ptr(),
        &raw mut size,
        &raw mut at
    ))?;
    ensure!(!at.is_null(), "a variable at null");
    Ok((at, size))
}

fn addresses(suite: &mut Suite<'_>) {
    suite.device("variables::sizes", |cx| {
        let scene = Scene::new(cx, 0)?;
        let program = variables::program(&scene)?;
        let (series, size) = variable(&scene, &program, c"series")?;
        same!("size", size, 16);
        let (counter, size) = variable(&scene, &program, c"counter")?;
        same!("size", size, 4);
        ensure!(series != counter, "two variables are at the same place");
        Ok(())
    });
    suite.device("variables::without_a_place_for_the_size", |cx| {
        let scene = Scene::new(cx, 0)?;
        let program = variables::program(&scene)?;
        let mut at = null_mut();
        ok!(urProgramGetGlobalVariablePointer(
            cx.device(),
            program.get(),
            c"series".as_ptr(),
            null_mut(),
            &raw mut at
        ))?;
        same!("address", at, variable(&scene, &program, c"series")?.0);
        Ok(())
    });
    suite.device("variables::at_their_address", |cx| {
        let scene = Scene::new(cx, 0)?;
        let program = variables::program(&scene)?;
        let (at, size) = variable(&scene, &program, c"series")?;
        let mut found = [0u32; 4];
        ok!(urEnqueueUSMMemcpy(
            scene.queue.get(),
            true,
            found.as_mut_ptr().cast(),
            at,
            size,
            0,
            null(),
            null_mut()
        ))?;
        same!("variable", found, [1, 2, 3, 4]);
        Ok(())
    });
    suite.device("variables::errors::unknown_name", |cx| {
        let scene = Scene::new(cx, 0)?;
        let program = variables::program(&scene)?;
        let (mut at, mut size) = (null_mut(), 0);
        refused!(
            UR_RESULT_ERROR_INVALID_VALUE,
            urProgramGetGlobalVariablePointer(
                cx.device(),
                program.get(),
                c"no_such_variable".as_ptr(),
                &raw mut size,
                &raw mut at
            )
        )?;
        Ok(())
    });
    for (name, function, found) in [
        ("exported", c"twice", true),
        ("errors::unknown_name", c"no_such_function", false),
    ] {
        suite.device(format!("functions::{name}"), move |cx| {
            let scene = scene(cx)?;
            let both = [kernels::LINK_MAIN, kernels::LINK_LIBRARY];
            let both = both.map(|il| Program::from_il(&scene.context, il));
            let [main, library] = both;
            let both = [main?, library?];
            for program in &both {
                let context = scene.context.get();
                ok!(urProgramCompile(context, program.get(), null()))?;
            }
            let list = [both[0].get(), both[1].get()];
            let program = Program::made("urProgramLink", |out| {
                let context = scene.context.get();
                ur!(urProgramLink(context, 2, list.as_ptr(), null(), out))
            })?;
            let mut at = null_mut();
            let code = ur!(urProgramGetFunctionPointer(
                cx.device(),
                program.get(),
                function.as_ptr(),
                &raw mut at
            ));
            if found && code == UR_RESULT_ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE {
                return Err(Stop::Unsupported("addresses of functions".into()));
            }
            let wanted = if found {
                UR_RESULT_SUCCESS
            } else {
                UR_RESULT_ERROR_INVALID_KERNEL_NAME
            };
            check("urProgramGetFunctionPointer", wanted, code)?;
            ensure!(at.is_null() != found, "the address is {at:?}");
            Ok(())
        });
    }
    suite.device("variables::kept_by_a_pending_kernel", |cx| {
        let scene = Scene::new(cx, 0)?;
        let program = variables::program(&scene)?;
        let kernel = Kernel::new(&program, c"use_variables")?;
        let mut out = Usm::new(cx, &scene.context, UsmKind::Host, 20)?;
        let dam = Dam::new(cx, &scene.context)?;
        let wait = [dam.event()];
        let args = [Arg::Pointer(out.at)];
        let range = Range::from(&[1][..]);
        let code = kernel.enqueue(&scene.queue, range, &args, &wait, null_mut());
        let call = kernel.launches_by();
        drop((kernel, program));
        dam.pass()?;
        check(call, UR_RESULT_SUCCESS, code)?;
        scene.queue.finish()?;
        same!("variable", out.bytes()[..4], 40u32.to_ne_bytes());
        Ok(())
    });
}

//! Programs: saved with their machine code, built for some devices, linked in every way.

mod common;

use common::*;
use std::ffi::{CStr, c_void};
use std::process::Command;
use std::ptr::{null, null_mut};
use ur_adapter_native_cpu::binary::{self, Saved, Stage};
use ur_api::*;

const SCENARIO: &str = "UR_TEST_SCENARIO";
const SAVED: &str = "UR_TEST_SAVED";

fn save(program: &Program) -> Vec<u8> {
    let mut size = 0usize;
    let (name, place) = (UR_PROGRAM_INFO_BINARY_SIZES, (&raw mut size).cast());
    ok!(Program.pfnGetInfo(program.0, name, 8, place, null_mut()));
    let mut saved = vec![0u8; size];
    let mut place = saved.as_mut_ptr();
    let name = UR_PROGRAM_INFO_BINARIES;
    ok!(Program.pfnGetInfo(program.0, name, 8, (&raw mut place).cast(), null_mut()));
    saved
}

fn load(context: &Context, bytes: &[u8]) -> Result<Program, ur_result_t> {
    let (mut device, mut len, mut start) = (device(), bytes.len(), bytes.as_ptr());
    let mut program = null_mut();
    let outcome = ur!(Program.pfnCreateWithBinary(
        context.0,
        1,
        &mut device,
        &mut len,
        &mut start,
        null(),
        &mut program
    ));
    if outcome == UR_RESULT_SUCCESS {
        return Ok(Program(program));
    }
    assert!(program.is_null());
    Err(outcome)
}

fn build(context: &Context, program: &Program, options: Option<&CStr>) -> ur_result_t {
    let options = options.map_or(null(), CStr::as_ptr);
    ur!(Program.pfnBuild(context.0, program.0, options))
}

/// A number of the build for a device.
fn number(program: &Program, device: ur_device_handle_t, name: ur_program_build_info_t) -> u32 {
    let mut value = 0u32;
    let place = (&raw mut value).cast();
    ok!(Program.pfnGetBuildInfo(program.0, device, name, 4, place, null_mut()));
    value
}

fn status(program: &Program, device: ur_device_handle_t) -> ur_program_build_status_t {
    ur_program_build_status_t(number(program, device, UR_PROGRAM_BUILD_INFO_STATUS))
}

fn binary_type(program: &Program, device: ur_device_handle_t) -> ur_program_binary_type_t {
    ur_program_binary_type_t(number(program, device, UR_PROGRAM_BUILD_INFO_BINARY_TYPE))
}

fn text(program: &Program, device: ur_device_handle_t, name: ur_program_build_info_t) -> String {
    let mut size = 0;
    ok!(Program.pfnGetBuildInfo(program.0, device, name, 0, null_mut(), &mut size));
    let mut text = vec![0u8; size];
    let place = text.as_mut_ptr().cast();
    ok!(Program.pfnGetBuildInfo(program.0, device, name, size, place, null_mut()));
    String::from_utf8_lossy(&text[..size - 1]).into_owned()
}

fn sums(context: &Context, program: &Program) {
    let kernel = program.kernel("vector_add");
    let a: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let mut c = vec![-1f32; 1000];
    let args = [
        Arg::Pointer(a.as_ptr().cast()),
        Arg::Pointer(a.as_ptr().cast()),
        Arg::Pointer(c.as_mut_ptr().cast_const().cast()),
    ];
    context.queue().run(&kernel, &[1000], None, &args);
    assert!(c.iter().zip(&a).all(|(c, a)| *c == a + a));
}

fn set(program: &Program, id: u32, value: &[u8]) {
    let info = ur_specialization_constant_info_t {
        id,
        size: value.len(),
        pValue: value.as_ptr().cast(),
    };
    ok!(Program.pfnSetSpecializationConstants(program.0, 1, &info));
}

/// What the kernel of `spec_constant.spv` stores.
fn specialised(context: &Context, program: &Program) -> u64 {
    let mut out = [0u64; 4];
    let args = [Arg::Pointer((&raw mut out).cast_const().cast())];
    let kernel = program.kernel("specialised");
    context.queue().run(&kernel, &[4], None, &args);
    assert_eq!(out, [out[0]; 4]);
    out[0]
}

/// Plays the scenario that the environment names; an ordinary test run names none.
#[test]
fn scenario() {
    if std::env::var(SCENARIO).is_err() {
        return;
    }
    let saved = std::fs::read(std::env::var_os(SAVED).unwrap()).unwrap();
    let context = Context::new();
    let program = load(&context, &saved).unwrap();
    ok!(Program.pfnBuild(context.0, program.0, null()));
    sums(&context, &program);
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    assert!(!maps.contains("libur_jit.so"), "something was compiled");
}

#[test]
fn a_saved_program_runs_in_another_process_without_the_jit() {
    let context = Context::new();
    let saved = save(&context.program("vector_add.spv"));
    let file = std::env::temp_dir().join(format!("ur-saved-{}", std::process::id()));
    std::fs::write(&file, saved).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "scenario", "--test-threads=1"])
        .env(SCENARIO, "load")
        .env(SAVED, &file)
        .env("UR_JIT_CACHE", "off")
        .output()
        .unwrap();
    let _ = std::fs::remove_file(file);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
fn saved_programs_are_as_they_were_built() {
    let context = Context::new();
    let program = context.unbuilt(&module("spec_constant.spv"));
    assert!(save(&program).is_empty(), "not built");
    set(&program, 7, &20u32.to_ne_bytes());
    set(&program, 9, &1000u64.to_ne_bytes());
    set(&program, 10, &3f32.to_ne_bytes());
    ok!(Program.pfnBuild(context.0, program.0, c"-cl-opt-disable".as_ptr()));
    let wanted = specialised(&context, &program);
    assert_eq!(wanted, 40 + 1003);
    let saved = save(&program);
    assert_eq!(saved, save(&program));
    let read = binary::read(&saved).unwrap();
    assert_eq!(read.options, "-cl-opt-disable");
    assert_eq!(read.code.as_ref().unwrap().kernels.len(), 1);

    let loaded = load(&context, &saved).unwrap();
    assert_eq!(status(&loaded, device()), UR_PROGRAM_BUILD_STATUS_NONE);
    assert_eq!(
        binary_type(&loaded, device()),
        UR_PROGRAM_BINARY_TYPE_EXECUTABLE
    );
    let options = |program: &Program| text(program, device(), UR_PROGRAM_BUILD_INFO_OPTIONS);
    assert_eq!(options(&loaded), "-cl-opt-disable");
    assert_eq!(save(&loaded), saved);
    let mut kernel = null_mut();
    assert_eq!(
        ur!(Kernel.pfnCreate(loaded.0, c"specialised".as_ptr(), &mut kernel)),
        UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE
    );
    assert_eq!(build(&context, &loaded, None), UR_RESULT_SUCCESS);
    assert_eq!(status(&loaded, device()), UR_PROGRAM_BUILD_STATUS_SUCCESS);
    assert_eq!(options(&loaded), "-cl-opt-disable");
    assert_eq!(specialised(&context, &loaded), wanted);
    assert_eq!(save(&loaded), saved);

    // Other options and other constants make other code.
    assert_eq!(
        build(&context, &loaded, Some(c"-cl-mad-enable")),
        UR_RESULT_SUCCESS
    );
    assert_eq!(options(&loaded), "-cl-mad-enable");
    assert_eq!(specialised(&context, &loaded), wanted);
    assert_ne!(save(&loaded), saved);
    let loaded = load(&context, &saved).unwrap();
    set(&loaded, 7, &21u32.to_ne_bytes());
    assert_eq!(build(&context, &loaded, None), UR_RESULT_SUCCESS);
    assert_eq!(specialised(&context, &loaded), wanted + 2);
}

/// The code that is loaded is the code that was saved: with the code of another kernel in its place,
/// that one runs.
#[test]
fn saved_code_is_what_runs() {
    let context = Context::new();
    let program = |value: u32| {
        let program = context.unbuilt(&module("spec_constant.spv"));
        set(&program, 7, &value.to_ne_bytes());
        ok!(Program.pfnBuild(context.0, program.0, null()));
        program
    };
    let (one, two) = (program(1), program(2));
    let mut saved = binary::read(&save(&one)).unwrap();
    saved.code = binary::read(&save(&two)).unwrap().code;
    let mixed = load(&context, &binary::write(&saved)).unwrap();
    assert_eq!(build(&context, &mixed, None), UR_RESULT_SUCCESS);
    let got = specialised(&context, &mixed);
    assert_eq!(got, specialised(&context, &two));
    assert_ne!(got, specialised(&context, &one));
    // Code of another build of the JIT is made again.
    if let Some(code) = &mut saved.code {
        code.build_id[0] ^= 1;
    }
    let again = load(&context, &binary::write(&saved)).unwrap();
    assert_eq!(build(&context, &again, None), UR_RESULT_SUCCESS);
    assert_eq!(specialised(&context, &again), specialised(&context, &one));
}

#[test]
fn code_for_another_cpu_is_refused() {
    let context = Context::new();
    let mut saved = binary::read(&save(&context.program("vector_add.spv"))).unwrap();
    let own = saved.code.as_ref().unwrap().cpu_name.clone();
    if let Some(code) = &mut saved.code {
        code.cpu[0] ^= 1;
        code.cpu_name = "Babbage's engine".into();
    }
    assert_eq!(
        load(&context, &binary::write(&saved)).err(),
        Some(UR_RESULT_ERROR_INVALID_BINARY)
    );
    let message = last_error();
    assert!(message.contains("Babbage's engine"), "{message}");
    assert!(message.contains(&own), "{message}");
    // SPIR-V alone is for any CPU.
    saved.code = None;
    let loaded = load(&context, &binary::write(&saved)).unwrap();
    assert_eq!(build(&context, &loaded, None), UR_RESULT_SUCCESS);
    sums(&context, &loaded);
}

#[test]
fn damaged_programs_are_refused_and_never_crash() {
    let context = Context::new();
    let saved = save(&context.program("vector_add.spv"));
    let refused = UR_RESULT_ERROR_INVALID_NATIVE_BINARY;
    for len in (0..saved.len()).step_by(7) {
        assert_eq!(load(&context, &saved[..len]).err(), Some(refused));
    }
    for at in (0..saved.len()).step_by(3) {
        let mut changed = saved.clone();
        changed[at] ^= 1 << (at % 8);
        assert_eq!(load(&context, &changed).err(), Some(refused), "byte {at}");
        assert!(!last_error().is_empty());
    }
    // Sealed again: whatever is accepted can be built, and its kernels created (not run: the
    // instructions may be among what was changed).
    for at in (48..saved.len()).step_by(5) {
        let mut changed = saved.clone();
        changed[at] = changed[at].wrapping_add(1);
        binary::seal(&mut changed);
        if let Ok(program) = load(&context, &changed)
            && build(&context, &program, None) == UR_RESULT_SUCCESS
        {
            drop(program.try_kernel(c"vector_add"));
        }
    }
}

#[test]
fn compiled_objects_and_libraries_are_saved_for_linking() {
    let context = Context::new();
    let compiled = |name: &str| {
        let program = context.unbuilt(&module(name));
        ok!(Program.pfnCompile(context.0, program.0, c"-g".as_ptr()));
        assert_eq!(
            binary_type(&program, device()),
            UR_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
        );
        program
    };
    let (user, library) = (compiled("link_main.spv"), compiled("link_library.spv"));
    let mut linked = null_mut();
    let options = c"-create-library".as_ptr();
    ok!(Program.pfnLink(context.0, 1, &library.0, options, &mut linked));
    let archive = Program(linked);
    assert_eq!(
        binary_type(&archive, device()),
        UR_PROGRAM_BINARY_TYPE_LIBRARY
    );
    assert!(archive.try_kernel(c"library_kernel").is_err());
    for (program, stage) in [(&user, Stage::Compiled), (&archive, Stage::Library)] {
        let read = binary::read(&save(program)).unwrap();
        assert_eq!((read.stage, read.code), (stage, None));
    }
    let user = load(&context, &save(&user)).unwrap();
    let archive = load(&context, &save(&archive)).unwrap();
    assert_eq!(
        binary_type(&archive, device()),
        UR_PROGRAM_BINARY_TYPE_LIBRARY
    );
    let both = [user.0, archive.0];
    ok!(Program.pfnLink(context.0, 2, both.as_ptr(), null(), &mut linked));
    let linked = Program(linked);
    assert_eq!(
        binary_type(&linked, device()),
        UR_PROGRAM_BINARY_TYPE_EXECUTABLE
    );
    assert_eq!(text(&linked, device(), UR_PROGRAM_BUILD_INFO_OPTIONS), "-g");
    context.uses(&linked.kernel("use"));
    let again = load(&context, &save(&linked)).unwrap();
    assert_eq!(build(&context, &again, None), UR_RESULT_SUCCESS);
    context.uses(&again.kernel("use"));
}

/// Two programs with a constant of the same number are linked with their own values.
#[test]
fn constants_are_settled_before_linking() {
    let context = Context::new();
    let program = context.unbuilt(&module("spec_constant.spv"));
    set(&program, 7, &20u32.to_ne_bytes());
    set(&program, 9, &1000u64.to_ne_bytes());
    ok!(Program.pfnCompile(context.0, program.0, null()));
    let other = context.unbuilt(&module("vector_add.spv"));
    ok!(Program.pfnCompile(context.0, other.0, null()));
    for list in [vec![program.0], vec![other.0, program.0]] {
        let mut linked = null_mut();
        let count = list.len() as u32;
        ok!(Program.pfnLink(context.0, count, list.as_ptr(), null(), &mut linked));
        let linked = Program(linked);
        let whole = context.unbuilt(&module("spec_constant.spv"));
        set(&whole, 7, &20u32.to_ne_bytes());
        set(&whole, 9, &1000u64.to_ne_bytes());
        assert_eq!(build(&context, &whole, None), UR_RESULT_SUCCESS);
        assert_eq!(
            specialised(&context, &linked),
            specialised(&context, &whole)
        );
    }
}

#[test]
fn programs_are_linked_after_they_were_built() {
    let context = Context::new();
    let devices = [device()];
    let built = |name: &str, flags: u32| {
        let program = context.unbuilt(&module(name));
        let devices = devices.as_ptr().cast_mut();
        let outcome = ur!(ProgramExp.pfnBuildExp(program.0, 1, devices, flags, null()));
        (program, outcome)
    };
    let allowed = UR_EXP_PROGRAM_FLAG_ALLOW_UNRESOLVED_SYMBOLS.0;
    let failure = UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE;
    assert_eq!(built("link_main.spv", 0).1, failure);
    let enumeration = UR_RESULT_ERROR_INVALID_ENUMERATION;
    assert_eq!(built("link_main.spv", 0x80).1, enumeration);
    let (user, outcome) = built("link_main.spv", allowed);
    assert_eq!(outcome, UR_RESULT_SUCCESS);
    assert_eq!(status(&user, device()), UR_PROGRAM_BUILD_STATUS_SUCCESS);
    let missing = Err(UR_RESULT_ERROR_PROGRAM_UNLINKED);
    assert_eq!(user.try_kernel(c"use").map(drop), missing);
    let (library, outcome) = built("link_library.spv", allowed);
    assert_eq!(outcome, UR_RESULT_SUCCESS);
    drop(library.kernel("library_kernel"));

    let link = |list: &[ur_program_handle_t]| {
        ur!(ProgramExp.pfnDynamicLinkExp(context.0, list.len() as u32, list.as_ptr()))
    };
    assert_eq!(link(&[]), UR_RESULT_ERROR_INVALID_SIZE);
    assert_eq!(link(&[user.0]), UR_RESULT_ERROR_PROGRAM_LINK_FAILURE);
    assert!(last_error().contains("lookup"), "{}", last_error());
    let unbuilt = context.unbuilt(&module("link_library.spv"));
    assert_eq!(link(&[user.0, unbuilt.0]), UR_RESULT_ERROR_INVALID_PROGRAM);
    assert_eq!(link(&[user.0, library.0]), UR_RESULT_SUCCESS);
    context.uses(&user.kernel("use"));
    // As a linked program may miss symbols as well.
    let (main, mut open) = (context.unbuilt(&module("link_main.spv")), null_mut());
    ok!(Program.pfnCompile(context.0, main.0, null()));
    let own = devices.as_ptr().cast_mut();
    ok!(ProgramExp.pfnLinkExp(context.0, 1, own, allowed, 1, &main.0, null(), &mut open));
    let open = Program(open);
    assert_eq!(open.try_kernel(c"use").map(drop), missing);
    assert_eq!(
        link(&[open.0, built("link_library.spv", 0).0.0]),
        UR_RESULT_SUCCESS
    );
    context.uses(&open.kernel("use"));
    // Both have the same variables.
    let address = |program: &Program| {
        let (mut address, mut size) = (null_mut(), 0);
        let name = c"table".as_ptr();
        ok!(Program.pfnGetGlobalVariablePointer(
            device(),
            program.0,
            name,
            &mut size,
            &mut address
        ));
        assert_eq!(size, 12);
        address
    };
    assert_eq!(address(&user), address(&library));
    let mut yes = 0u8;
    let (name, place) = (
        UR_DEVICE_INFO_DYNAMIC_LINK_SUPPORT_EXP,
        (&raw mut yes).cast(),
    );
    ok!(Device.pfnGetInfo(device(), name, 1, place, null_mut()));
    assert_eq!(yes, 1);
}

#[test]
fn device_code_calls_functions_by_their_address() {
    let context = Context::new();
    let program = context.unbuilt(&module("function_pointers.spv"));
    let mut address = null_mut();
    let mut ask = |name: &CStr| {
        let outcome =
            ur!(Program.pfnGetFunctionPointer(device(), program.0, name.as_ptr(), &mut address));
        (outcome, address)
    };
    assert_eq!(
        ask(c"add_twelve").0,
        UR_RESULT_ERROR_INVALID_PROGRAM_EXECUTABLE
    );
    assert_eq!(build(&context, &program, None), UR_RESULT_SUCCESS);
    let kernel = program.kernel("call");
    for (name, wanted) in [(c"add_twelve", 17u32), (c"times_three", 15)] {
        let (outcome, function) = ask(name);
        assert_eq!(outcome, UR_RESULT_SUCCESS);
        let mut out = 0u32;
        let value = (function as usize as u64).to_ne_bytes();
        let place: *const c_void = (&raw mut out).cast_const().cast();
        let args = [Arg::Pointer(place), Arg::Value(&value)];
        context.queue().run(&kernel, &[1], None, &args);
        assert_eq!(out, wanted, "{name:?}");
    }
    assert_ne!(ask(c"add_twelve").1, ask(c"times_three").1);
    assert_eq!(
        ask(c"call").0,
        UR_RESULT_ERROR_FUNCTION_ADDRESS_NOT_AVAILABLE
    );
    assert_eq!(ask(c"nothing").0, UR_RESULT_ERROR_INVALID_KERNEL_NAME);
}

#[test]
fn every_device_has_a_build_of_its_own() {
    // The root device, and its parts.
    let root = device();
    let property = ur_device_partition_property_t {
        r#type: UR_DEVICE_PARTITION_EQUALLY,
        value: ur_device_partition_value_t { equally: 1 },
    };
    let properties = ur_device_partition_properties_t {
        stype: UR_STRUCTURE_TYPE_DEVICE_PARTITION_PROPERTIES,
        pProperties: &property,
        PropCount: 1,
        ..Default::default()
    };
    let mut subs = [null_mut(); 2];
    let mut count = 0;
    ok!(Device.pfnPartition(root, &properties, 0, null_mut(), &mut count));
    let count = count.min(2);
    if count < 2 {
        eprintln!("not tried: one CPU has no parts");
        return;
    }
    ok!(Device.pfnPartition(root, &properties, count, subs.as_mut_ptr(), null_mut()));
    let mut context = null_mut();
    ok!(Context.pfnCreate(2, subs.as_ptr(), null(), &mut context));
    let context = Context(context);
    let program = context.unbuilt(&module("vector_add.spv"));
    let sizes = || {
        let mut sizes = [9usize; 2];
        let (name, place) = (UR_PROGRAM_INFO_BINARY_SIZES, (&raw mut sizes).cast());
        ok!(Program.pfnGetInfo(program.0, name, 16, place, null_mut()));
        sizes
    };
    assert_eq!(sizes(), [0, 0]);
    let options = c"-cl-opt-disable".as_ptr();
    ok!(ProgramExp.pfnBuildExp(program.0, 1, &mut subs[1], 0, options));
    assert_eq!(status(&program, subs[0]), UR_PROGRAM_BUILD_STATUS_NONE);
    assert_eq!(status(&program, subs[1]), UR_PROGRAM_BUILD_STATUS_SUCCESS);
    let none = UR_PROGRAM_BINARY_TYPE_NONE;
    assert_eq!(binary_type(&program, subs[0]), none);
    let name = UR_PROGRAM_BUILD_INFO_OPTIONS;
    assert_eq!(text(&program, subs[0], name), "");
    assert_eq!(text(&program, subs[1], name), "-cl-opt-disable");
    let built = sizes();
    assert!(built[0] == 0 && built[1] > 0, "{built:?}");
    // The root is none of the context's.
    assert_eq!(
        ur!(ProgramExp.pfnBuildExp(program.0, 1, &mut device(), 0, null())),
        UR_RESULT_ERROR_INVALID_DEVICE
    );
    let mut value = 0u32;
    let (status_name, place) = (UR_PROGRAM_BUILD_INFO_STATUS, (&raw mut value).cast());
    assert_eq!(
        ur!(Program.pfnGetBuildInfo(program.0, device(), status_name, 4, place, null_mut())),
        UR_RESULT_ERROR_INVALID_DEVICE
    );
    // A part that the program does not list is as the device that it is a part of.
    let whole = Context::new();
    let program = whole.program("vector_add.spv");
    assert_eq!(status(&program, subs[0]), UR_PROGRAM_BUILD_STATUS_SUCCESS);
    drop(context);
    for sub in subs {
        ok!(Device.pfnRelease(sub));
    }
}

#[test]
fn bad_options_fail_the_build_and_say_why() {
    let context = Context::new();
    let program = context.unbuilt(&module("vector_add.spv"));
    for options in [c"cl-std=CL2.0", c"-g 'x"] {
        assert_eq!(
            build(&context, &program, Some(options)),
            UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE
        );
        assert_eq!(status(&program, device()), UR_PROGRAM_BUILD_STATUS_ERROR);
        assert!(!text(&program, device(), UR_PROGRAM_BUILD_INFO_LOG).is_empty());
        let mut linked = null_mut();
        let good = context.unbuilt(&module("vector_add.spv"));
        ok!(Program.pfnCompile(context.0, good.0, null()));
        assert_eq!(
            ur!(Program.pfnLink(context.0, 1, &good.0, options.as_ptr(), &mut linked)),
            UR_RESULT_ERROR_PROGRAM_LINK_FAILURE
        );
    }
    // Options of other compilers mean nothing here.
    let foreign = c"-ze-opt-level=2 -vc-codegen -x spir -cl-intel-some-thing";
    assert_eq!(build(&context, &program, Some(foreign)), UR_RESULT_SUCCESS);
    assert_eq!(text(&program, device(), UR_PROGRAM_BUILD_INFO_LOG), "");
}

#[test]
fn programs_of_other_contexts_are_not_linked() {
    let (context, other) = (Context::new(), Context::new());
    let program = other.unbuilt(&module("vector_add.spv"));
    ok!(Program.pfnCompile(other.0, program.0, null()));
    let mut linked = null_mut();
    assert_eq!(
        ur!(Program.pfnLink(context.0, 1, &program.0, null(), &mut linked)),
        UR_RESULT_ERROR_INVALID_PROGRAM
    );
    let mut devices = [device()];
    let devices = devices.as_mut_ptr();
    ok!(ProgramExp.pfnLinkExp(other.0, 1, devices, 0, 1, &program.0, null(), &mut linked));
    sums(&other, &Program(linked));
}

#[test]
fn the_reader_takes_what_the_writer_gives_without_code() {
    let saved = Saved {
        stage: Stage::Executable,
        constants: Vec::new(),
        options: String::new(),
        words: vec![0x0723_0203, 0x0001_0000, 0, 1, 0],
        code: None,
    };
    let context = Context::new();
    // An empty module: it has no memory model.
    assert_eq!(
        load(&context, &binary::write(&saved)).err(),
        Some(UR_RESULT_ERROR_INVALID_NATIVE_BINARY)
    );
}

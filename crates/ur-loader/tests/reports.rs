//! What layers say about a program on the mock adapter, as golden files: leaks, lifetimes, bounds
//! and traces. `UPDATE_GOLDEN=1` writes the files anew.

use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use ur_api::*;
use ur_layers::Active;
use ur_layers::switch::{self, Outputs, Settings};
use ur_loader::*;

static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn said() -> MutexGuard<'static, Vec<String>> {
    SAID.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The line of the program that makes the next call.
static LINE: AtomicU32 = AtomicU32::new(0);

fn at(line: u32) {
    LINE.store(line, Ordering::Relaxed);
}

/// Where the program says that it is.
unsafe extern "C" fn place(line: *mut c_void) -> ur_code_location_t {
    ur_code_location_t {
        functionName: c"work".as_ptr(),
        sourceFile: c"work.c".as_ptr(),
        // SAFETY: the argument is the test's.
        lineNumber: unsafe { &*line.cast::<AtomicU32>() }.load(Ordering::Relaxed),
        columnNumber: 7,
    }
}

/// Runs a program with layers on the mock, and compares what they say with the golden file.
fn report(golden: &str, layers: &str, log: bool, program: impl FnOnce()) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: only Rust's own functions read variables here, and they exclude each other.
    unsafe { std::env::remove_var("UR_ADAPTERS_FORCE_LOAD") };
    adapter::linked::add_kit("tested", &ur_adapter_mock::concord_kit);
    let note = |line: std::fmt::Arguments<'_>| said().push(line.to_string());
    let outputs = Outputs {
        trace: note,
        problem: note,
    };
    // The first outputs of a process stay, so these are not the loader's logs.
    switch::turn_on(
        Active::default(),
        Settings {
            outputs,
            log: false,
            xpti: None,
            location: (None, 0),
        },
    );
    let name = CString::new(layers).expect("no NUL");
    let mut config: ur_loader_config_handle_t = null_mut();
    // SAFETY: what the calls get lives as long as they need it.
    unsafe {
        urLoaderConfigCreate(&raw mut config);
        let place = urLoaderConfigSetCodeLocationCallback(
            config,
            Some(place),
            (&raw const LINE).cast_mut().cast::<c_void>(),
        );
        assert_eq!(place, UR_RESULT_SUCCESS);
        let enabled = urLoaderConfigEnableLayer(config, name.as_ptr().cast::<c_char>());
        assert_eq!(enabled, UR_RESULT_SUCCESS);
        assert_eq!(urLoaderInit(0, config), UR_RESULT_SUCCESS);
        urLoaderConfigRelease(config);
    }
    if log {
        switch::turn_on(
            Active::named(layers).expect("a layer"),
            Settings {
                outputs,
                log,
                xpti: None,
                location: (None, 0),
            },
        );
    }
    program();
    // SAFETY: nothing is used any more.
    assert_eq!(unsafe { urLoaderTearDown() }, UR_RESULT_SUCCESS);
    let text = masked(&std::mem::take(&mut *said()));
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(golden);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).expect("the file can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected);
}

/// A line in which each word that begins with `mark` and goes on with what `is_part` holds for is
/// replaced by its number in the order of first appearance, between `ends`.
fn numbered(
    line: &str,
    mark: &str,
    is_part: fn(char) -> bool,
    known: &mut Vec<String>,
    ends: (&str, &str),
) -> String {
    let (mut out, mut rest) = (String::new(), line);
    while let Some(at) = rest.find(mark) {
        let (before, from) = rest.split_at(at);
        let end = from[mark.len()..]
            .find(|c| !is_part(c))
            .map_or(from.len(), |end| end + mark.len());
        let (word, after) = from.split_at(end);
        let number = known.iter().position(|k| k == word).unwrap_or_else(|| {
            known.push(word.to_owned());
            known.len() - 1
        });
        out.push_str(&format!("{before}{}{}{}", ends.0, number + 1, ends.1));
        rest = after;
    }
    out + rest
}

/// Without what differs from run to run: addresses and objects are numbered, stacks are one line.
fn masked(lines: &[String]) -> String {
    let (mut addresses, mut objects) = (Vec::new(), Vec::new());
    let mut out = String::new();
    let mut frames = 0;
    for line in lines {
        if line.starts_with("  #") {
            frames += 1;
            continue;
        }
        if frames > 0 {
            // A stack that ends at once is none.
            out.push_str(if frames >= 3 {
                "  (stack)\n"
            } else {
                "  (short stack)\n"
            });
            frames = 0;
        }
        let line = numbered(
            line,
            "0x",
            |c| c.is_ascii_hexdigit(),
            &mut addresses,
            ("<", ">"),
        );
        // Other programs of this process had objects before.
        let line = numbered(&line, "#", |c| c.is_ascii_digit(), &mut objects, ("#", ""));
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// What a program begins with.
struct Start {
    adapter: ur_adapter_handle_t,
    device: ur_device_handle_t,
    context: ur_context_handle_t,
    queue: ur_queue_handle_t,
}

impl Start {
    fn new() -> Start {
        let mut adapter = null_mut();
        let mut platform = null_mut();
        let mut device = null_mut();
        let mut context = null_mut();
        let mut queue = null_mut();
        // SAFETY: the handles are those of the calls before, and results have room.
        unsafe {
            at(1);
            ok(urAdapterGet(1, &raw mut adapter, null_mut()));
            at(2);
            ok(urPlatformGet(adapter, 1, &raw mut platform, null_mut()));
            at(3);
            ok(urDeviceGet(
                platform,
                UR_DEVICE_TYPE_ALL,
                1,
                &raw mut device,
                null_mut(),
            ));
            at(4);
            ok(urContextCreate(
                1,
                &raw const device,
                null(),
                &raw mut context,
            ));
            at(5);
            ok(urQueueCreate(context, device, null(), &raw mut queue));
        }
        Start {
            adapter,
            device,
            context,
            queue,
        }
    }

    fn end(self) {
        // SAFETY: the handles are live.
        unsafe {
            ok(urQueueRelease(self.queue));
            ok(urContextRelease(self.context));
            ok(urDeviceRelease(self.device));
            ok(urAdapterRelease(self.adapter));
        }
    }
}

fn ok(result: ur_result_t) {
    assert_eq!(result, UR_RESULT_SUCCESS);
}

#[test]
fn leaks() {
    report("leaks.txt", "UR_LAYER_LEAK_CHECKING", false, || {
        let start = Start::new();
        let mut buffer = null_mut();
        let mut shown = null_mut::<c_void>();
        // SAFETY: the handles are live, and results have room.
        unsafe {
            at(10);
            ok(urMemBufferCreate(
                start.context,
                UR_MEM_FLAG_READ_WRITE.0,
                64,
                null(),
                &raw mut buffer,
            ));
            ok(urMemRetain(buffer));
            // A query gives no reference.
            ok(urQueueGetInfo(
                start.queue,
                UR_QUEUE_INFO_CONTEXT,
                size_of::<usize>(),
                (&raw mut shown).cast(),
                null_mut(),
            ));
            assert_eq!(shown, start.context.cast());
            ok(urContextRetain(start.context));
            ok(urContextRelease(start.context));
            ok(urQueueRelease(start.queue));
            ok(urDeviceRelease(start.device));
            ok(urAdapterRelease(start.adapter));
        }
    });
}

#[test]
fn nothing_is_said_of_a_program_without_fault() {
    report("none.txt", "UR_LAYER_FULL_VALIDATION", false, || {
        let start = Start::new();
        let mut event = null_mut();
        // SAFETY: the handles are live, and results have room.
        unsafe {
            ok(urEnqueueEventsWait(start.queue, 0, null(), &raw mut event));
            ok(urEventWait(1, &raw const event));
            ok(urEventRelease(event));
            ok(urQueueFinish(start.queue));
        }
        start.end();
    });
}

#[test]
fn lifetimes() {
    report(
        "lifetimes.txt",
        "UR_LAYER_LIFETIME_VALIDATION",
        false,
        || {
            let start = Start::new();
            let mut event = null_mut();
            let mut shown: ur_context_handle_t = null_mut();
            let word = 0usize;
            let never = (&raw const word).cast_mut().cast();
            // SAFETY: the handles are live or the layer refuses them, and results have room.
            unsafe {
                ok(urEnqueueEventsWait(start.queue, 0, null(), &raw mut event));
                ok(urEventRelease(event));
                assert_eq!(urEventRetain(event), UR_RESULT_ERROR_INVALID_EVENT);
                assert_eq!(
                    urEventWait(1, &raw const event),
                    UR_RESULT_ERROR_INVALID_EVENT
                );
                assert_eq!(urQueueFinish(never), UR_RESULT_ERROR_INVALID_QUEUE);
                assert_eq!(
                    urQueueFinish(start.context.cast()),
                    UR_RESULT_ERROR_INVALID_QUEUE
                );
                assert_eq!(
                    urEnqueueEventsWait(
                        start.queue,
                        1,
                        (&raw const start.queue).cast(),
                        null_mut()
                    ),
                    UR_RESULT_ERROR_INVALID_EVENT
                );
                // The queue keeps its context, which may be used again when the queue shows it; but
                // nobody may give back what the queue has.
                ok(urContextRelease(start.context));
                assert_eq!(
                    urContextRetain(start.context),
                    UR_RESULT_ERROR_INVALID_CONTEXT
                );
                ok(urQueueGetInfo(
                    start.queue,
                    UR_QUEUE_INFO_CONTEXT,
                    size_of::<usize>(),
                    (&raw mut shown).cast(),
                    null_mut(),
                ));
                assert_eq!(shown, start.context);
                assert_eq!(urContextRelease(shown), UR_RESULT_ERROR_INVALID_CONTEXT);
                ok(urContextRetain(shown));
            }
            start.end();
        },
    );
}

/// What goes wrong, and what goes well, with objects of two contexts.
#[test]
fn contexts() {
    report("contexts.txt", "UR_LAYER_FULL_VALIDATION", false, || {
        let start = Start::new();
        let (mut other, mut queue) = (null_mut(), null_mut());
        let (mut own, mut buffer, mut event, mut second) =
            (null_mut(), null_mut(), null_mut(), null_mut());
        let flags = UR_MEM_FLAG_READ_WRITE.0;
        let mut byte = 0u8;
        let place: *mut c_void = (&raw mut byte).cast();
        // SAFETY: the handles are live, and results have room.
        unsafe {
            ok(urContextCreate(
                1,
                &raw const start.device,
                null(),
                &raw mut other,
            ));
            ok(urQueueCreate(other, start.device, null(), &raw mut queue));
            ok(urMemBufferCreate(
                start.context,
                flags,
                64,
                null(),
                &raw mut own,
            ));
            ok(urMemBufferCreate(other, flags, 64, null(), &raw mut buffer));
            let read = |queue, buffer, events: &[ur_event_handle_t], event| {
                let list = if events.is_empty() {
                    null()
                } else {
                    events.as_ptr()
                };
                urEnqueueMemBufferRead(
                    queue,
                    buffer,
                    true,
                    0,
                    1,
                    place,
                    events.len() as u32,
                    list,
                    event,
                )
            };
            ok(read(start.queue, own, &[], &raw mut event));
            ok(read(queue, buffer, &[], &raw mut second));
            let wrong = UR_RESULT_ERROR_INVALID_MEM_OBJECT;
            assert_eq!(read(start.queue, buffer, &[], null_mut()), wrong);
            assert_eq!(read(queue, own, &[], null_mut()), wrong);
            // Commands may wait for events of another context: nothing says that they may not.
            ok(read(queue, buffer, &[event], null_mut()));
            // Here there is a result for it.
            let both = [event, second];
            assert_eq!(
                urEventWait(2, both.as_ptr()),
                UR_RESULT_ERROR_INVALID_CONTEXT
            );
            ok(urEventWait(1, both.as_ptr()));
            ok(urEventRelease(event));
            ok(urEventRelease(second));
            ok(urMemRelease(own));
            ok(urMemRelease(buffer));
            ok(urQueueRelease(queue));
            ok(urContextRelease(other));
        }
        start.end();
    });
}

#[test]
fn bounds() {
    report("bounds.txt", "UR_LAYER_BOUNDS_CHECKING", false, || {
        let start = Start::new();
        let queue = start.queue;
        let mut buffer = null_mut();
        let mut memory = null_mut();
        let mut bytes = [0u8; 256];
        let host: *mut c_void = bytes.as_mut_ptr().cast();
        let origin = |x, y| ur_rect_offset_t { x, y, z: 0 };
        let region = ur_rect_region_t {
            width: 8,
            height: 4,
            depth: 1,
        };
        // SAFETY: the handles are live, and memory is as large as the calls that pass need.
        unsafe {
            ok(urMemBufferCreate(
                start.context,
                UR_MEM_FLAG_READ_WRITE.0,
                64,
                null(),
                &raw mut buffer,
            ));
            ok(urUSMHostAlloc(
                start.context,
                null(),
                null_mut(),
                64,
                &raw mut memory,
            ));
            let read = |offset, size| {
                urEnqueueMemBufferRead(
                    queue,
                    buffer,
                    true,
                    offset,
                    size,
                    host,
                    0,
                    null(),
                    null_mut(),
                )
            };
            ok(read(0, 64));
            ok(read(60, 4));
            assert_eq!(read(60, 5), UR_RESULT_ERROR_INVALID_SIZE);
            assert_eq!(read(usize::MAX, 2), UR_RESULT_ERROR_INVALID_SIZE);
            let read = |origin, row| {
                urEnqueueMemBufferReadRect(
                    queue,
                    buffer,
                    true,
                    origin,
                    ur_rect_offset_t { x: 0, y: 0, z: 0 },
                    region,
                    row,
                    0,
                    0,
                    0,
                    host,
                    0,
                    null(),
                    null_mut(),
                )
            };
            // The mock has no such copies: a call that gets there is answered so.
            let there = UR_RESULT_ERROR_UNSUPPORTED_FEATURE;
            assert_eq!(read(origin(0, 4), 8), there);
            // Three rows of 16 bytes and half of the fourth.
            assert_eq!(read(origin(8, 0), 16), there);
            assert_eq!(read(origin(9, 0), 16), UR_RESULT_ERROR_INVALID_SIZE);
            assert_eq!(read(origin(0, 5), 8), UR_RESULT_ERROR_INVALID_SIZE);
            let copy = |to: *mut c_void, from: *const c_void, size| {
                urEnqueueUSMMemcpy(queue, true, to, from, size, 0, null(), null_mut())
            };
            ok(copy(memory, host, 64));
            ok(copy(memory.byte_add(32), host, 32));
            assert_eq!(
                copy(memory.byte_add(32), host, 33),
                UR_RESULT_ERROR_INVALID_SIZE
            );
            assert_eq!(copy(host, memory, 65), UR_RESULT_ERROR_INVALID_SIZE);
            ok(urUSMFree(start.context, memory));
            ok(urMemRelease(buffer));
        }
        start.end();
    });
}

/// What is known of an allocation goes with it: the next one may lie there and be larger.
#[test]
fn freed() {
    report("freed.txt", "UR_LAYER_FULL_VALIDATION", false, || {
        let start = Start::new();
        let mut bytes = [0u8; 256];
        let host: *mut c_void = bytes.as_mut_ptr().cast();
        for size in [64, 128, 32, 128] {
            let mut memory = null_mut();
            // SAFETY: the handles are live, and memory is as large as the calls that pass need.
            unsafe {
                let place = &raw mut memory;
                ok(urUSMHostAlloc(
                    start.context,
                    null(),
                    null_mut(),
                    size,
                    place,
                ));
                let copy = |size| {
                    let queue = start.queue;
                    urEnqueueUSMMemcpy(queue, true, memory, host, size, 0, null(), null_mut())
                };
                // The second time the adapter need not be asked.
                ok(copy(size));
                ok(copy(size));
                assert_eq!(copy(size + 1), UR_RESULT_ERROR_INVALID_SIZE);
                ok(urUSMFree(start.context, memory));
            }
        }
        start.end();
    });
}

#[test]
fn traces() {
    report("traces.txt", "UR_LAYER_TRACING", true, || {
        let start = Start::new();
        let mut count = 0u32;
        // SAFETY: the handles are live or null, and results have room.
        unsafe {
            ok(urQueueGetInfo(
                start.queue,
                UR_QUEUE_INFO_REFERENCE_COUNT,
                4,
                (&raw mut count).cast(),
                null_mut(),
            ));
            assert_eq!(
                urQueueFinish(null_mut()),
                UR_RESULT_ERROR_INVALID_NULL_HANDLE
            );
        }
        start.end();
    });
}

/// A kernel of two arguments on the mock, which answers nothing about kernels by itself.
fn kernel(start: &Start) -> (ur_program_handle_t, ur_kernel_handle_t) {
    unsafe extern "C" fn two(params: *mut c_void, _: *mut c_void) -> ur_result_t {
        // SAFETY: the mock passes pointers to the arguments of this function; the loader asks for
        // the number of arguments with room for it.
        unsafe {
            let params = &*params.cast::<ur_kernel_get_info_params_t>();
            assert_eq!(*params.ppropName, UR_KERNEL_INFO_NUM_ARGS);
            (*params.ppPropValue).cast::<u32>().write(2);
        }
        UR_RESULT_SUCCESS
    }
    unsafe extern "C" fn launched(_: *mut c_void, _: *mut c_void) -> ur_result_t {
        UR_RESULT_SUCCESS
    }
    // The trace shows where results go, which must be no place that another call's went to.
    let program: &mut ur_program_handle_t = Box::leak(Box::new(null_mut()));
    let kernel: &mut ur_kernel_handle_t = Box::leak(Box::new(null_mut()));
    static IL: u32 = 0x0723_0203;
    // SAFETY: the handles are live, and callbacks are functions of the program.
    unsafe {
        let set = ur_adapter_mock::callback::ur_mock_set_callback;
        ok(set(UR_FUNCTION_KERNEL_GET_INFO, 1, Some(two), null_mut()));
        let launch = UR_FUNCTION_ENQUEUE_KERNEL_LAUNCH_WITH_ARGS_EXP;
        ok(set(launch, 1, Some(launched), null_mut()));
        ok(urProgramCreateWithIL(
            start.context,
            (&raw const IL).cast(),
            size_of_val(&IL),
            null(),
            program,
        ));
        ok(urKernelCreate(*program, c"k".as_ptr(), kernel));
    }
    (*program, *kernel)
}

/// A program of an earlier release: it sets arguments, some of them wrongly, and launches.
fn of_earlier_release() {
    let start = Start::new();
    let (program, kernel) = kernel(&start);
    let (value, size) = (7u32, 1usize);
    let word = 0usize;
    let never = (&raw const word).cast_mut();
    let launch = |kernel| {
        // SAFETY: the handles are live or the layer refuses them.
        unsafe {
            urEnqueueKernelLaunch(
                start.queue,
                kernel,
                1,
                null(),
                &raw const size,
                null(),
                null(),
                0,
                null(),
                null_mut(),
            )
        }
    };
    let access = ur_kernel_arg_mem_obj_properties_t {
        stype: UR_STRUCTURE_TYPE_KERNEL_ARG_MEM_OBJ_PROPERTIES,
        pNext: null_mut(),
        memoryAccess: 1 << 30,
    };
    // SAFETY: the handles are live, or a layer refuses them.
    unsafe {
        ok(urKernelSetArgValue(
            kernel,
            0,
            4,
            null(),
            (&raw const value).cast(),
        ));
        ok(urKernelSetArgPointer(kernel, 1, null(), null()));
        ok(urKernelSetArgLocal(kernel, 1, 64, null()));
        let index = UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
        assert_eq!(urKernelSetArgLocal(kernel, 2, 64, null()), index);
        ok(launch(kernel));
        if ur_layers::active().lifetimes() {
            let wrong = [
                urKernelSetArgValue(start.queue.cast(), 0, 4, null(), (&raw const value).cast()),
                urKernelSetArgMemObj(kernel, 0, null(), never.cast()),
                urKernelSetArgMemObj(kernel, 0, &raw const access, null_mut()),
                urKernelSetArgSampler(kernel, 0, null(), kernel.cast()),
            ];
            assert_eq!(
                wrong,
                [
                    UR_RESULT_ERROR_INVALID_KERNEL,
                    UR_RESULT_ERROR_INVALID_MEM_OBJECT,
                    UR_RESULT_ERROR_INVALID_ENUMERATION,
                    UR_RESULT_ERROR_INVALID_SAMPLER,
                ]
            );
        }
        ok(urKernelRelease(kernel));
        if ur_layers::active().lifetimes() {
            assert_eq!(launch(kernel), UR_RESULT_ERROR_INVALID_KERNEL);
        }
        ok(urProgramRelease(program));
    }
    start.end();
}

#[test]
fn traces_of_an_earlier_release() {
    report(
        "removed-traces.txt",
        "UR_LAYER_TRACING",
        true,
        of_earlier_release,
    );
}

#[test]
fn checks_of_an_earlier_release() {
    report(
        "removed.txt",
        "UR_LAYER_FULL_VALIDATION",
        false,
        of_earlier_release,
    );
}

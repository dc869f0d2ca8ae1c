//! Adapters of earlier releases beside one of this release, all made from C for the purpose.

use std::ffi::c_void;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::{null, null_mut};
use ur_api::*;
use ur_loader::*;

/// The rows of a file of released numbers, which nothing is rendered from.
fn facts(name: &str) -> Vec<Vec<String>> {
    let file = format!("../ur-spec/tests/facts/{name}.tsv");
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file));
    text.expect("a file of facts")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}

/// `layout.h` of a release: tables in container order, and the word of each function.
fn layout(slots: &str) -> String {
    let (mut text, mut tables) = (String::new(), String::from("#define TABLES"));
    let rows = facts(slots);
    for (word, row) in rows.iter().enumerate() {
        text += &format!("#define HAS_{0}\n#define AT_{0} {word}\n", row[2]);
        let first = word == 0 || rows[word - 1][0] != row[0];
        if first {
            let words = rows.iter().filter(|r| r[0] == row[0]).count();
            tables += &format!(" TABLE(urGet{}ProcAddrTable, {words}, {word})", row[0]);
        }
    }
    format!("{text}#define WORDS {}\n{tables}\n", rows.len())
}

/// An adapter with the layout of a release.
fn adapter(name: &str, slots: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("foreign")
        .join(name);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("layout.h"), layout(slots)).expect("write");
    let path = folder.join(format!("libur_adapter_{name}.so.0"));
    let output = Command::new("gcc")
        .args(["-std=gnu11", "-Wall", "-Werror", "-shared", "-fPIC", "-I"])
        .arg(&folder)
        .arg(format!("-DNAME=\"{name}\""))
        .arg("-o")
        .arg(&path)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/c/layout.c"))
        .output()
        .expect("the compiler starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    path
}

fn good(result: ur_result_t) {
    assert_eq!(result, UR_RESULT_SUCCESS);
}

type Query<H, P> = unsafe extern "C" fn(H, P, usize, *mut c_void, *mut usize) -> ur_result_t;

/// The answer to a question, of a type that fits it.
fn ask<H, P, T>(query: Query<H, P>, handle: H, name: P, zero: T) -> T {
    let mut answer = zero;
    let size = size_of::<T>();
    let mut needed = 0;
    // SAFETY: the object is live and there is room for the answer.
    good(unsafe {
        query(
            handle,
            name,
            size,
            (&raw mut answer).cast(),
            &raw mut needed,
        )
    });
    assert_eq!(needed, size);
    answer
}

/// Everything that hands out handles, on one adapter whose objects refuse calls that are not
/// theirs. `old` is whether it has the functions that were removed.
fn everything(adapter: ur_adapter_handle_t, name: &str, old: bool) {
    // SAFETY: handles are the adapter's and live, and there is room for what is asked for.
    unsafe {
        let (mut platform, mut count) = (null_mut(), 0);
        good(urPlatformGet(adapter, 1, &raw mut platform, &raw mut count));
        assert_eq!(count, 1);
        assert_eq!(
            ask(
                urPlatformGetInfo,
                platform,
                UR_PLATFORM_INFO_ADAPTER,
                null_mut()
            ),
            adapter
        );

        // More room than there are devices; what was there is no handle.
        let mut devices = [0x5555_usize as ur_device_handle_t; 5];
        good(urDeviceGet(
            platform,
            UR_DEVICE_TYPE_ALL,
            5,
            devices.as_mut_ptr(),
            null_mut(),
        ));
        if old {
            assert_eq!(&devices[2..], [null_mut(); 3]);
        }
        assert_eq!(
            ask(
                urDeviceGetInfo,
                devices[1],
                UR_DEVICE_INFO_PLATFORM,
                null_mut()
            ),
            platform
        );
        let none: ur_device_handle_t = null_mut();
        let parent = UR_DEVICE_INFO_PARENT_DEVICE;
        assert_eq!(ask(urDeviceGetInfo, devices[0], parent, devices[0]), none);
        // Handles that come from a question only.
        let hidden = ask(
            urDeviceGetInfo,
            devices[1],
            UR_DEVICE_INFO_COMPONENT_DEVICES,
            [none; 2],
        );
        for device in hidden {
            assert_eq!(ask(urDeviceGetInfo, device, parent, none), devices[1]);
        }
        let mut parts = [none; 2];
        let how: ur_device_partition_properties_t = std::mem::zeroed();
        good(urDevicePartition(
            devices[0],
            &raw const how,
            2,
            parts.as_mut_ptr(),
            null_mut(),
        ));
        assert_eq!(ask(urDeviceGetInfo, parts[1], parent, none), devices[0]);

        let mut context = null_mut();
        good(urContextCreate(1, parts.as_ptr(), null(), &raw mut context));
        assert_eq!(
            ask(urContextGetInfo, context, UR_CONTEXT_INFO_DEVICES, none),
            parts[0]
        );
        good(urContextRetain(context));
        assert_eq!(
            ask(
                urContextGetInfo,
                context,
                UR_CONTEXT_INFO_REFERENCE_COUNT,
                0
            ),
            2u32
        );
        good(urContextRelease(context));

        let (mut queue, mut event) = (null_mut(), null_mut());
        good(urQueueCreate(context, parts[0], null(), &raw mut queue));
        assert_eq!(
            ask(urQueueGetInfo, queue, UR_QUEUE_INFO_CONTEXT, null_mut()),
            context
        );
        assert_eq!(
            ask(urQueueGetInfo, queue, UR_QUEUE_INFO_DEVICE, none),
            parts[0]
        );
        // Only the size.
        let mut size = 0;
        good(urQueueGetInfo(
            queue,
            UR_QUEUE_INFO_CONTEXT,
            0,
            null_mut(),
            &raw mut size,
        ));
        assert_eq!(size, size_of::<ur_context_handle_t>());
        good(urEnqueueEventsWait(queue, 0, null(), &raw mut event));
        assert_eq!(
            ask(
                urEventGetInfo,
                event,
                UR_EVENT_INFO_COMMAND_QUEUE,
                null_mut()
            ),
            queue
        );
        assert_eq!(
            ask(urEventGetInfo, event, UR_EVENT_INFO_CONTEXT, null_mut()),
            context
        );
        good(urEventRelease(event));

        // A failure that makes an object, and one that does not and leaves the caller's as it is.
        let (mut program, mut kernel) = (null_mut(), 0x77_usize as ur_kernel_handle_t);
        let linked = urProgramLink(context, 1, [null_mut()].as_ptr(), null(), &raw mut program);
        assert_eq!(linked, UR_RESULT_ERROR_PROGRAM_LINK_FAILURE);
        assert_eq!(
            ask(
                urProgramGetInfo,
                program,
                UR_PROGRAM_INFO_CONTEXT,
                null_mut()
            ),
            context
        );
        let failed = urKernelCreate(program, c"fails".as_ptr(), &raw mut kernel);
        assert_eq!(failed, UR_RESULT_ERROR_INVALID_KERNEL_NAME);
        assert_eq!(kernel as usize, 0x77);
        good(urKernelCreate(program, c"works".as_ptr(), &raw mut kernel));
        assert_eq!(
            ask(urKernelGetInfo, kernel, UR_KERNEL_INFO_PROGRAM, null_mut()),
            program
        );

        let (value, global) = (30u64, 5usize);
        let set = urKernelSetArgValue(kernel, 0, 8, null(), (&raw const value).cast());
        let launch = |event| {
            let size = &raw const global;
            urEnqueueKernelLaunch(
                queue,
                kernel,
                1,
                null(),
                size,
                null(),
                null(),
                0,
                null(),
                event,
            )
        };
        if old {
            good(set);
            good(urKernelSetArgLocal(kernel, 1, 7, null()));
            let beyond = urKernelSetArgValue(kernel, 9, 8, null(), (&raw const value).cast());
            assert_eq!(beyond, UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
            good(launch(null_mut()));
            good(launch(&raw mut event));
            assert_eq!(
                ask(
                    urEventGetInfo,
                    event,
                    UR_EVENT_INFO_COMMAND_QUEUE,
                    null_mut()
                ),
                queue
            );
            good(urEventRelease(event));
            assert_eq!(
                ask(urKernelGetInfo, kernel, UR_KERNEL_INFO_NUM_REGS, 0),
                47u32
            );
        } else {
            assert_eq!(set, UR_RESULT_ERROR_UNSUPPORTED_FEATURE);
            assert_eq!(launch(null_mut()), UR_RESULT_ERROR_UNSUPPORTED_FEATURE);
        }
        good(urKernelRelease(kernel));
        good(urProgramRelease(program));
        good(urQueueFinish(queue));
        good(urQueueRelease(queue));
        good(urContextRelease(context));
        assert_eq!(
            ask(urAdapterGetInfo, adapter, ur_adapter_info_t(0x1000), 9u32),
            0,
            "{name}"
        );
    }
}

#[test]
fn side_by_side() {
    let releases = [
        ("first", "slots-2026.1.0", true),
        ("current", "slots", false),
        ("second", "slots-2026.1.2", true),
    ];
    let paths = releases.map(|(name, slots, _)| adapter(name, slots).display().to_string());
    // SAFETY: this is the only test of this program, and no other thread has begun.
    unsafe { std::env::set_var("UR_ADAPTERS_FORCE_LOAD", paths.join(",")) };
    // The second time, objects that live for ever are the loader's already.
    for _ in 0..3 {
        // SAFETY: as the API asks; handles are not used after the end.
        unsafe {
            good(urLoaderInit(0, null_mut()));
            let mut adapters = [null_mut(); 3];
            let mut count = 0;
            good(urAdapterGet(3, adapters.as_mut_ptr(), &raw mut count));
            assert_eq!(count, 3);
            std::thread::scope(|scope| {
                for (adapter, (name, _, old)) in adapters.into_iter().zip(releases) {
                    let adapter = adapter as usize;
                    scope.spawn(move || everything(adapter as ur_adapter_handle_t, name, old));
                }
            });
            for adapter in adapters {
                good(urAdapterRelease(adapter));
            }
            good(urLoaderTearDown());
        }
    }
}

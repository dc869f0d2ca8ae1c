//! Contexts.

use crate::failure::{Stop, check};
use crate::objects::{Context, Counted, Memory, Queue};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, refused, same, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use ur_api::*;

fn with_flags(cx: &Cx, flags: u32) -> Result<Context, Stop> {
    let properties = ur_context_properties_t {
        flags,
        ..Default::default()
    };
    Context::made("urContextCreate", |out| {
        let device = cx.device();
        let properties = &raw const properties;
        ur!(urContextCreate(1, &raw const device, properties, out))
    })
}

/// A deleter that counts its calls.
extern "C" fn deleted(calls: *mut c_void) {
    // SAFETY: the tests give static numbers.
    let calls = unsafe { &*calls.cast::<AtomicU32>() };
    calls.fetch_add(1, Ordering::Relaxed);
}

fn set_deleter(context: &Context, calls: &'static AtomicU32) -> Outcome {
    let data = (&raw const *calls).cast_mut().cast();
    ok!(urContextSetExtendedDeleter(
        context.get(),
        Some(deleted),
        data
    ))?;
    Ok(())
}

/// A context is of use: a queue in it copies.
fn works(context: &Context, device: ur_device_handle_t) -> Outcome {
    let queue = Queue::new(context, device, 0)?;
    let buffer = Memory::with(context, &[1, 2, 3, 4])?;
    same!("what a buffer holds", buffer.read(&queue, 4)?, [1, 2, 3, 4]);
    Ok(())
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    suite.device("create::counts_one", |cx| {
        same!("the count", cx.context()?.count()?, 1);
        Ok(())
    });
    suite.device("create::no_properties", |cx| {
        works(&cx.context()?, cx.device())
    });
    suite.device("create::no_flags", |cx| {
        works(&with_flags(cx, 0)?, cx.device())
    });
    suite.device("create::flag_tbd", |cx| {
        works(&with_flags(cx, UR_CONTEXT_FLAG_TBD.0)?, cx.device())
    });
    suite.device("create::each_is_another", |cx| {
        let (one, two) = (cx.context()?, cx.context()?);
        ensure!(one.get() != two.get(), "two contexts are the same");
        same!("the count", one.count()?, 1);
        Ok(())
    });
    suite.platform("create::all_devices_of_the_platform", |cx| {
        if cx.devices().is_empty() {
            return Err(Stop::Unsupported("the platform has no device".into()));
        }
        let context = Context::new(cx.devices())?;
        let devices: Vec<ur_device_handle_t> = context.list(UR_CONTEXT_INFO_DEVICES)?;
        same!("the devices", &devices[..], cx.devices());
        for device in cx.devices() {
            works(&context, *device)?;
        }
        Ok(())
    });
    suite.device("create::retains_nothing_that_it_does_not_release", |cx| {
        let count = || cx.device_info::<u32>(UR_DEVICE_INFO_REFERENCE_COUNT);
        let before = count()?;
        drop(cx.context()?);
        same!("the device's count", count()?, before);
        Ok(())
    });
    for number in [16, 256] {
        suite.device(format!("create::{number}_at_once"), move |cx| {
            let contexts: Result<Vec<Context>, Stop> = (0..number).map(|_| cx.context()).collect();
            let mut handles: Vec<_> = contexts?.iter().map(Context::get).collect();
            handles.sort_unstable();
            handles.dedup();
            same!("different ones", handles.len(), number);
            Ok(())
        });
    }
    suite.device("get_info::devices", |cx| {
        let context = cx.context()?;
        same!(
            "their number",
            context.info::<u32>(UR_CONTEXT_INFO_NUM_DEVICES)?,
            1
        );
        let devices: Vec<ur_device_handle_t> = context.list(UR_CONTEXT_INFO_DEVICES)?;
        same!("the devices", devices, [cx.device()]);
        Ok(())
    });
    for (name, query) in [
        ("usm_memcpy2d_support", UR_CONTEXT_INFO_USM_MEMCPY2D_SUPPORT),
        ("usm_fill2d_support", UR_CONTEXT_INFO_USM_FILL2D_SUPPORT),
    ] {
        suite.device(format!("get_info::{name}_is_a_truth_value"), move |cx| {
            let value: ur_bool_t = cx.context()?.info(query)?;
            ensure!(value <= 1, "{query} is {value}");
            Ok(())
        });
    }
    for times in [1, 2, 100] {
        suite.device(format!("retain::{times}_times"), move |cx| {
            let context = cx.context()?;
            let mut more = Vec::new();
            for count in 2..times + 2 {
                more.push(context.retain()?);
                same!("the count", context.count()?, count);
            }
            while let Some(one) = more.pop() {
                one.release()?;
                same!("the count", context.count()? as usize, more.len() + 1);
            }
            works(&context, cx.device())
        });
    }
    suite.device("release::a_queue_keeps_what_it_needs", |cx| {
        let (context, queue) = cx.queue(0)?;
        let buffer = Memory::with(&context, &[5; 16])?;
        let handle = context.get();
        context.release()?;
        let asked: ur_context_handle_t = queue.info(UR_QUEUE_INFO_CONTEXT)?;
        same!("the queue's context", asked, handle);
        same!("what the buffer holds", buffer.read(&queue, 16)?, [5; 16]);
        Ok(())
    });
    suite.device("extended_deleter::called_once_at_the_end", |cx| {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        CALLS.store(0, Ordering::Relaxed);
        let context = cx.context()?;
        set_deleter(&context, &CALLS)?;
        let more = context.retain()?;
        more.release()?;
        same!("calls while it lives", CALLS.load(Ordering::Relaxed), 0);
        context.release()?;
        same!("calls at its end", CALLS.load(Ordering::Relaxed), 1);
        Ok(())
    });
    suite.device("extended_deleter::several_are_all_called", |cx| {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        CALLS.store(0, Ordering::Relaxed);
        let context = cx.context()?;
        for _ in 0..3 {
            set_deleter(&context, &CALLS)?;
        }
        context.release()?;
        same!("calls", CALLS.load(Ordering::Relaxed), 3);
        Ok(())
    });
    suite.device("extended_deleter::not_while_a_queue_keeps_it", |cx| {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        CALLS.store(0, Ordering::Relaxed);
        let (context, queue) = cx.queue(0)?;
        set_deleter(&context, &CALLS)?;
        queue.release()?;
        same!("calls", CALLS.load(Ordering::Relaxed), 0);
        context.release()?;
        same!("calls at the end", CALLS.load(Ordering::Relaxed), 1);
        Ok(())
    });
    suite.device("native_handle::there_and_back", |cx| {
        let context = cx.context()?;
        let mut native = 0;
        ok!(urContextGetNativeHandle(context.get(), &raw mut native))?;
        let properties = ur_context_native_properties_t::default();
        let back = Context::made("urContextCreateWithNativeHandle", |out| {
            let device = cx.device();
            let properties = &raw const properties;
            ur!(urContextCreateWithNativeHandle(
                native,
                cx.adapter(),
                1,
                &raw const device,
                properties,
                out
            ))
        })?;
        let mut again = 0;
        ok!(urContextGetNativeHandle(back.get(), &raw mut again))?;
        same!("the native handle", again, native);
        works(&back, cx.device())
    });
    suite.device("create::null_device_in_the_list", |cx| {
        let devices = [cx.device(), null_mut()];
        let mut context = null_mut();
        let code = ur!(urContextCreate(
            2,
            devices.as_ptr(),
            null(),
            &raw mut context
        ));
        ensure!(code != UR_RESULT_SUCCESS, "a null device was taken");
        Ok(())
    });
    suite.validated().global("null_handles", |_| {
        let null_handle = UR_RESULT_ERROR_INVALID_NULL_HANDLE;
        refused!(null_handle, urContextRetain(null_mut()))?;
        refused!(null_handle, urContextRelease(null_mut()))?;
        let mut native = 0;
        let code = ur!(urContextGetNativeHandle(null_mut(), &raw mut native));
        check("urContextGetNativeHandle", null_handle, code)?;
        Ok(())
    });
}

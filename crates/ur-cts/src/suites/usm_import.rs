//! Memory of the host that devices reach faster, or that is made known as USM.

use crate::failure::Stop;
use crate::objects::{Context, Queue};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, refused, same, ur};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use ur_api::*;

/// Whole pages of the host's memory.
struct Pages {
    at: *mut c_void,
    size: usize,
}

impl Pages {
    fn new(size: usize) -> Result<Pages, Stop> {
        // SAFETY: a new mapping replaces nothing.
        let at = unsafe {
            libc::mmap(
                null_mut(),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        ensure!(at != libc::MAP_FAILED, "no memory");
        Ok(Pages { at, size })
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is as large and lives as long as this.
        unsafe { std::slice::from_raw_parts_mut(self.at.cast(), self.size) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's own.
        unsafe { libc::munmap(self.at, self.size) };
    }
}

const SIZES: [usize; 3] = [4096, 65_536, 1 << 22];

fn copies(queue: &Queue, pages: &mut Pages) -> Outcome {
    let size = pages.size;
    queue.fill(pages.at, size, 0x21, &[])?.wait()?;
    ensure!(pages.bytes().iter().all(|b| *b == 0x21), "the fill differs");
    let found = queue.fetch(pages.at, size)?;
    ensure!(found.iter().all(|b| *b == 0x21), "the copy differs");
    Ok(())
}

fn register(
    context: &Context,
    at: *mut c_void,
    size: usize,
    properties: *const ur_exp_usm_host_alloc_register_properties_t,
) -> Outcome {
    ok!(urUSMHostAllocRegisterExp(
        context.get(),
        at,
        size,
        properties
    ))?;
    Ok(())
}

fn unregister(context: &Context, at: *mut c_void) -> Outcome {
    ok!(urUSMHostAllocUnregisterExp(context.get(), at))?;
    Ok(())
}

fn place(cx: &Cx) -> Result<(Context, Queue), Stop> {
    cx.needs(UR_DEVICE_INFO_USM_HOST_ALLOC_REGISTER_SUPPORT_EXP)?;
    cx.queue(0)
}

fn kind_of(context: &Context, at: *mut c_void) -> Result<ur_usm_type_t, Stop> {
    crate::info::value("urUSMGetMemAllocInfo", |size, value, out| {
        ur!(urUSMGetMemAllocInfo(
            context.get(),
            at,
            UR_USM_ALLOC_INFO_TYPE,
            size,
            value,
            out
        ))
    })
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for size in SIZES {
        suite.device(format!("import::{size}_bytes"), move |cx| {
            let (context, queue) = cx.queue(0)?;
            let mut pages = Pages::new(size)?;
            ok!(urUSMImportExp(context.get(), pages.at, size))?;
            pages.bytes().fill(3);
            let found = queue.fetch(pages.at, size)?;
            ensure!(found.iter().all(|b| *b == 3), "the copy differs");
            ok!(urUSMReleaseExp(context.get(), pages.at))?;
            // It is still the host's.
            ensure!(pages.bytes().iter().all(|b| *b == 3), "the memory changed");
            Ok(())
        });
        suite.device(format!("register::{size}_bytes"), move |cx| {
            let (context, queue) = place(cx)?;
            let mut pages = Pages::new(size)?;
            register(&context, pages.at, size, null())?;
            same!("the type", kind_of(&context, pages.at)?, UR_USM_TYPE_HOST);
            copies(&queue, &mut pages)?;
            unregister(&context, pages.at)?;
            ensure!(pages.bytes().iter().all(|b| *b == 0x21), "it changed");
            Ok(())
        });
        suite.device(format!("register::no_flags_{size}_bytes"), move |cx| {
            let (context, queue) = place(cx)?;
            let mut pages = Pages::new(size)?;
            let properties = ur_exp_usm_host_alloc_register_properties_t::default();
            register(&context, pages.at, size, &raw const properties)?;
            same!("the type", kind_of(&context, pages.at)?, UR_USM_TYPE_HOST);
            copies(&queue, &mut pages)?;
            unregister(&context, pages.at)
        });
        suite.device(format!("register::read_only_{size}_bytes"), move |cx| {
            let (context, queue) = place(cx)?;
            let mut pages = Pages::new(size)?;
            pages.bytes().fill(8);
            let properties = ur_exp_usm_host_alloc_register_properties_t {
                flags: UR_EXP_USM_HOST_ALLOC_REGISTER_FLAG_READ_ONLY.0,
                ..Default::default()
            };
            register(&context, pages.at, size, &raw const properties)?;
            let found = queue.fetch(pages.at, size)?;
            ensure!(found.iter().all(|b| *b == 8), "the copy differs");
            unregister(&context, pages.at)
        });
    }
    suite.device("register::without_flags", |cx| {
        let (context, queue) = place(cx)?;
        let mut pages = Pages::new(4096)?;
        let properties = ur_exp_usm_host_alloc_register_properties_t::default();
        register(&context, pages.at, 4096, &raw const properties)?;
        copies(&queue, &mut pages)?;
        unregister(&context, pages.at)
    });
    suite.device("register::again_after_unregister", |cx| {
        let (context, queue) = place(cx)?;
        let mut pages = Pages::new(4096)?;
        for _ in 0..20 {
            register(&context, pages.at, 4096, null())?;
            copies(&queue, &mut pages)?;
            unregister(&context, pages.at)?;
        }
        Ok(())
    });
    suite.device("register::unknown_flag", |cx| {
        let (context, _queue) = place(cx)?;
        let pages = Pages::new(4096)?;
        let properties = ur_exp_usm_host_alloc_register_properties_t {
            flags: 1 << 30,
            ..Default::default()
        };
        let code = ur!(urUSMHostAllocRegisterExp(
            context.get(),
            pages.at,
            4096,
            &raw const properties
        ));
        ensure!(code != UR_RESULT_SUCCESS, "an unknown flag was taken");
        Ok(())
    });
    suite.device("unregister::what_was_not_registered", |cx| {
        let (context, _queue) = place(cx)?;
        let pages = Pages::new(4096)?;
        refused!(
            UR_RESULT_ERROR_INVALID_VALUE,
            urUSMHostAllocUnregisterExp(context.get(), pages.at)
        )?;
        Ok(())
    });
    suite.device("unregister::twice", |cx| {
        let (context, _queue) = place(cx)?;
        let pages = Pages::new(4096)?;
        register(&context, pages.at, 4096, null())?;
        unregister(&context, pages.at)?;
        refused!(
            UR_RESULT_ERROR_INVALID_VALUE,
            urUSMHostAllocUnregisterExp(context.get(), pages.at)
        )?;
        Ok(())
    });
    for size in [1usize, 100, 4096, 1 << 20] {
        suite.device(format!("context_memcpy::{size}_bytes"), move |cx| {
            cx.needs(UR_DEVICE_INFO_USM_CONTEXT_MEMCPY_SUPPORT_EXP)?;
            let (context, queue) = cx.queue(0)?;
            let usm =
                crate::objects::Usm::new(cx, &context, crate::objects::UsmKind::Device, size)?;
            let bytes: Vec<u8> = (0..size).map(|i| (i * 3) as u8).collect();
            let from = bytes.as_ptr().cast();
            ok!(urUSMContextMemcpyExp(context.get(), usm.at, from, size))?;
            ensure!(queue.fetch(usm.at, size)? == bytes, "the bytes differ");
            let mut back = vec![0u8; size];
            let to = back.as_mut_ptr().cast();
            ok!(urUSMContextMemcpyExp(context.get(), to, usm.at, size))?;
            ensure!(back == bytes, "the bytes differ on their way back");
            Ok(())
        });
    }
}

//! Bindless images: where a device has them, images in its own memory; elsewhere that it says so.

use crate::failure::{Stop, check};
use crate::objects::{Context, Pool, RGBA8, Usm, flat};
use crate::suites::enqueue::usm_hints::ADVICE;
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, same, ur};
use std::ptr::{null, null_mut};
use ur_api::*;

const SUPPORT: ur_device_info_t = UR_DEVICE_INFO_BINDLESS_IMAGES_SUPPORT_EXP;

fn allocate(
    cx: &Cx,
    context: &Context,
    desc: &ur_image_desc_t,
    out: *mut ur_exp_image_mem_native_handle_t,
) -> ur_result_t {
    ur!(urBindlessImagesImageAllocateExp(
        context.get(),
        cx.device(),
        &raw const RGBA8,
        &raw const *desc,
        out
    ))
}

/// Ends the test as passed if the device has no such images and says so.
fn declined(cx: &Cx, call: &'static str, code: ur_result_t) -> Outcome {
    if cx.has(SUPPORT)? {
        return Err(Stop::Unsupported("the device has bindless images".into()));
    }
    if !crate::api().has(call) {
        return Err(Stop::Unsupported(format!("the loader lacks {call}")));
    }
    let no = [
        UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
        // The loader's, for an adapter without the function.
        UR_RESULT_ERROR_UNINITIALIZED,
    ];
    check(call, no, code)?;
    Ok(())
}

/// Memory with a pitch that is the device's, and that ends with the test.
fn pitched(
    cx: &Cx,
    context: &Context,
    desc: *const ur_usm_desc_t,
    pool: ur_usm_pool_handle_t,
) -> Outcome {
    let call = "urUSMPitchedAllocExp";
    let (mut at, mut pitch) = (null_mut(), 0);
    let code = ur!(urUSMPitchedAllocExp(
        context.get(),
        cx.device(),
        desc,
        pool,
        100,
        10,
        4,
        &raw mut at,
        &raw mut pitch
    ));
    if code == UR_RESULT_ERROR_UNSUPPORTED_FEATURE {
        return Err(Stop::Unsupported(format!("{call} declines")));
    }
    check(call, UR_RESULT_SUCCESS, code)?;
    let usm = Usm::adopt(context, at, pitch * 10);
    ensure!(pitch >= 100, "a pitch of {pitch}");
    let kind: ur_usm_type_t = usm.info(UR_USM_ALLOC_INFO_TYPE)?;
    same!("the type", kind, UR_USM_TYPE_DEVICE);
    if !pool.is_null() {
        let told: ur_usm_pool_handle_t = usm.info(UR_USM_ALLOC_INFO_POOL)?;
        same!("the pool", told, pool);
    }
    usm.free()
}

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for (name, width, height) in [("small", 4, 4), ("odd", 13, 7), ("large", 512, 256)] {
        suite.device(format!("allocate::{name}"), move |cx| {
            cx.needs(SUPPORT)?;
            let context = cx.context()?;
            let mut image = 0;
            let code = allocate(cx, &context, &flat(width, height), &raw mut image);
            check("urBindlessImagesImageAllocateExp", UR_RESULT_SUCCESS, code)?;
            let told: usize = {
                let (mut value, mut size) = (0usize, 0);
                ok!(urBindlessImagesImageGetInfoExp(
                    context.get(),
                    image,
                    UR_IMAGE_INFO_WIDTH,
                    (&raw mut value).cast(),
                    &raw mut size
                ))?;
                same!("the size", size, size_of::<usize>());
                value
            };
            same!("the width", told, width);
            ok!(urBindlessImagesImageFreeExp(
                context.get(),
                cx.device(),
                image
            ))?;
            Ok(())
        });
        suite.device(format!("unsampled_image::{name}"), move |cx| {
            cx.needs(SUPPORT)?;
            let context = cx.context()?;
            let (mut memory, mut image) = (0, 0);
            let desc = flat(width, height);
            let code = allocate(cx, &context, &desc, &raw mut memory);
            check("urBindlessImagesImageAllocateExp", UR_RESULT_SUCCESS, code)?;
            ok!(urBindlessImagesUnsampledImageCreateExp(
                context.get(),
                cx.device(),
                memory,
                &raw const RGBA8,
                &raw const desc,
                &raw mut image
            ))?;
            ok!(urBindlessImagesUnsampledImageHandleDestroyExp(
                context.get(),
                cx.device(),
                image
            ))?;
            ok!(urBindlessImagesImageFreeExp(
                context.get(),
                cx.device(),
                memory
            ))?;
            Ok(())
        });
    }
    suite.device("declined::allocate", |cx| {
        let context = cx.context()?;
        let mut image = 0;
        let code = allocate(cx, &context, &flat(4, 4), &raw mut image);
        declined(cx, "urBindlessImagesImageAllocateExp", code)
    });
    suite.device("declined::pitched_alloc", |cx| {
        if cx.has(UR_DEVICE_INFO_BINDLESS_IMAGES_2D_USM_SUPPORT_EXP)? {
            return Err(Stop::Unsupported("the device has them".into()));
        }
        let context = cx.context()?;
        let (mut at, mut pitch) = (null_mut(), 0);
        let code = ur!(urUSMPitchedAllocExp(
            context.get(),
            cx.device(),
            null(),
            null_mut(),
            100,
            10,
            4,
            &raw mut at,
            &raw mut pitch
        ));
        // It may be there without images, too.
        if code == UR_RESULT_SUCCESS {
            ensure!(pitch >= 100, "a pitch of {pitch}");
            return Usm::adopt(&context, at, pitch * 10).free();
        }
        declined(cx, "urUSMPitchedAllocExp", code)
    });
    suite.device("declined::import_external_memory", |cx| {
        let context = cx.context()?;
        let mut desc = ur_exp_external_mem_desc_t::default();
        let mut memory = null_mut();
        let code = ur!(urBindlessImagesImportExternalMemoryExp(
            context.get(),
            cx.device(),
            4096,
            UR_EXP_EXTERNAL_MEM_TYPE_OPAQUE_FD,
            &raw mut desc,
            &raw mut memory
        ));
        declined(cx, "urBindlessImagesImportExternalMemoryExp", code)
    });
    suite.device("declined::import_external_semaphore", |cx| {
        let context = cx.context()?;
        let mut desc = ur_exp_external_semaphore_desc_t::default();
        let mut semaphore = null_mut();
        let code = ur!(urBindlessImagesImportExternalSemaphoreExp(
            context.get(),
            cx.device(),
            UR_EXP_EXTERNAL_SEMAPHORE_TYPE_OPAQUE_FD,
            &raw mut desc,
            &raw mut semaphore
        ));
        declined(cx, "urBindlessImagesImportExternalSemaphoreExp", code)
    });
    for (width, height, element) in [(1, 1, 1), (100, 10, 4), (4096, 3, 16)] {
        suite.device(format!("pitched_alloc::{width}_by_{height}"), move |cx| {
            let (context, queue) = cx.queue(0)?;
            let (mut at, mut pitch) = (null_mut(), 0);
            let code = ur!(urUSMPitchedAllocExp(
                context.get(),
                cx.device(),
                null(),
                null_mut(),
                width,
                height,
                element,
                &raw mut at,
                &raw mut pitch
            ));
            if code == UR_RESULT_ERROR_UNSUPPORTED_FEATURE {
                return Err(Stop::Unsupported("urUSMPitchedAllocExp declines".into()));
            }
            check("urUSMPitchedAllocExp", UR_RESULT_SUCCESS, code)?;
            ensure!(pitch >= width, "a pitch of {pitch}");
            let usm = Usm::adopt(&context, at, pitch * height);
            queue.fill(usm.at, pitch * height, 0x19, &[])?.wait()?;
            let found = queue.fetch(usm.at, pitch * height)?;
            ensure!(found.iter().all(|b| *b == 0x19), "the bytes differ");
            usm.free()
        });
    }
    for (name, flag) in ADVICE {
        suite.device(format!("pitched_alloc::hints::{name}"), move |cx| {
            let context = cx.context()?;
            let desc = ur_usm_desc_t {
                hints: flag.0,
                ..Default::default()
            };
            pitched(cx, &context, &raw const desc, null_mut())
        });
    }
    suite.device("pitched_alloc::no_hints", |cx| {
        let context = cx.context()?;
        let desc = ur_usm_desc_t::default();
        pitched(cx, &context, &raw const desc, null_mut())
    });
    suite.device("pitched_alloc::of_a_pool", |cx| {
        cx.needs(UR_DEVICE_INFO_USM_POOL_SUPPORT)?;
        let context = cx.context()?;
        let pool = Pool::new(&context)?;
        pitched(cx, &context, null(), pool.get())
    });
    // What is asked of a device without them must be answered with no, or not at all.
    suite.device("queries::agree_with_the_device", |cx| {
        if cx.has(SUPPORT)? {
            return Ok(());
        }
        for query in [
            UR_DEVICE_INFO_BINDLESS_IMAGES_SHARED_USM_SUPPORT_EXP,
            UR_DEVICE_INFO_BINDLESS_IMAGES_1D_USM_SUPPORT_EXP,
            UR_DEVICE_INFO_BINDLESS_IMAGES_2D_USM_SUPPORT_EXP,
            UR_DEVICE_INFO_MIPMAP_SUPPORT_EXP,
            UR_DEVICE_INFO_MIPMAP_ANISOTROPY_SUPPORT_EXP,
            UR_DEVICE_INFO_CUBEMAP_SUPPORT_EXP,
            UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_1D_SUPPORT_EXP,
            UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_2D_SUPPORT_EXP,
            UR_DEVICE_INFO_BINDLESS_SAMPLED_IMAGE_FETCH_3D_SUPPORT_EXP,
            UR_DEVICE_INFO_BINDLESS_IMAGES_GATHER_SUPPORT_EXP,
        ] {
            ensure!(!cx.has(query)?, "{query} says yes without images");
        }
        Ok(())
    });
}

//! Pools that allocations come from.

use super::holds;
use crate::failure::Stop;
use crate::objects::{Context, Counted, Pool, Usm, UsmKind};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, same, ur};
use std::ffi::c_void;
use ur_api::*;

fn with(context: &Context, flags: u32, next: *const c_void) -> Result<Pool, Stop> {
    let mut desc = ur_usm_pool_desc_t {
        flags,
        pNext: next,
        ..Default::default()
    };
    Pool::made("urUSMPoolCreate", |out| {
        ur!(urUSMPoolCreate(context.get(), &raw mut desc, out))
    })
}

fn new(cx: &Cx) -> Result<(Context, Pool), Stop> {
    cx.needs(UR_DEVICE_INFO_USM_POOL_SUPPORT)?;
    let context = cx.context()?;
    let pool = Pool::new(&context)?;
    Ok((context, pool))
}

fn allocate(cx: &Cx, kind: UsmKind, size: usize) -> Outcome {
    let (context, pool) = new(cx)?;
    kind.needed(cx)?;
    let mut usm = Usm::with(cx, &context, kind, None, pool.get(), size)?;
    holds(cx, &context, &mut usm, kind)?;
    let own: ur_usm_pool_handle_t = usm.info(UR_USM_ALLOC_INFO_POOL)?;
    same!("the pool", own, pool.get());
    let found: ur_usm_type_t = usm.info(UR_USM_ALLOC_INFO_TYPE)?;
    same!("the type", found, kind.answer());
    usm.free()
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    suite.device("create::counts_one", |cx| {
        let (context, pool) = new(cx)?;
        same!("the count", pool.count()?, 1);
        let own: ur_context_handle_t = pool.info(UR_USM_POOL_INFO_CONTEXT)?;
        same!("the context", own, context.get());
        Ok(())
    });
    for (name, flag) in [
        (
            "use_native_memory_pool",
            UR_USM_POOL_FLAG_USE_NATIVE_MEMORY_POOL_EXP,
        ),
        ("read_only", UR_USM_POOL_FLAG_READ_ONLY_EXP),
    ] {
        suite.device(format!("create::{name}"), move |cx| {
            cx.needs(UR_DEVICE_INFO_USM_POOL_SUPPORT)?;
            cx.needs(UR_DEVICE_INFO_ASYNC_USM_ALLOCATIONS_SUPPORT_EXP)?;
            let context = cx.context()?;
            let pool = with(&context, flag.0, std::ptr::null())?;
            let kind = UsmKind::Device;
            let usm = Usm::with(cx, &context, kind, None, pool.get(), 4096)?;
            let own: ur_usm_pool_handle_t = usm.info(UR_USM_ALLOC_INFO_POOL)?;
            same!("the pool", own, pool.get());
            usm.free()
        });
    }
    suite.device("create::with_limits", |cx| {
        cx.needs(UR_DEVICE_INFO_USM_POOL_SUPPORT)?;
        let context = cx.context()?;
        let limits = ur_usm_pool_limits_desc_t {
            maxPoolableSize: 1 << 16,
            minDriverAllocSize: 1 << 12,
            ..Default::default()
        };
        let pool = with(&context, 0, (&raw const limits).cast())?;
        for size in [100, 1 << 16, 1 << 20] {
            let kind = UsmKind::Device;
            let mut usm = Usm::with(cx, &context, kind, None, pool.get(), size)?;
            holds(cx, &context, &mut usm, kind)?;
        }
        Ok(())
    });
    for kind in [UsmKind::Host, UsmKind::Shared] {
        let name = format!("create::zero_initialize_block::{}", kind.name());
        suite.device(name, move |cx| {
            cx.needs(UR_DEVICE_INFO_USM_POOL_SUPPORT)?;
            kind.needed(cx)?;
            let context = cx.context()?;
            let pool = with(
                &context,
                UR_USM_POOL_FLAG_ZERO_INITIALIZE_BLOCK.0,
                std::ptr::null(),
            )?;
            let mut usm = Usm::with(cx, &context, kind, None, pool.get(), 4096)?;
            ensure!(usm.bytes().iter().all(|b| *b == 0), "it is not all zeros");
            Ok(())
        });
    }
    for kind in UsmKind::ALL {
        for size in [1, 100, 4096, 1 << 20] {
            suite.device(format!("{}_alloc::{size}_bytes", kind.name()), move |cx| {
                allocate(cx, kind, size)
            });
        }
        suite.device(format!("{}_alloc::used_again", kind.name()), move |cx| {
            let (context, pool) = new(cx)?;
            kind.needed(cx)?;
            for round in 0..100 {
                let size = 1 + round * 97 % 5000;
                let mut usm = Usm::with(cx, &context, kind, None, pool.get(), size)?;
                if kind != UsmKind::Device {
                    usm.bytes().fill(round as u8);
                }
                usm.free()?;
            }
            Ok(())
        });
    }
    for times in [1, 2, 100] {
        suite.device(format!("retain::{times}_times"), move |cx| {
            let (_context, pool) = new(cx)?;
            let mut more = Vec::new();
            for count in 2..times + 2 {
                more.push(pool.retain()?);
                same!("the count", pool.count()?, count);
            }
            while let Some(one) = more.pop() {
                one.release()?;
                same!("the count", pool.count()? as usize, more.len() + 1);
            }
            Ok(())
        });
    }
    suite.device("two::apart", |cx| {
        let (context, one) = new(cx)?;
        let two = Pool::new(&context)?;
        let kind = UsmKind::Device;
        let first = Usm::with(cx, &context, kind, None, one.get(), 64)?;
        let second = Usm::with(cx, &context, kind, None, two.get(), 64)?;
        let own: ur_usm_pool_handle_t = first.info(UR_USM_ALLOC_INFO_POOL)?;
        same!("the first one's pool", own, one.get());
        let own: ur_usm_pool_handle_t = second.info(UR_USM_ALLOC_INFO_POOL)?;
        same!("the second one's pool", own, two.get());
        Ok(())
    });
}

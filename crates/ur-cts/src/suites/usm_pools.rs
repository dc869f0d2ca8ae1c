//! Pools for enqueued allocations, and the pools of devices.

use crate::failure::{Stop, check};
use crate::objects::{Context, Counted, Pool, Usm, UsmKind};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure, ok, same, ur};
use std::ptr::null_mut;
use ur_api::*;

fn create(cx: &Cx, flags: u32) -> Result<(Pool, Context), Stop> {
    cx.needs(UR_DEVICE_INFO_ASYNC_USM_ALLOCATIONS_SUPPORT_EXP)?;
    let context = cx.context()?;
    let mut desc = ur_usm_pool_desc_t {
        flags,
        ..Default::default()
    };
    let pool = Pool::made("urUSMPoolCreateExp", |out| {
        ur!(urUSMPoolCreateExp(
            context.get(),
            cx.device(),
            &raw mut desc,
            out
        ))
    })?;
    Ok((pool, context))
}

fn destroy(cx: &Cx, context: &Context, pool: Pool) -> Outcome {
    let handle = pool.get();
    std::mem::forget(pool);
    ok!(urUSMPoolDestroyExp(context.get(), cx.device(), handle))?;
    Ok(())
}

fn number(pool: ur_usm_pool_handle_t, query: ur_usm_pool_info_t) -> Result<usize, Stop> {
    let (mut value, mut size) = (usize::MAX, 0);
    let code = ur!(urUSMPoolGetInfoExp(
        pool,
        query,
        (&raw mut value).cast(),
        &raw mut size
    ));
    if code == UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION {
        return Err(Stop::Unsupported(format!("{query} is declined")));
    }
    check("urUSMPoolGetInfoExp", UR_RESULT_SUCCESS, code)?;
    same!("the size of the answer", size, size_of::<usize>());
    Ok(value)
}

const NUMBERS: [ur_usm_pool_info_t; 6] = [
    UR_USM_POOL_INFO_RELEASE_THRESHOLD_EXP,
    UR_USM_POOL_INFO_MAXIMUM_SIZE_EXP,
    UR_USM_POOL_INFO_RESERVED_CURRENT_EXP,
    UR_USM_POOL_INFO_RESERVED_HIGH_EXP,
    UR_USM_POOL_INFO_USED_CURRENT_EXP,
    UR_USM_POOL_INFO_USED_HIGH_EXP,
];

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for (name, flags) in [
        ("no_flags", 0),
        (
            "zero_initialize_block",
            UR_USM_POOL_FLAG_ZERO_INITIALIZE_BLOCK.0,
        ),
        (
            "use_native_memory_pool",
            UR_USM_POOL_FLAG_USE_NATIVE_MEMORY_POOL_EXP.0,
        ),
        ("read_only", UR_USM_POOL_FLAG_READ_ONLY_EXP.0),
    ] {
        suite.device(format!("create::{name}"), move |cx| {
            let (pool, context) = create(cx, flags)?;
            same!("the count", pool.count()?, 1);
            let own: ur_context_handle_t = pool.info(UR_USM_POOL_INFO_CONTEXT)?;
            same!("the context", own, context.get());
            let kind = UsmKind::Device;
            let usm = Usm::with(cx, &context, kind, None, pool.get(), 64)?;
            let told: ur_usm_pool_handle_t = usm.info(UR_USM_ALLOC_INFO_POOL)?;
            same!("the pool", told, pool.get());
            usm.free()?;
            destroy(cx, &context, pool)
        });
    }
    for query in NUMBERS {
        let name = query.to_string().to_lowercase();
        let name = name.replace("ur_usm_pool_info_", "").replace("_exp", "");
        suite.device(format!("get_info::{name}"), move |cx| {
            let (pool, context) = create(cx, 0)?;
            let first = number(pool.get(), query)?;
            same!("asked again", number(pool.get(), query)?, first);
            let mut size = 0;
            ok!(urUSMPoolGetInfoExp(
                pool.get(),
                query,
                null_mut(),
                &raw mut size
            ))?;
            same!("the size alone", size, size_of::<usize>());
            destroy(cx, &context, pool)
        });
    }
    suite.device("get_info::used_grows_and_shrinks", |cx| {
        let (pool, context) = create(cx, 0)?;
        let used = || number(pool.get(), UR_USM_POOL_INFO_USED_CURRENT_EXP);
        let before = used()?;
        let kind = UsmKind::Device;
        let usm = Usm::with(cx, &context, kind, None, pool.get(), 100_000)?;
        ensure!(used()? >= before + 100_000, "{before} and {}", used()?);
        let high = number(pool.get(), UR_USM_POOL_INFO_USED_HIGH_EXP)?;
        ensure!(high >= 100_000, "the most was {high}");
        let reserved = number(pool.get(), UR_USM_POOL_INFO_RESERVED_CURRENT_EXP)?;
        ensure!(reserved >= 100_000, "{reserved} bytes hold 100000");
        usm.free()?;
        same!("used behind", used()?, before);
        Ok(())
    });
    // What a pool has found out, or was made with, is not for the program to set.
    for query in NUMBERS[2..]
        .iter()
        .copied()
        .chain([UR_USM_POOL_INFO_CONTEXT, UR_USM_POOL_INFO_REFERENCE_COUNT])
    {
        let name = query.to_string().to_lowercase();
        let name = name.replace("ur_usm_pool_info_", "").replace("_exp", "");
        suite.device(format!("set_info::refused::{name}"), move |cx| {
            let (pool, context) = create(cx, 0)?;
            let mut value = 1usize << 20;
            let code = ur!(urUSMPoolSetInfoExp(
                pool.get(),
                query,
                (&raw mut value).cast(),
                size_of::<usize>()
            ));
            let marks = [
                UR_USM_POOL_INFO_RESERVED_HIGH_EXP,
                UR_USM_POOL_INFO_USED_HIGH_EXP,
            ];
            let no = [
                UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
            ];
            // The marks may be set to 0, so that they are taken anew, but hardly to this.
            let value = [UR_RESULT_SUCCESS, UR_RESULT_ERROR_INVALID_VALUE];
            if !(marks.contains(&query) && value.contains(&code)) {
                check("urUSMPoolSetInfoExp", no, code)?;
            }
            same!("the count", pool.count()?, 1);
            let own: ur_context_handle_t = pool.info(UR_USM_POOL_INFO_CONTEXT)?;
            same!("the context", own, context.get());
            destroy(cx, &context, pool)
        });
    }
    for (mark, now) in [
        (
            UR_USM_POOL_INFO_RESERVED_HIGH_EXP,
            UR_USM_POOL_INFO_RESERVED_CURRENT_EXP,
        ),
        (
            UR_USM_POOL_INFO_USED_HIGH_EXP,
            UR_USM_POOL_INFO_USED_CURRENT_EXP,
        ),
    ] {
        let name = mark.to_string().to_lowercase();
        let name = name.replace("ur_usm_pool_info_", "").replace("_exp", "");
        suite.device(format!("set_info::{name}_anew"), move |cx| {
            let (pool, context) = create(cx, 0)?;
            let kind = UsmKind::Device;
            Usm::with(cx, &context, kind, None, pool.get(), 1 << 20)?.free()?;
            ensure!(number(pool.get(), mark)? >= 1 << 20, "nothing was noted");
            let mut zero = 0usize;
            let code = ur!(urUSMPoolSetInfoExp(
                pool.get(),
                mark,
                (&raw mut zero).cast(),
                size_of::<usize>()
            ));
            let no = [
                UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
            ];
            if no.contains(&code) {
                return Err(Stop::Unsupported("the mark cannot be set".into()));
            }
            check("urUSMPoolSetInfoExp", UR_RESULT_SUCCESS, code)?;
            same!(
                "the mark",
                number(pool.get(), mark)?,
                number(pool.get(), now)?
            );
            destroy(cx, &context, pool)
        });
    }
    suite.device("get_info::context_and_count", |cx| {
        let (pool, context) = create(cx, 0)?;
        let mut own: ur_context_handle_t = null_mut();
        let code = ur!(urUSMPoolGetInfoExp(
            pool.get(),
            UR_USM_POOL_INFO_CONTEXT,
            (&raw mut own).cast(),
            null_mut()
        ));
        // It may be left to urUSMPoolGetInfo.
        let either = [UR_RESULT_SUCCESS, UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION];
        check("urUSMPoolGetInfoExp", either, code)?;
        if code == UR_RESULT_SUCCESS {
            same!("the context", own, context.get());
        }
        let mut count = 0u32;
        let code = ur!(urUSMPoolGetInfoExp(
            pool.get(),
            UR_USM_POOL_INFO_REFERENCE_COUNT,
            (&raw mut count).cast(),
            null_mut()
        ));
        check("urUSMPoolGetInfoExp", either, code)?;
        if code == UR_RESULT_SUCCESS {
            same!("the count", count, 1);
        }
        destroy(cx, &context, pool)
    });
    suite.device("set_info::maximum_size", |cx| {
        let (pool, context) = create(cx, 0)?;
        let query = UR_USM_POOL_INFO_MAXIMUM_SIZE_EXP;
        let mut value = 1usize << 30;
        let code = ur!(urUSMPoolSetInfoExp(
            pool.get(),
            query,
            (&raw mut value).cast(),
            size_of::<usize>()
        ));
        if code == UR_RESULT_SUCCESS {
            same!("the most", number(pool.get(), query)?, value);
            return destroy(cx, &context, pool);
        }
        let no = [
            UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
            UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
        ];
        check("urUSMPoolSetInfoExp", no, code)?;
        destroy(cx, &context, pool)
    });
    for value in [0usize, 1 << 16, 1 << 24] {
        suite.device(
            format!("set_info::release_threshold_of_{value}"),
            move |cx| {
                let (pool, _context) = create(cx, 0)?;
                let query = UR_USM_POOL_INFO_RELEASE_THRESHOLD_EXP;
                let mut wanted = value;
                let code = ur!(urUSMPoolSetInfoExp(
                    pool.get(),
                    query,
                    (&raw mut wanted).cast(),
                    size_of::<usize>()
                ));
                if code == UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION {
                    return Err(Stop::Unsupported("a threshold cannot be set".into()));
                }
                check("urUSMPoolSetInfoExp", UR_RESULT_SUCCESS, code)?;
                same!("the threshold", number(pool.get(), query)?, value);
                Ok(())
            },
        );
    }
    for keep in [0usize, 4096, 1 << 30] {
        suite.device(format!("trim_to::{keep}_bytes"), move |cx| {
            let (pool, context) = create(cx, 0)?;
            let kind = UsmKind::Device;
            let kept = Usm::with(cx, &context, kind, None, pool.get(), 1000)?;
            Usm::with(cx, &context, kind, None, pool.get(), 1 << 20)?.free()?;
            ok!(urUSMPoolTrimToExp(
                context.get(),
                cx.device(),
                pool.get(),
                keep
            ))?;
            let queue = crate::objects::Queue::new(&context, cx.device(), 0)?;
            queue.put(kept.at, &[5; 1000])?;
            same!("what is in use", queue.fetch(kept.at, 1000)?, [5; 1000]);
            let reserved = number(pool.get(), UR_USM_POOL_INFO_RESERVED_CURRENT_EXP)?;
            ensure!(reserved >= 1000, "{reserved} bytes hold 1000");
            Ok(())
        });
    }
    suite.device("device_pool::default_is_current_at_first", |cx| {
        cx.needs(UR_DEVICE_INFO_ASYNC_USM_ALLOCATIONS_SUPPORT_EXP)?;
        let context = cx.context()?;
        let (default, current) = (default(cx, &context)?, current(cx, &context)?);
        same!("the pool", current, default);
        same!("asked again", self::default(cx, &context)?, default);
        Ok(())
    });
    suite.device("device_pool::set_and_back", |cx| {
        let (pool, context) = create(cx, 0)?;
        let begun = current(cx, &context)?;
        ok!(urUSMPoolSetDevicePoolExp(
            context.get(),
            cx.device(),
            pool.get()
        ))?;
        same!("the pool", current(cx, &context)?, pool.get());
        ensure!(
            default(cx, &context)? != pool.get(),
            "it became the default"
        );
        ok!(urUSMPoolSetDevicePoolExp(context.get(), cx.device(), begun))?;
        same!("the pool", current(cx, &context)?, begun);
        Ok(())
    });
    suite.device("device_pool::allocates_from_it", |cx| {
        let (pool, context) = create(cx, 0)?;
        ok!(urUSMPoolSetDevicePoolExp(
            context.get(),
            cx.device(),
            pool.get()
        ))?;
        let queue = crate::objects::Queue::new(&context, cx.device(), 0)?;
        let mut at = null_mut();
        ok!(urEnqueueUSMDeviceAllocExp(
            queue.get(),
            null_mut(),
            1000,
            std::ptr::null(),
            0,
            std::ptr::null(),
            &raw mut at,
            null_mut()
        ))?;
        queue.finish()?;
        let usm = Usm::adopt(&context, at, 1000);
        let told: ur_usm_pool_handle_t = usm.info(UR_USM_ALLOC_INFO_POOL)?;
        same!("the pool", told, pool.get());
        usm.free()
    });
    suite.device("destroy::of_another_context", |cx| {
        let (pool, _context) = create(cx, 0)?;
        let other = cx.context()?;
        let code = ur!(urUSMPoolDestroyExp(other.get(), cx.device(), pool.get()));
        ensure!(code != UR_RESULT_SUCCESS, "a pool of another context");
        same!("the count", pool.count()?, 1);
        Ok(())
    });
}

fn default(cx: &Cx, context: &Context) -> Result<ur_usm_pool_handle_t, Stop> {
    let mut pool = null_mut();
    ok!(urUSMPoolGetDefaultDevicePoolExp(
        context.get(),
        cx.device(),
        &raw mut pool
    ))?;
    ensure!(!pool.is_null(), "there is no pool");
    Ok(pool)
}

fn current(cx: &Cx, context: &Context) -> Result<ur_usm_pool_handle_t, Stop> {
    let mut pool = null_mut();
    ok!(urUSMPoolGetDevicePoolExp(
        context.get(),
        cx.device(),
        &raw mut pool
    ))?;
    ensure!(!pool.is_null(), "there is no pool");
    Ok(pool)
}

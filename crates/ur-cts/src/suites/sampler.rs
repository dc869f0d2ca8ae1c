//! Samplers: every kind, what they say of themselves, and their count.

use crate::failure::check;
use crate::objects::{Counted, Sampler};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, refused, same, ur};
use ur_api::*;

const ADDRESSING: [(&str, ur_sampler_addressing_mode_t); 5] = [
    ("none", UR_SAMPLER_ADDRESSING_MODE_NONE),
    ("clamp_to_edge", UR_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE),
    ("clamp", UR_SAMPLER_ADDRESSING_MODE_CLAMP),
    ("repeat", UR_SAMPLER_ADDRESSING_MODE_REPEAT),
    (
        "mirrored_repeat",
        UR_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT,
    ),
];

const FILTERS: [(&str, ur_sampler_filter_mode_t); 2] = [
    ("nearest", UR_SAMPLER_FILTER_MODE_NEAREST),
    ("linear", UR_SAMPLER_FILTER_MODE_LINEAR),
];

pub(crate) fn tests(suite: &mut Suite<'_>) {
    for (addressing, addressing_mode) in ADDRESSING {
        for (filter, filter_mode) in FILTERS {
            for (coordinates, normalized) in [("normalized", true), ("texels", false)] {
                // Coordinates that repeat only mean something when they are normalized.
                let repeats = addressing.ends_with("repeat");
                if repeats && !normalized {
                    continue;
                }
                let desc = move || ur_sampler_desc_t {
                    normalizedCoords: normalized,
                    addressingMode: addressing_mode,
                    filterMode: filter_mode,
                    ..Default::default()
                };
                let name = format!("create::{addressing}::{filter}::{coordinates}");
                suite.device(name, move |cx| described(cx, &desc()));
            }
        }
    }
    suite.device("retain::counts", |cx| {
        let (_context, sampler) = sampler(cx)?;
        same!("count", sampler.count()?, 1);
        let second = sampler.retain()?;
        same!("count after retain", sampler.count()?, 2);
        let third = second.retain()?;
        same!("count after retain", sampler.count()?, 3);
        third.release()?;
        second.release()?;
        same!("count after release", sampler.count()?, 1);
        Ok(())
    });
    suite.device("retain::outlives_the_first_owner", |cx| {
        let (_context, sampler) = sampler(cx)?;
        let second = sampler.retain()?;
        sampler.release()?;
        same!("count", second.count()?, 1);
        let mode: ur_sampler_filter_mode_t = second.info(UR_SAMPLER_INFO_FILTER_MODE)?;
        same!("filter", mode, UR_SAMPLER_FILTER_MODE_LINEAR);
        Ok(())
    });
    suite.device("release::keeps_its_context", |cx| {
        let (context, sampler) = sampler(cx)?;
        let handle = context.get();
        context.release()?;
        let found: ur_context_handle_t = sampler.info(UR_SAMPLER_INFO_CONTEXT)?;
        same!("context", found, handle);
        Ok(())
    });
    suite.device("two_of_a_kind", |cx| {
        let (context, first) = sampler(cx)?;
        let second = Sampler::new(&context, &usual())?;
        drop(first);
        same!("count", second.count()?, 1);
        Ok(())
    });
    suite.device("native_handle::there_and_back", |cx| {
        let (context, sampler) = sampler(cx)?;
        let mut native = 0;
        let got = check(
            "urSamplerGetNativeHandle",
            UR_RESULT_SUCCESS,
            ur!(urSamplerGetNativeHandle(sampler.get(), &raw mut native)),
        );
        if got.is_err() {
            // Who has no handles makes nothing of them either.
            let mut none = std::ptr::null_mut();
            refused!(
                UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
                urSamplerCreateWithNativeHandle(1, context.get(), std::ptr::null(), &raw mut none)
            )?;
        }
        got?;
        same!("count after", sampler.count()?, 1);
        let properties = ur_sampler_native_properties_t {
            isNativeHandleOwned: false,
            ..Default::default()
        };
        let other = Sampler::made("urSamplerCreateWithNativeHandle", |out| {
            let properties = &raw const properties;
            ur!(urSamplerCreateWithNativeHandle(
                native,
                context.get(),
                properties,
                out
            ))
        })?;
        let mode: ur_sampler_filter_mode_t = other.info(UR_SAMPLER_INFO_FILTER_MODE)?;
        same!("filter", mode, UR_SAMPLER_FILTER_MODE_LINEAR);
        Ok(())
    });
    for (name, addressing, filter) in [("addressing", 5, 0), ("filter", 0, 2)] {
        let mut suite = suite.validated();
        suite.device(format!("errors::unknown_{name}"), move |cx| {
            let context = cx.context()?;
            let desc = ur_sampler_desc_t {
                addressingMode: ur_sampler_addressing_mode_t(addressing),
                filterMode: ur_sampler_filter_mode_t(filter),
                ..Default::default()
            };
            let mut handle = std::ptr::null_mut();
            let code = ur!(urSamplerCreate(
                context.get(),
                &raw const desc,
                &raw mut handle
            ));
            check("urSamplerCreate", UR_RESULT_ERROR_INVALID_ENUMERATION, code)?;
            Ok(())
        });
    }
}

fn usual() -> ur_sampler_desc_t {
    ur_sampler_desc_t {
        normalizedCoords: true,
        addressingMode: UR_SAMPLER_ADDRESSING_MODE_CLAMP,
        filterMode: UR_SAMPLER_FILTER_MODE_LINEAR,
        ..Default::default()
    }
}

#[track_caller]
fn sampler(cx: &Cx) -> Result<(crate::objects::Context, Sampler), crate::Stop> {
    cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
    let context = cx.context()?;
    let sampler = Sampler::new(&context, &usual())?;
    Ok((context, sampler))
}

fn described(cx: &Cx, desc: &ur_sampler_desc_t) -> Outcome {
    cx.needs(UR_DEVICE_INFO_IMAGE_SUPPORT)?;
    let context = cx.context()?;
    let sampler = Sampler::new(&context, desc)?;
    let mode: ur_sampler_addressing_mode_t = sampler.info(UR_SAMPLER_INFO_ADDRESSING_MODE)?;
    same!("addressing", mode, desc.addressingMode);
    let filter: ur_sampler_filter_mode_t = sampler.info(UR_SAMPLER_INFO_FILTER_MODE)?;
    same!("filter", filter, desc.filterMode);
    let normalized: ur_bool_t = sampler.info(UR_SAMPLER_INFO_NORMALIZED_COORDS)?;
    same!("normalized", normalized != 0, desc.normalizedCoords);
    let found: ur_context_handle_t = sampler.info(UR_SAMPLER_INFO_CONTEXT)?;
    same!("context", found, context.get());
    same!("count", sampler.count()?, 1);
    Ok(())
}

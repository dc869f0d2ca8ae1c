//! Ranges of launches that are recorded without arguments.

use super::stage::{Kind, Links, Stage, append, finalize, recorded, run};
use crate::failure::{Stop, check};
use crate::objects::{CommandBuffer, Range, or_null};
use crate::test::Suite;
use crate::world::Cx;
use crate::{Outcome, ensure};
use std::ptr::null_mut;
use ur_api::*;

const CALL: &str = "urCommandBufferAppendKernelLaunchExp";

fn append(stage: &Stage, buffer: &CommandBuffer, range: Range<'_>) -> ur_result_t {
    let kernel = stage.kernel.as_ref().expect("a stage for launches");
    append!(
        urCommandBufferAppendKernelLaunchExp(
            buffer.get(),
            kernel.get(),
            range.global.len() as u32,
            or_null(range.offset),
            range.global.as_ptr(),
            or_null(range.local),
            0,
            null_mut(),
        ),
        Links::NONE
    )
}

/// A launch with this range is taken, and what holds it runs to its end.
fn taken(cx: &Cx, range: Range<'_>) -> Outcome {
    let stage = Stage::new(cx, Kind::KernelLaunch)?;
    let buffer = stage.buffer()?;
    recorded(CALL, append(&stage, &buffer, range))?;
    finalize(&buffer)?;
    run(&stage.queue, &buffer)
}

/// A launch with this range is refused, and what would have held it is of use without it.
fn refused(cx: &Cx, range: Range<'_>, codes: &[ur_result_t]) -> Outcome {
    let stage = Stage::new(cx, Kind::KernelLaunch)?;
    let buffer = stage.buffer()?;
    check(CALL, codes, append(&stage, &buffer, range))?;
    finalize(&buffer)?;
    run(&stage.queue, &buffer)
}

pub(super) fn tests(suite: &mut Suite<'_>) {
    for dims in 1..=3 {
        suite.device(format!("{dims}_dimensions::offset"), move |cx| {
            taken(
                cx,
                Range {
                    offset: &[3, 5, 7][..dims],
                    ..Range::from(&[4, 2, 2][..dims])
                },
            )
        });
        suite.device(format!("{dims}_dimensions::local_size"), move |cx| {
            taken(
                cx,
                Range {
                    local: &[2, 2, 1][..dims],
                    ..Range::from(&[4, 2, 2][..dims])
                },
            )
        });
    }
    for dims in [0, 4] {
        suite.device(format!("errors::{dims}_dimensions"), move |cx| {
            let range = Range::from(&[1; 4][..dims]);
            refused(cx, range, &[UR_RESULT_ERROR_INVALID_WORK_DIMENSION])
        });
    }
    suite.device("errors::work_group_larger_than_the_device_has", |cx| {
        let most = cx.device_info::<usize>(UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE)?;
        let Some(size) = most.and_then(|most| most.checked_mul(2)) else {
            return Err(Stop::Unsupported("there is no largest".into()));
        };
        ensure!(size > 0, "no work-item in a work-group");
        let sizes = [size];
        let range = Range {
            local: &sizes,
            ..Range::from(&sizes[..])
        };
        refused(
            cx,
            range,
            &[
                UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE,
                UR_RESULT_ERROR_INVALID_WORK_ITEM_SIZE,
            ],
        )
    });
}

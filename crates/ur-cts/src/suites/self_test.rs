//! Tests of the runner, there only if `UR_CTS_SELF_TEST` is set: each ends in a way of its own.

use crate::failure::Stop;
use crate::objects::problem;
use crate::test::Suite;
use crate::{ensure, ok, refused};
use std::time::Duration;

pub(crate) fn tests(suite: &mut Suite<'_>) {
    if std::env::var_os("UR_CTS_SELF_TEST").is_none() {
        return;
    }
    suite.global("ends::passes", |_| Ok(()));
    suite.global("ends::unsupported", |_| {
        Err(Stop::Unsupported("there is none".into()))
    });
    suite.global("ends::fails", |_| {
        ensure!(1 + 1 == 3, "sums are {}", "wrong");
        Ok(())
    });
    suite.global("ends::panics", |_| panic!("a panic"));
    suite.global("ends::crashes", |_| {
        println!("said before the end");
        std::process::abort();
    });
    suite.global("ends::exits", |_| std::process::exit(0));
    suite.global("ends::hangs", |_| {
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    suite.global("ends::leaves_a_problem", |_| {
        problem("a release failed".into());
        Ok(())
    });
    suite.global("ends::passes_after_all", |_| Ok(()));
    suite.device("counted::a_test_that_passes", |cx| {
        let _made = cx.queue(0)?;
        refused!(
            ur_api::UR_RESULT_ERROR_INVALID_NULL_HANDLE,
            urQueueFlush(std::ptr::null_mut())
        )?;
        Ok(())
    });
    suite.device("judged::a_wrong_result", |cx| {
        let (context, queue) = cx.queue(0)?;
        // What the API says is an error must not pass as success.
        ok!(urQueueRetain(std::ptr::null_mut()))?;
        drop((queue, context));
        Ok(())
    });
    suite.device("judged::a_mandatory_function_cannot_decline", |_| {
        crate::failure::check(
            "urQueueFinish",
            ur_api::UR_RESULT_SUCCESS,
            ur_api::UR_RESULT_ERROR_UNSUPPORTED_FEATURE,
        )?;
        Ok(())
    });
}

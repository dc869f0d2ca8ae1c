//! Contexts.
use crate::objects::Counted;
use crate::same;
use crate::test::Suite;

pub(crate) fn tests(suite: &mut Suite<'_>) {
    suite.device("create::counts_one", |cx| {
        let context = cx.context()?;
        same!("count", context.count()?, 1);
        Ok(())
    });
}

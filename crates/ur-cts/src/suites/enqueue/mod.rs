//! The functions of `urEnqueue…`, a file for each or for those that are alike.

mod async_alloc;
pub(crate) mod buffers;
pub(crate) mod bytes;
pub(crate) mod command;
pub(crate) mod common;
mod events;
mod host_task;
mod images;
mod mem_buffer_copy;
mod mem_buffer_fill;
mod mem_buffer_map;
mod mem_buffer_read;
mod mem_buffer_rect;
mod mem_buffer_write;
pub(crate) mod memories;
mod native_command;
mod pipes;
mod rect;
mod timestamp;
mod usm_2d;
mod usm_fill;
pub(crate) mod usm_hints;
mod usm_memcpy;
pub(crate) mod variables;

use crate::test::Suite;

pub(crate) fn tests(suite: &mut Suite<'_>) {
    mem_buffer_read::tests(&mut suite.part("mem_buffer_read"));
    mem_buffer_write::tests(&mut suite.part("mem_buffer_write"));
    mem_buffer_copy::tests(&mut suite.part("mem_buffer_copy"));
    mem_buffer_fill::tests(&mut suite.part("mem_buffer_fill"));
    mem_buffer_map::tests(suite);
    mem_buffer_rect::tests(suite);
    images::tests(suite);
    usm_memcpy::tests(&mut suite.part("usm_memcpy"));
    usm_fill::tests(&mut suite.part("usm_fill"));
    usm_2d::tests(suite);
    usm_hints::tests(suite);
    async_alloc::tests(suite);
    events::tests(suite);
    variables::tests(suite);
    pipes::tests(suite);
    timestamp::tests(&mut suite.part("timestamp_recording"));
    native_command::tests(&mut suite.part("native_command"));
    host_task::tests(&mut suite.part("host_task"));
}

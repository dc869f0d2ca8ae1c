//! The entry points of graphs.

use super::{ExecutableGraph, Graph, invalid};
use crate::NativeCpu;
use crate::context::Context;
use crate::queue::Queue;
use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use ur_adapter::{Error, GraphExpFns, Handle, Object, QueueExpFns, Result};
use ur_api::*;

/// A handle that the program gets without owning it (once more).
fn lend(graph: Handle<Graph>) -> Handle<Graph> {
    // SAFETY: the program or the capturing queue holds a reference; the one made here ends with
    // `graph`, and that one is passed out without ever being dropped.
    unsafe { Handle::from_owned(&graph) }
}

impl QueueExpFns for NativeCpu {
    fn queue_begin_graph_capture_exp(queue: &Object<Queue>) -> Result {
        queue
            .capturing()
            .begin(Graph::create(queue.context())?, false)
    }

    fn queue_begin_capture_into_graph_exp(queue: &Object<Queue>, graph: &Object<Graph>) -> Result {
        if !graph.context.is(queue.context()) {
            return Err(invalid("the graph is of another context"));
        }
        queue.capturing().begin(graph.handle(), true)
    }

    fn queue_end_graph_capture_exp(queue: &Object<Queue>) -> Result<Handle<Graph>> {
        let (graph, owned) = queue.capturing().end()?;
        Ok(if owned { lend(graph) } else { graph })
    }

    fn queue_is_graph_capture_enabled_exp(queue: &Object<Queue>) -> Result<bool> {
        Ok(queue.capturing().is_active())
    }

    fn queue_get_graph_exp(queue: &Object<Queue>) -> Result<Handle<Graph>> {
        queue.capturing().graph().map(lend)
    }
}

impl GraphExpFns for NativeCpu {
    fn graph_create_exp(context: &Object<Context>) -> Result<Handle<Graph>> {
        Graph::create(context)
    }

    fn graph_instantiate_graph_exp(graph: &Object<Graph>) -> Result<Handle<ExecutableGraph>> {
        graph.instantiate()
    }

    fn graph_is_empty_exp(graph: &Object<Graph>) -> Result<bool> {
        Ok(graph.is_empty())
    }

    fn graph_get_id_exp(graph: &Object<Graph>) -> Result<u64> {
        Ok(graph.id())
    }

    unsafe fn graph_set_destruction_callback_exp(
        graph: &Object<Graph>,
        callback: ur_exp_graph_destruction_callback_t,
        user_data: *mut c_void,
    ) -> Result {
        let function = callback.ok_or_else(|| Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER))?;
        graph.on_destruction(function, user_data);
        Ok(())
    }

    fn graph_dump_contents_exp(graph: &Object<Graph>, file_path: &CStr) -> Result {
        let path = OsStr::from_bytes(file_path.to_bytes());
        std::fs::write(path, graph.describe()).map_err(|error| {
            Error::value(format!("{}: {error}", path.display()))
                .with_native(error.raw_os_error().unwrap_or(0))
        })
    }
}

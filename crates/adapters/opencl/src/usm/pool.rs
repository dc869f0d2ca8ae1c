//! Pools of USM.

use crate::context::Context;
use ur_adapter::Handle;

/// What a pool handle names.
#[derive(Debug)]
pub struct UsmPool {
    context: Handle<Context>,
}

impl UsmPool {
    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }
}

//! Enqueueing of commands.

use crate::OpenCl;
use ur_adapter::{EnqueueExpFns, EnqueueFns};

impl EnqueueFns for OpenCl {}
impl EnqueueExpFns for OpenCl {}

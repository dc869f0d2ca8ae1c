//! Tables of which the mock supports nothing by itself; callbacks can still stand in for them.

use crate::Mock;
use ur_adapter::{
    BindlessImagesExpFns, CommandBufferExpFns, DeviceExpFns, EventExpFns, GraphExpFns, IpcExpFns,
    MemoryExportExpFns, PhysicalMemFns, ProgramExpFns, QueueExpFns, UsmExpFns, UsmP2PExpFns,
    VirtualMemFns,
};

impl BindlessImagesExpFns for Mock {}
impl CommandBufferExpFns for Mock {}
impl DeviceExpFns for Mock {}
impl EventExpFns for Mock {}
impl GraphExpFns for Mock {}
impl IpcExpFns for Mock {}
impl MemoryExportExpFns for Mock {}
impl PhysicalMemFns for Mock {}
impl ProgramExpFns for Mock {}
impl QueueExpFns for Mock {}
impl UsmExpFns for Mock {}
impl UsmP2PExpFns for Mock {}
impl VirtualMemFns for Mock {}

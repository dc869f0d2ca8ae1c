//! Tables of the API of which OpenCL has nothing: every call answers `UNSUPPORTED_FEATURE`, as the
//! device's info says.

use crate::OpenCl;
use ur_adapter::*;

impl BindlessImagesExpFns for OpenCl {}
impl GraphExpFns for OpenCl {}
impl IpcExpFns for OpenCl {}
impl MemoryExportExpFns for OpenCl {}
impl PhysicalMemFns for OpenCl {}
impl QueueExpFns for OpenCl {}
impl UsmP2PExpFns for OpenCl {}
impl VirtualMemFns for OpenCl {}

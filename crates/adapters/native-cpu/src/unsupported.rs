//! Tables of the API of which this adapter has nothing: every call answers `UNSUPPORTED_FEATURE`, as
//! the device's info says.

use crate::NativeCpu;
use ur_adapter::*;

impl BindlessImagesExpFns for NativeCpu {}

//! Objects for the short steps.

use super::memory::Block;
use super::program::Kernel;
use super::{Ours, Owned};
use crate::case::Range;
use crate::device::{LARGE, PIECE, QUERIES, SMALL, Step, Steps};
use crate::suite;
use ur_api::*;

/// What a query asks for.
const ASKED: [ur_device_info_t; QUERIES as usize] = [
    UR_DEVICE_INFO_NAME,
    UR_DEVICE_INFO_MAX_COMPUTE_UNITS,
    UR_DEVICE_INFO_MAX_WORK_GROUP_SIZE,
    UR_DEVICE_INFO_GLOBAL_MEM_SIZE,
];

/// Objects for the short steps.
pub(super) struct Short<'d> {
    device: &'d Ours,
    kernel: Kernel,
    any_order: Owned<ur_queue_handle_t>,
    small: [Block<'d>; 2],
    large: [Block<'d>; 2],
    /// What is written to the device, and then read again.
    host: Vec<u8>,
    range: Range,
}

impl Ours {
    /// Makes the objects.
    pub(super) fn short(&self) -> Result<Short<'_>, String> {
        let program = self.program(&suite::EMPTY, "")?;
        let any_order = self.new_queue(UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE.0)?;
        let pair = |size| {
            let zeros = vec![0; size];
            Ok::<_, String>([self.filled(&zeros)?, self.filled(&zeros)?])
        };
        Ok(Short {
            device: self,
            kernel: self.kernel(&program, suite::EMPTY_KERNEL)?,
            any_order: Owned(any_order, self.functions.urQueueRelease),
            small: pair(SMALL)?,
            large: pair(LARGE)?,
            host: vec![1; LARGE],
            range: Range::groups(1, 1),
        })
    }
}

impl Steps for Short<'_> {
    fn enqueue(&mut self, step: Step) -> Result<(), String> {
        let device = self.device;
        match step {
            Step::Empty => device.enqueue(device.queue, &self.kernel, &self.range, &[]),
            Step::Fan => device.enqueue(self.any_order.0, &self.kernel, &self.range, &[]),
            Step::CopySmall => self.small[0].copy(&self.small[1]),
            Step::CopyLarge => self.large[0].copy(&self.large[1]),
        }
    }

    fn finish(&mut self, step: Step) -> Result<(), String> {
        self.device.finish(match step {
            Step::Fan => self.any_order.0,
            _ => self.device.queue,
        })
    }

    fn write(&mut self) -> Result<(), String> {
        self.large[0].write(&self.host)
    }

    fn read(&mut self) -> Result<(), String> {
        self.large[0].read(&mut self.host)
    }

    fn allocate(&mut self) -> Result<(), String> {
        self.device.block(PIECE).map(drop)
    }

    fn query(&mut self) -> Result<(), String> {
        let mut place = [0; 256];
        let mut asked = ASKED.into_iter();
        asked.try_for_each(|name| self.device.query(name, &mut place).map(drop))
    }
}

//! A kernel of the suite, built and with its arguments.

use super::Ours;
use super::memory::{Block, properties};
use super::program::Kernel;
use crate::case::{Arg, Case, Job, Range};
use crate::device::Ready;
use ur_api::ur_exp_kernel_arg_properties_t;

/// A kernel with its arguments.
pub(super) struct Prepared<'d> {
    device: &'d Ours,
    kernel: Kernel,
    blocks: Vec<Block<'d>>,
    /// The buffers' first contents and the values, which `properties` points to.
    args: Vec<Arg>,
    properties: Vec<ur_exp_kernel_arg_properties_t>,
    range: Range,
}

impl Ours {
    /// Builds a kernel and makes its arguments.
    pub(super) fn prepared(&self, case: &Case, job: &Job) -> Result<Prepared<'_>, String> {
        let program = self.program(&case.code, case.options)?;
        let kernel = self.kernel(&program, case.kernel)?;
        let args = job.args.clone();
        let mut blocks = Vec::new();
        let mut list = Vec::new();
        for (index, arg) in (0u32..).zip(&args) {
            let block = arg.content().map(|content| self.filled(content));
            let block = block.transpose()?;
            // The values stay where they are when `args` moves.
            list.push(properties(index, arg, block.as_ref()));
            blocks.extend(block);
        }
        Ok(Prepared {
            device: self,
            kernel,
            blocks,
            args,
            properties: list,
            range: job.range.clone(),
        })
    }
}

impl Ready for Prepared<'_> {
    fn reset(&mut self) -> Result<(), String> {
        let contents = self.args.iter().filter_map(Arg::content);
        let mut pairs = self.blocks.iter().zip(contents);
        pairs.try_for_each(|(block, content)| block.write(content))
    }

    fn launch(&mut self) -> Result<(), String> {
        let queue = self.device.queue;
        self.device
            .enqueue(queue, &self.kernel, &self.range, &self.properties)?;
        self.device.finish(queue)
    }

    fn contents(&mut self) -> Result<Vec<Vec<u8>>, String> {
        self.blocks.iter().map(Block::content).collect()
    }
}

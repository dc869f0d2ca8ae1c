//! A command that does not end before it is told to.

use super::event::Event;
use super::kernel::Kernel;
use super::launch::{Arg, Range};
use super::program::Program;
use super::queue::{Context, Queue};
use super::usm::{Usm, UsmKind};
use crate::failure::Stop;
use crate::kernels;
use crate::world::Cx;
use std::sync::atomic::{AtomicU32, Ordering};

/// A gate in host memory and a kernel that waits for it. Dropping it opens it.
#[derive(Debug)]
pub struct Gate {
    // Before the context that they are of.
    flag: Usm,
    kernel: Kernel,
    _program: Program,
    context: Context,
}

impl Gate {
    /// A closed gate. Commands behind it must be waited for before it goes away.
    ///
    /// # Errors
    /// When something is refused; unsupported where the host and the device cannot look at the same
    /// memory, or where kernels have no effect at all (which tests of kernels find).
    #[track_caller]
    pub fn new(cx: &Cx, context: &Context) -> Result<Gate, Stop> {
        let context = super::Counted::retain(context)?;
        let mut flag = Usm::new(cx, &context, UsmKind::Host, 64)?;
        let program = Program::built(&context, kernels::BASIC)?;
        flag.bytes().fill(0);
        let queue = Queue::new(&context, cx.device(), 0)?;
        let value = 1u32.to_ne_bytes();
        Kernel::new(&program, c"fill")?.run(
            &queue,
            Range::from(&[1][..]),
            &[Arg::Pointer(flag.at), Arg::Value(&value)],
        )?;
        if flag.bytes()[..4] != value {
            let reason = "kernels have no effect on this device";
            return Err(Stop::Unsupported(reason.into()));
        }
        flag.bytes().fill(0);
        let kernel = Kernel::new(&program, c"wait_for")?;
        Ok(Gate {
            flag,
            kernel,
            _program: program,
            context,
        })
    }

    /// A command in the queue that ends when the gate opens. Only one device has it at a time, and
    /// in-order queues hold what comes behind.
    ///
    /// # Errors
    /// When it cannot be enqueued.
    #[track_caller]
    pub fn block(&self, queue: &Queue) -> Result<Event, Stop> {
        Event::made("urEnqueueKernelLaunchWithArgsExp", |out| {
            let args = [Arg::Pointer(self.flag.at)];
            self.kernel
                .enqueue(queue, Range::from(&[1][..]), &args, &[], out)
        })
    }

    /// Lets the commands end.
    pub fn open(&self) {
        // SAFETY: the memory is the gate's own, aligned, and lives as long; the device only reads.
        let flag = unsafe { AtomicU32::from_ptr(self.flag.at.cast()) };
        flag.store(1, Ordering::Release);
    }

    /// The context that the gate is of.
    pub fn context(&self) -> &Context {
        &self.context
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.open();
    }
}

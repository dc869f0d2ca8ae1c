//! Signals: what says that a command has ended, and what must live until then.

use crate::context::Context;
use crate::queue::backlog::End;
use crate::ze::error::failed;
use crate::ze::{self, Functions, Owned, exit};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use ur_adapter::{Error, Handle, Result};

/// Anything that must live until a command has ended.
pub trait Keep: Send {}
impl<T: Send> Keep for T {}

/// Anything that several commands share until they have ended.
pub trait Last: Send + Sync {}
impl<T: Send + Sync> Last for T {}

/// What is held until a command has ended.
pub struct Load {
    /// What it waits for, which must not be used for another command before it has seen it.
    pub waits: Vec<Arc<Signal>>,
    /// What it uses.
    pub keep: Box<dyn Keep>,
    /// What is to go after it and commands of other queues.
    pub last: Vec<Arc<dyn Last>>,
}

impl Load {
    /// The load of a command that waits for these and uses that.
    pub fn new(waits: Vec<Arc<Signal>>, keep: Box<dyn Keep>) -> Self {
        let last = Vec::new();
        Self { waits, keep, last }
    }
}

/// Where an event of Level Zero's comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The context's pools; with or without times.
    Pool {
        /// Whether it records times.
        timed: bool,
    },
    /// The program, or it was made for this one use.
    Single,
}

/// Not known to have ended.
const PENDING: u32 = 0;
/// Known to have ended.
const ENDED: u32 = 1;

/// What those wait by who wait for commands that the host runs.
static HOST: Mutex<()> = Mutex::new(());
static ENDS: Condvar = Condvar::new();

/// The end of one command.
pub struct Signal {
    /// Null for a command of an in-order list that nobody asked an event of: it has ended when a later
    /// one of its queue has.
    native: Option<ManuallyDrop<Owned<ze::ze_event_handle_t>>>,
    origin: Origin,
    /// Its place among the commands of its queue.
    number: AtomicU64,
    /// Whether a command may signal it.
    appended: AtomicBool,
    /// Whether the command has been handed to the device.
    submitted: AtomicBool,
    /// Whether the host signals it, which then need not ask the driver.
    by_host: bool,
    /// When the host began and ended the command, in ticks of the device.
    span: OnceLock<[u64; 2]>,
    /// [`PENDING`], [`ENDED`] or the driver's error, for a command that will never run.
    state: AtomicU32,
    load: Mutex<Option<Load>>,
    context: Handle<Context>,
}

impl Signal {
    /// The signal of a command that is about to be appended; silent without an event.
    pub fn new(
        context: &Handle<Context>,
        native: Option<Owned<ze::ze_event_handle_t>>,
        origin: Origin,
        load: Load,
        by_host: bool,
    ) -> Arc<Self> {
        Arc::new(Self {
            native: native.map(ManuallyDrop::new),
            origin,
            number: AtomicU64::new(0),
            appended: AtomicBool::new(false),
            submitted: AtomicBool::new(false),
            by_host,
            span: OnceLock::new(),
            state: AtomicU32::new(PENDING),
            load: Mutex::new(Some(load)),
            context: context.clone(),
        })
    }

    /// An event of Level Zero's that the program signals or has signalled.
    pub fn of_native(context: &Handle<Context>, native: Owned<ze::ze_event_handle_t>) -> Arc<Self> {
        let load = Load::new(Vec::new(), Box::new(()));
        let signal = Self::new(context, Some(native), Origin::Single, load, false);
        signal.note_appended();
        signal.note_submitted();
        signal
    }

    /// Holds something until the command has ended; if it has already, that is dropped.
    pub fn hold_last(&self, last: Arc<dyn Last>) {
        let mut load = self.load.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(load) = &mut *load {
            load.last.push(last);
        } else {
            drop(load);
            drop(last);
        }
    }

    /// Gives the command up: nobody will know whether it runs, so what it uses stays for good.
    pub fn lose(&self, error: &Error) {
        let load = {
            let mut load = self.load.lock().unwrap_or_else(PoisonError::into_inner);
            load.take()
        };
        std::mem::forget(load);
        self.note_failed(error);
    }

    /// Its context.
    pub fn context(&self) -> &Handle<Context> {
        &self.context
    }

    fn api(&self) -> &'static Functions {
        self.context.api()
    }

    /// Level Zero's own handle; null if nothing tells the end of this command alone.
    pub fn native(&self) -> ze::ze_event_handle_t {
        match &self.native {
            Some(native) => native.get(),
            None => ze::ze_event_handle_t::NULL,
        }
    }

    /// Whether the driver records times with it.
    pub fn is_timed(&self) -> bool {
        self.origin == Origin::Pool { timed: true }
    }

    /// Holds one more signal that the command waits for.
    pub fn hold(&self, wait: Arc<Signal>) {
        let mut load = self.load.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(load) = &mut *load {
            load.waits.push(wait);
        }
    }

    /// Notes that a command may signal it from now on.
    pub fn note_appended(&self) {
        self.appended.store(true, Ordering::Release);
    }

    /// The driver's error, for a command that will never run.
    pub fn failure(&self) -> Option<ze::ze_result_t> {
        let state = self.state.load(Ordering::Acquire);
        Some(state).filter(|state| !matches!(*state, PENDING | ENDED))
    }

    fn becomes(&self, state: u32) {
        let (from, to) = (PENDING, state);
        // Whoever was first is right.
        let _ = (self.state).compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Success if it has ended, an error if it never will; none if that is not known.
    fn known(&self) -> Option<Result<bool>> {
        match self.state.load(Ordering::Acquire) {
            // At the end of the process nobody can be asked, and nothing is used again.
            PENDING if exit::is_gone() => Some(Ok(true)),
            PENDING => None,
            ENDED => Some(Ok(true)),
            code => Some(Err(failed(code))),
        }
    }

    /// Asks the driver whether the command has ended. A silent one does not tell.
    ///
    /// # Errors
    /// What the driver says, such as that the device is lost.
    pub fn poll(&self) -> Result<bool> {
        if let Some(known) = self.known() {
            return known;
        }
        let Some(native) = &self.native else {
            return Ok(false);
        };
        // SAFETY: a live event.
        self.told(unsafe { (self.api().zeEventQueryStatus)(native.get()) })
    }

    /// Waits until the command has ended, or for so many nanoseconds; `u64::MAX` is for ever. Whether
    /// it has.
    ///
    /// # Errors
    /// What the driver says, such as that the device is lost.
    pub fn wait(&self, nanoseconds: u64) -> Result<bool> {
        if let Some(known) = self.known() {
            return known;
        }
        if self.by_host && nanoseconds > 0 {
            return self.wait_for_host(nanoseconds);
        }
        let Some(native) = &self.native else {
            return Ok(false);
        };
        // SAFETY: a live event; no lock is held.
        self.told(unsafe { (self.api().zeEventHostSynchronize)(native.get(), nanoseconds) })
    }

    fn wait_for_host(&self, nanoseconds: u64) -> Result<bool> {
        let until = match nanoseconds {
            u64::MAX => None,
            nanoseconds => Instant::now().checked_add(Duration::from_nanos(nanoseconds)),
        };
        let mut guard = HOST.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(known) = self.known() {
                return known;
            }
            guard = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => return Ok(false),
                Some(left) => {
                    let waited = ENDS.wait_timeout(guard, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => ENDS.wait(guard).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn told(&self, code: ze::ze_result_t) -> Result<bool> {
        match code {
            ze::ZE_RESULT_SUCCESS => {
                self.note_ended();
                Ok(true)
            }
            ze::ZE_RESULT_NOT_READY => Ok(false),
            code => Err(failed(code)),
        }
    }

    /// Signals it from the host, for a command that the host runs. If the driver cannot do that, the
    /// command has failed.
    pub fn set(&self) {
        {
            let _turn = exit::turn();
            if exit::is_gone() {
                return;
            }
            // SAFETY: a live event.
            match unsafe { (self.api().zeEventHostSignal)(self.native()) } {
                ze::ZE_RESULT_SUCCESS => self.note_ended(),
                code => self.note_failed(&failed(code)),
            }
        }
        // Whoever has looked before this is waiting by now.
        drop(HOST.lock().unwrap_or_else(PoisonError::into_inner));
        ENDS.notify_all();
    }

    /// Notes when the host began and ended the command, in ticks of the device.
    pub fn set_span(&self, span: [u64; 2]) {
        // Only the one who runs the command calls this.
        let _ = self.span.set(span);
    }

    /// When the host began and ended the command, in ticks of the device.
    pub fn span(&self) -> Option<[u64; 2]> {
        self.span.get().copied()
    }
}

impl End for Signal {
    type Error = Error;

    fn number(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }

    fn set_number(&self, number: u64) {
        self.number.store(number, Ordering::Relaxed);
    }

    fn is_silent(&self) -> bool {
        self.native.is_none()
    }

    fn is_by_host(&self) -> bool {
        self.by_host
    }

    fn is_submitted(&self) -> bool {
        self.submitted.load(Ordering::Acquire)
    }

    fn note_submitted(&self) {
        self.submitted.store(true, Ordering::Release);
    }

    fn has_ended(&self) -> bool {
        self.state.load(Ordering::Acquire) != PENDING
    }

    fn note_ended(&self) {
        self.becomes(ENDED);
    }

    fn note_failed(&self, error: &Error) {
        // Whatever has no number of the driver's is not a success.
        let code = error.native.cast_unsigned();
        self.becomes(code.max(ze::ZE_RESULT_ERROR_DEVICE_LOST));
    }

    fn ask(&self) -> bool {
        matches!(self.poll(), Ok(true))
    }

    fn release(&self) {
        let load = {
            let mut load = self.load.lock().unwrap_or_else(PoisonError::into_inner);
            load.take()
        };
        drop(load);
    }
}

impl Drop for Signal {
    fn drop(&mut self) {
        let Some(native) = &mut self.native else {
            return;
        };
        // SAFETY: taken once, here.
        let native = unsafe { ManuallyDrop::take(native) };
        let Origin::Pool { timed } = self.origin else {
            return;
        };
        let pools = self.context.pools();
        let may_be_signalled = *self.appended.get_mut() && *self.state.get_mut() != ENDED;
        if may_be_signalled || exit::is_gone() {
            pools.lose(native, timed);
        } else {
            pools.give(native, timed);
        }
    }
}

impl std::fmt::Debug for Signal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signal")
            .field("native", &self.native())
            .field("number", &self.number())
            .field("ended", &self.has_ended())
            .finish_non_exhaustive()
    }
}

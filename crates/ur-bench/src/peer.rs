//! Devices of other drivers, through OpenCL.

use crate::case::{Arg, Case, Code, Job, Range};
use crate::device::{Device, LARGE, PIECE, QUERIES, Ready, SMALL, Step, Steps};
use crate::suite;
use ur_opencl::{Block, Buffer, Kernel, Program, Queue, Usm};

/// What a query asks for: name, compute units, work-group size, memory; `CL_DEVICE_*`.
const ASKED: [u32; QUERIES as usize] = [0x102b, 0x1002, 0x1004, 0x101f];

/// A device of another driver.
pub struct Peer {
    name: &'static str,
    takes_il: bool,
    /// Unified shared memory for copies, if the driver has it.
    usm: Option<Usm>,
    device: ur_opencl::Device,
}

impl Peer {
    /// A device, how it is called, and whether it takes SPIR-V; it gets OpenCL C otherwise.
    pub fn new(name: &'static str, takes_il: bool, device: ur_opencl::Device) -> Self {
        Self {
            name,
            takes_il,
            usm: Usm::of(&device),
            device,
        }
    }

    /// The driver below our device, with the same kind of memory and the same form of programs.
    pub fn bare(device: ur_opencl::Device) -> Self {
        Self {
            name: "bare",
            takes_il: device.takes_il(),
            usm: None,
            device,
        }
    }

    /// A program in the form that the device takes; `options` are for a build from OpenCL C.
    fn program(&self, code: &Code, options: &str) -> Result<Program, String> {
        if self.takes_il {
            self.device.build_il(code.il, "")
        } else {
            self.device.build_source(code.source, options)
        }
    }

    /// The driver's own object for the device.
    pub fn native_device(&self) -> ur_opencl::Handle {
        self.device.handle()
    }
}

/// The launch's sizes as the driver takes them.
fn sizes(range: &Range) -> ur_opencl::Range<'_> {
    ur_opencl::Range {
        global: &range.global,
        offset: None,
        local: range.local.as_deref(),
    }
}

/// A kernel with its arguments.
struct Prepared<'d> {
    device: &'d ur_opencl::Device,
    kernel: Kernel,
    buffers: Vec<Buffer>,
    first: Vec<Vec<u8>>,
    range: Range,
}

impl Ready for Prepared<'_> {
    fn reset(&mut self) -> Result<(), String> {
        let mut pairs = self.buffers.iter().zip(&self.first);
        pairs.try_for_each(|(buffer, content)| self.device.write(buffer, content))
    }

    fn launch(&mut self) -> Result<(), String> {
        self.device.enqueue(&self.kernel, sizes(&self.range))?;
        self.device.finish()
    }

    fn contents(&mut self) -> Result<Vec<Vec<u8>>, String> {
        let read = |buffer| self.device.read(buffer);
        self.buffers.iter().map(read).collect()
    }
}

/// What is copied: what the driver is best at.
enum Places {
    Shared(Box<Shared>),
    Buffers([Buffer; 2], [Buffer; 2]),
}

/// Places in unified shared memory.
struct Shared {
    usm: Usm,
    small: [Block; 2],
    large: [Block; 2],
}

/// Objects for the short steps.
struct Short<'d> {
    device: &'d ur_opencl::Device,
    kernel: Kernel,
    any_order: Queue,
    places: Places,
    /// Where the host's memory is written, and read from.
    remote: Buffer,
    host: Vec<u8>,
    range: Range,
}

impl Steps for Short<'_> {
    fn enqueue(&mut self, step: Step) -> Result<(), String> {
        let range = sizes(&self.range);
        match (step, &self.places) {
            (Step::Empty, _) => self.device.enqueue(&self.kernel, range),
            (Step::Fan, _) => self.device.enqueue_to(&self.any_order, &self.kernel, range),
            (Step::CopySmall, Places::Shared(shared)) => {
                shared.usm.copy(&shared.small[0], &shared.small[1])
            }
            (Step::CopyLarge, Places::Shared(shared)) => {
                shared.usm.copy(&shared.large[0], &shared.large[1])
            }
            (Step::CopySmall, Places::Buffers([to, from], _)) => self.device.copy(to, from, SMALL),
            (Step::CopyLarge, Places::Buffers(_, [to, from])) => self.device.copy(to, from, LARGE),
        }
    }

    fn finish(&mut self, step: Step) -> Result<(), String> {
        match step {
            Step::Fan => self.device.finish_queue(&self.any_order),
            _ => self.device.finish(),
        }
    }

    fn write(&mut self) -> Result<(), String> {
        self.device.write(&self.remote, &self.host)
    }

    fn read(&mut self) -> Result<(), String> {
        self.device.read_to(&self.remote, &mut self.host)
    }

    fn allocate(&mut self) -> Result<(), String> {
        match &self.places {
            Places::Shared(shared) => shared.usm.block(PIECE).map(drop),
            Places::Buffers(..) => self.device.empty_buffer(PIECE).map(drop),
        }
    }

    fn query(&mut self) -> Result<(), String> {
        self.device.query(&ASKED)
    }
}

impl Device for Peer {
    fn name(&self) -> &'static str {
        self.name
    }

    fn describe(&self) -> String {
        self.device.name()
    }

    fn takes_il(&self) -> bool {
        self.takes_il
    }

    fn prepare<'d>(&'d self, case: &Case, job: &Job) -> Result<Box<dyn Ready + 'd>, String> {
        let program = self.program(&case.code, case.options)?;
        let kernel = self.device.kernel(&program, case.kernel)?;
        let mut buffers = Vec::new();
        for (index, arg) in (0u32..).zip(&job.args) {
            match arg {
                Arg::Buffer(content) => {
                    let buffer = self.device.buffer(content)?;
                    self.device.set_buffer(&kernel, index, &buffer)?;
                    buffers.push(buffer);
                }
                Arg::Value(value) => self.device.set_value(&kernel, index, value)?,
                Arg::Local(size) => self.device.set_local(&kernel, index, *size)?,
            }
        }
        Ok(Box::new(Prepared {
            device: &self.device,
            kernel,
            buffers,
            first: job
                .args
                .iter()
                .filter_map(|arg| arg.content().map(<[u8]>::to_vec))
                .collect(),
            range: job.range.clone(),
        }))
    }

    fn make(&self, code: &Code, options: &str) -> Result<(), String> {
        self.program(code, options).map(drop)
    }

    fn build(&self, il: &[u8], kernels: &[String]) -> Result<(), String> {
        if !self.takes_il {
            return Err("it takes no SPIR-V".to_owned());
        }
        let program = self.device.build_il(il, "")?;
        for name in kernels {
            self.device.kernel(&program, name)?;
        }
        Ok(())
    }

    fn steps<'d>(&'d self) -> Result<Box<dyn Steps + 'd>, String> {
        let program = self.program(&suite::EMPTY, "")?;
        let places = match self.usm.clone() {
            Some(usm) => {
                let small = [usm.block(SMALL)?, usm.block(SMALL)?];
                let large = [usm.block(LARGE)?, usm.block(LARGE)?];
                Places::Shared(Box::new(Shared { usm, small, large }))
            }
            None => {
                let pair = |size| {
                    let zeros = vec![0; size];
                    Ok::<_, String>([self.device.buffer(&zeros)?, self.device.buffer(&zeros)?])
                };
                Places::Buffers(pair(SMALL)?, pair(LARGE)?)
            }
        };
        let host = vec![1; LARGE];
        Ok(Box::new(Short {
            device: &self.device,
            kernel: self.device.kernel(&program, suite::EMPTY_KERNEL)?,
            any_order: self.device.out_of_order()?,
            places,
            remote: self.device.buffer(&host)?,
            host,
            range: Range::groups(1, 1),
        }))
    }
}

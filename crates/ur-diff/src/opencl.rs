//! Devices of other drivers. Which driver the OpenCL library finds is the environment's business
//! (`OCL_ICD_VENDORS`).

use crate::job::{Answer, Arg, Bytes, Code, Job, Launch, Ran};
use std::path::Path;
use ur_opencl::{Device, Kernel, Library, Range};

/// A CPU device.
pub struct OpenCl(Device);

impl OpenCl {
    /// Opens the first CPU device that the library finds.
    ///
    /// # Errors
    /// The library or a device is missing, or a call failed.
    pub fn open(library: &Path) -> Result<Self, String> {
        let found = Library::open(library)?.devices()?.into_iter().next();
        let (_, device) = found.ok_or("no CPU device")?;
        Ok(Self(device))
    }

    /// Does a job.
    pub fn run(&self, job: &Job) -> Answer {
        self.try_run(job).map_or_else(Answer::Refused, Answer::Ran)
    }

    fn try_run(&self, job: &Job) -> Result<Vec<Ran>, String> {
        let program = match &job.code {
            Code::Il(bytes) => self.0.build_il(&bytes.0, &job.options),
            Code::Source(text) => self.0.build_source(text, &job.options),
        }?;
        let kernel = self.0.kernel(&program, &job.kernel)?;
        job.launches
            .iter()
            .map(|launch| {
                let local = &launch.local[..launch.dims as usize];
                Ok(Ran {
                    buffers: self.launch(&kernel, launch)?,
                    width: self.0.sub_group_size(&kernel, local),
                })
            })
            .collect()
    }

    fn launch(&self, kernel: &Kernel, launch: &Launch) -> Result<Vec<Bytes>, String> {
        let mut buffers = Vec::new();
        for (index, arg) in (0..).zip(&launch.args) {
            match arg {
                Arg::Buffer(content) => {
                    let buffer = self.0.buffer(&content.0)?;
                    self.0.set_buffer(kernel, index, &buffer)?;
                    buffers.push(buffer);
                }
                Arg::Value(bytes) => self.0.set_value(kernel, index, &bytes.0)?,
                Arg::Local(size) => self.0.set_local(kernel, index, *size)?,
            }
        }
        let dims = launch.dims as usize;
        let range = Range {
            global: &launch.global[..dims],
            offset: Some(&launch.offset[..dims]),
            local: Some(&launch.local[..dims]),
        };
        self.0.enqueue(kernel, range)?;
        self.0.finish()?;
        let read = |buffer| self.0.read(buffer).map(Bytes);
        buffers.iter().map(read).collect()
    }
}

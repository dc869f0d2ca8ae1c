//! `./x client trace`: what `SYCL_UR_TRACE` shows of programs on the runtime 2026.1 and Intel's
//! OpenCL adapter, through the released loader and through ours.

use crate::repo;
use crate::traces;
use crate::venv::{INTEL_OPENCL, Runtime, Venv};
use anyhow::Result;

/// Runs each program on both loaders. `Ok(false)` when something differs that is not explained.
pub fn run() -> Result<bool> {
    let venv = Venv::ensure(Runtime::V2026_1)?;
    let programs = repo::root().join("tests/clients/trace");
    let mut good = true;
    for (run, program, arguments) in [
        ("devices", "devices.py", Vec::new()),
        (
            "kernel",
            "kernel.py",
            vec![repo::root().join("tests/spirv/vector_add.spv")],
        ),
    ] {
        good &= traces::compare(run, &venv.lib(), |loader| {
            let (mut command, _) = venv.command_on(&[INTEL_OPENCL.to_owned()])?;
            command
                .env("LD_LIBRARY_PATH", loader.folder(&venv.lib()))
                .env("SYCL_UR_TRACE", "2")
                .args(["-u", "-B"])
                .arg(programs.join(program))
                .args(&arguments);
            Ok(command)
        })?;
    }
    Ok(good)
}

/// What the last line says.
pub fn figure(good: bool) -> &'static str {
    if good {
        "both loaders show the same calls"
    } else {
        "the loaders show different calls"
    }
}

//! Why adapters do not support something.

use anyhow::{Result, bail};
use std::fmt::Write;

/// Reasons, each with parts of the names that have it. Every reason must be needed, and every name
/// must have one.
pub type Reasons = &'static [(&'static [&'static str], &'static str)];

/// Why the native CPU adapter does not have entry points.
pub const NATIVE_CPU_CALLS: Reasons = &[
    (
        &["NativeHandle"],
        "there is no driver beneath whose objects they could be",
    ),
    (
        &["NativeCommand"],
        "there is no native queue that a program could add to by itself",
    ),
    (
        &["HostPipe"],
        "pipes between host and kernels belong to FPGAs; the device has none",
    ),
    (
        &["IPCGetEvent", "IPCPutEvent", "IPCOpenEvent"],
        "events live in the memory of their process",
    ),
    (
        &["BindlessImages"],
        "kernels reach images through arguments only",
    ),
    (
        &["KernelSetSpecializationConstants"],
        "specialisation constants are set on programs, before they are built",
    ),
    (
        &["SuggestMaxCooperative"],
        "a thread runs a work-group to its end, so that groups cannot wait for each other",
    ),
];

/// Why its device does not answer what it is asked.
pub const NATIVE_CPU_PROPERTIES: Reasons = &[
    (
        &[
            "GPU_",
            "EUS_",
            "XE_",
            "IP_VERSION",
            "MAX_LANES",
            "REGISTERS",
        ],
        "parts of GPUs",
    ),
    (
        &["COMPONENT_DEVICES", "COMPOSITE_DEVICE"],
        "cards of several GPUs",
    ),
    (&["PCI_ADDRESS", "LUID", "NODE_MASK"], "the place of a card"),
    (
        &[
            "THROTTLE",
            "FAN_SPEED",
            "POWER_LIMIT",
            "BANDWIDTH",
            "BUS_WIDTH",
            "MEMORY_CLOCK_RATE",
        ],
        "the system does not tell them to programs",
    ),
    (
        &["IMAGE_PITCH", "IMAGE_LINEAR", "MIPMAP"],
        "limits of bindless images and of mipmaps, which there are not",
    ),
];

/// Why the OpenCL adapter does not have entry points on Intel's driver.
pub const OPENCL_CALLS: Reasons = &[
    (
        &["ProgramDynamicLink"],
        "OpenCL links programs when it makes them, not when they are there",
    ),
    (
        &["KernelSetSpecializationConstants"],
        "specialisation constants are set on programs, before they are built",
    ),
    (
        &["SuggestMaxCooperative"],
        "OpenCL does not say how many work-groups run at the same time",
    ),
    (
        &[
            "urGraph",
            "GetGraph",
            "EnqueueGraph",
            "GraphCapture",
            "CaptureIntoGraph",
        ],
        "OpenCL records commands by calls of their own, not what is enqueued",
    ),
    (
        &["PhysicalMem", "PhysMem", "VirtualMem"],
        "memory of OpenCL and its addresses come together",
    ),
    (
        &["HostPipe"],
        "pipes between host and kernels belong to FPGAs; the device has none",
    ),
    (
        &["TimestampRecording"],
        "no command of OpenCL reads the device's clock",
    ),
    (
        &["PitchedAlloc"],
        "OpenCL does not say how far from each other rows should begin",
    ),
    (
        &["HostAllocRegister", "HostAllocUnregister"],
        "OpenCL makes no USM of memory that is there already",
    ),
    (
        &["BindlessImages"],
        "kernels reach images through arguments only",
    ),
    (
        &["AppendMemBufferWrite", "AppendMemBufferRead"],
        "OpenCL's command buffers record no copies between buffers and memory of the host",
    ),
    (
        &["AppendNativeCommand"],
        "what a program records by itself the adapter could not keep alive",
    ),
    (
        &["UpdateSignalEvent", "UpdateWaitEvents"],
        "recorded commands neither wait for events nor have any",
    ),
    (&["urIPC"], "OpenCL shares nothing with other processes"),
    (
        &["MemoryExport"],
        "memory of OpenCL has no handle for other interfaces",
    ),
    (
        &["UsmP2P"],
        "OpenCL does not say which device reaches the memory of another",
    ),
];

/// Why the driver's device does not answer what it is asked.
pub const OPENCL_PROPERTIES: Reasons = &[
    (
        &["GPU_", "EUS_", "XE_", "MAX_LANES", "REGISTERS"],
        "parts of GPUs",
    ),
    (
        &["COMPONENT_DEVICES", "COMPOSITE_DEVICE"],
        "cards of several GPUs",
    ),
    (&["PCI_ADDRESS", "LUID", "NODE_MASK"], "the place of a card"),
    (
        &[
            "THROTTLE",
            "FAN_SPEED",
            "POWER_LIMIT",
            "BANDWIDTH",
            "BUS_WIDTH",
            "MEMORY_CLOCK_RATE",
            "MEM_FREE",
        ],
        "OpenCL has no query for them",
    ),
    (
        &["IMAGE_PITCH", "IMAGE_LINEAR", "MIPMAP"],
        "limits of bindless images and of mipmaps, which there are not",
    ),
];

/// A list of the reasons that `names` have, each with its names.
pub fn reasons(names: &[String], known: Reasons) -> Result<String> {
    let mut text = String::new();
    let mut left = names.to_vec();
    for (parts, reason) in known {
        let meant = |name: &String| parts.iter().any(|part| name.contains(part));
        let with: Vec<_> = left
            .extract_if(.., |name| meant(name))
            .map(|name| format!("`{name}`"))
            .collect();
        if with.is_empty() {
            bail!("a reason for nothing: {reason}");
        }
        writeln!(text, "- {}: {reason}.", with.join(", "))?;
    }
    if !left.is_empty() {
        bail!("not supported, without a reason: {}", left.join(", "));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{Reasons, reasons};

    #[test]
    fn every_name_has_a_reason_and_every_reason_a_name() {
        let known: Reasons = &[(&["A", "B"], "one"), (&["C"], "two")];
        let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect::<Vec<_>>();
        let text = reasons(&names(&["urA", "urC", "urB"]), known).unwrap();
        assert_eq!(text, "- `urA`, `urB`: one.\n- `urC`: two.\n");
        assert!(reasons(&names(&["urA"]), known).is_err());
        assert!(reasons(&names(&["urA", "urC", "urD"]), known).is_err());
    }
}

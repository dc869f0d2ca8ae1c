//! Saving a program with its machine code.

use super::Program;
use crate::binary::{self, MachineCode, Saved};
use crate::code::Module;
use crate::{cpu, facts, jit};
use std::sync::Arc;

impl Program {
    /// Its bytes as a saved program; none before it is built. A built program is saved with the
    /// machine code of all its kernels, which are compiled for that.
    pub(super) fn saved(&self) -> Arc<[u8]> {
        let (mut saved, code) = {
            let state = self.state();
            if let Some(saved) = &state.saved {
                return saved.clone();
            }
            let built = state.builds.iter().find_map(|b| Some((b.stage()?, b)));
            let Some((stage, build)) = built else {
                return Arc::default();
            };
            let saved = Saved {
                stage,
                constants: state.constants.clone(),
                options: build.options.clone(),
                words: self.words.to_vec(),
                // What was loaded and not yet built is saved as it came.
                code: state.restored.clone().and_then(|(_, code)| code),
            };
            (saved, state.code.clone())
        };
        // A merged module is more than this program's SPIR-V: its code cannot be saved with that.
        if let Some(code) = code.filter(|code| code.merged.is_none()) {
            saved.code = Some(self.machine_code(&code.module));
        }
        let bytes: Arc<[u8]> = binary::write(&saved).into();
        // The sizes and the bytes are asked for one after the other.
        self.state().saved = Some(bytes.clone());
        bytes
    }

    fn machine_code(&self, module: &Module) -> MachineCode {
        let kernels = self.contents.kernels.iter();
        MachineCode {
            cpu: *cpu::fingerprint(),
            cpu_name: facts::get().name.clone(),
            build_id: jit::build_id().unwrap_or_default().to_vec(),
            module: module.record().to_vec(),
            // One that cannot be compiled fails when it is created, here as there.
            kernels: kernels
                .filter_map(|kernel| {
                    let record = module.kernel_record(&kernel.name).ok()?;
                    Some((kernel.name.clone(), record.to_vec()))
                })
                .collect(),
        }
    }
}

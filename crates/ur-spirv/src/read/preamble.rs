//! What stands before the annotations: capabilities, memory model, entry points, names.

use super::Reader;
use crate::decode::Raw;
use crate::model::{Def, EntryPoint, ExtSet};
use crate::{Error, Id, Result, grammar};
use rspirv::spirv::{AddressingModel, Capability, ExecutionMode, ExecutionModel, MemoryModel, Op};

/// More execution modes than there are kinds of; an entry point never has as many.
const MAX_MODES: usize = 64;

/// An execution mode as it was read.
pub struct Mode {
    function: Id,
    mode: ExecutionMode,
    operands: Vec<u32>,
    /// True if the operands are ids of constants.
    by_id: bool,
    offset: usize,
}

impl Reader<'_> {
    pub(super) fn preamble(&mut self, raw: &Raw<'_>) -> Result<()> {
        match raw.op {
            Op::Capability => self.capability(raw),
            Op::Extension => {
                let (name, _) = raw.string(0)?;
                self.module.extensions.push(name);
                Ok(())
            }
            Op::ExtInstImport => self.import(raw),
            Op::MemoryModel => self.memory_model(raw),
            Op::EntryPoint => self.entry_point(raw),
            Op::ExecutionMode | Op::ExecutionModeId => self.execution_mode(raw),
            Op::String => {
                let id = raw.word(0)?;
                let text = raw.lossy_string(1)?;
                self.define(raw, id, Def::Other)?;
                self.module.strings.push((id, text));
                Ok(())
            }
            Op::Name => {
                let id = raw.word(0)?;
                let text = raw.lossy_string(1)?;
                self.module.names.push((id, text));
                Ok(())
            }
            _ => grammar::walk(raw, |_| Ok(())),
        }
    }

    fn capability(&mut self, raw: &Raw<'_>) -> Result<()> {
        let number = raw.word(0)?;
        let capability = Capability::from_u32(number)
            .ok_or_else(|| raw.unsupported(format!("unknown capability {number}")))?;
        if !is_supported(capability) {
            return Err(raw.unsupported(format!("capability {capability:?}")));
        }
        self.module.capabilities.push(capability);
        Ok(())
    }

    fn import(&mut self, raw: &Raw<'_>) -> Result<()> {
        let id = raw.word(0)?;
        let (name, _) = raw.string(1)?;
        let set = match name.as_str() {
            "OpenCL.std" => ExtSet::OpenClStd,
            "OpenCL.DebugInfo.100" | "DebugInfo" | "SPIRV.debug" => ExtSet::Info,
            _ if name.starts_with("NonSemantic.") => ExtSet::Info,
            _ => return Err(raw.unsupported(format!("extended instructions {name:?}"))),
        };
        self.define(raw, id, Def::ExtSet(set))
    }

    fn memory_model(&mut self, raw: &Raw<'_>) -> Result<()> {
        if self.has_memory_model {
            return Err(raw.invalid("a second memory model"));
        }
        let (addressing, memory) = (raw.word(0)?, raw.word(1)?);
        if AddressingModel::from_u32(addressing) != Some(AddressingModel::Physical64) {
            return Err(raw.unsupported(format!(
                "addressing model {addressing}; only Physical64 is supported"
            )));
        }
        if MemoryModel::from_u32(memory) != Some(MemoryModel::OpenCL) {
            return Err(raw.unsupported(format!("memory model {memory}; only OpenCL is supported")));
        }
        self.has_memory_model = true;
        Ok(())
    }

    fn entry_point(&mut self, raw: &Raw<'_>) -> Result<()> {
        let (model, function) = (raw.word(0)?, raw.word(1)?);
        if ExecutionModel::from_u32(model) != Some(ExecutionModel::Kernel) {
            return Err(
                raw.unsupported(format!("execution model {model}; only Kernel is supported"))
            );
        }
        let (name, words) = raw.string(2)?;
        if name.is_empty() {
            return Err(raw.invalid("an entry point without a name"));
        }
        if self.module.entry_points.iter().any(|e| e.name == name) {
            return Err(raw.invalid(format!("a second entry point called {name:?}")));
        }
        self.module.entry_points.push(EntryPoint {
            name,
            function,
            interface: raw.rest(2 + words).to_vec(),
            modes: Vec::new(),
            offset: raw.offset,
        });
        Ok(())
    }

    fn execution_mode(&mut self, raw: &Raw<'_>) -> Result<()> {
        let (function, number) = (raw.word(0)?, raw.word(1)?);
        let mode = ExecutionMode::from_u32(number)
            .ok_or_else(|| raw.unsupported(format!("unknown execution mode {number}")))?;
        let operands = raw.rest(2).to_vec();
        let expected = match mode {
            ExecutionMode::LocalSize
            | ExecutionMode::LocalSizeHint
            | ExecutionMode::LocalSizeId
            | ExecutionMode::LocalSizeHintId
            | ExecutionMode::MaxWorkgroupSizeINTEL => 3,
            ExecutionMode::FPFastMathDefault => 2,
            ExecutionMode::VecTypeHint
            | ExecutionMode::SubgroupSize
            | ExecutionMode::SubgroupsPerWorkgroup
            | ExecutionMode::SubgroupsPerWorkgroupId
            | ExecutionMode::MaxWorkDimINTEL
            | ExecutionMode::NumSIMDWorkitemsINTEL
            | ExecutionMode::SchedulerTargetFmaxMhzINTEL
            | ExecutionMode::DenormPreserve
            | ExecutionMode::DenormFlushToZero
            | ExecutionMode::SignedZeroInfNanPreserve
            | ExecutionMode::RoundingModeRTE => 1,
            ExecutionMode::ContractionOff
            | ExecutionMode::Initializer
            | ExecutionMode::NoGlobalOffsetINTEL => 0,
            _ => return Err(raw.unsupported(format!("execution mode {mode:?}"))),
        };
        if operands.len() != expected {
            return Err(raw.invalid(format!(
                "{mode:?} takes {expected} operands, {} are given",
                operands.len()
            )));
        }
        let by_id = matches!(
            mode,
            ExecutionMode::LocalSizeId
                | ExecutionMode::LocalSizeHintId
                | ExecutionMode::SubgroupsPerWorkgroupId
                | ExecutionMode::FPFastMathDefault
        );
        if by_id != (raw.op == Op::ExecutionModeId) {
            return Err(raw.invalid(format!("{mode:?} does not go with this opcode")));
        }
        self.modes.push(Mode {
            function,
            mode,
            operands,
            by_id,
            offset: raw.offset,
        });
        Ok(())
    }

    /// Gives the execution modes to their entry points, ids replaced by values.
    pub(super) fn attach_modes(&mut self) -> Result<()> {
        for mode in std::mem::take(&mut self.modes) {
            let mut operands = mode.operands;
            if mode.by_id {
                // The type that a default of fast-math flags is for stays an id.
                let types = usize::from(mode.mode == ExecutionMode::FPFastMathDefault);
                if operands
                    .iter()
                    .take(types)
                    .any(|id| !self.module.ty(*id).is_float())
                {
                    return Err(Error::invalid(
                        mode.offset,
                        "the first operand of FPFastMathDefault is no float type",
                    ));
                }
                for operand in operands.iter_mut().skip(types) {
                    let bits = self.module.constant_bits(*operand);
                    *operand = bits.and_then(|b| u32::try_from(b).ok()).ok_or_else(|| {
                        Error::invalid(
                            mode.offset,
                            format!("operand id {operand} is no 32-bit integer constant"),
                        )
                    })?;
                }
            }
            let mut found = false;
            for entry in &mut self.module.entry_points {
                if entry.function == mode.function {
                    if entry.modes.len() >= MAX_MODES {
                        return Err(Error::unsupported(
                            mode.offset,
                            format!("more than {MAX_MODES} execution modes of an entry point"),
                        ));
                    }
                    entry.modes.push((mode.mode, operands.clone()));
                    found = true;
                }
            }
            if !found {
                return Err(Error::invalid(
                    mode.offset,
                    format!(
                        "function {} of an execution mode is no entry point",
                        mode.function
                    ),
                ));
            }
        }
        Ok(())
    }
}

/// Capabilities a module may declare. Some of them promise instructions that are refused when one
/// is met: compilers declare more than they use.
fn is_supported(capability: Capability) -> bool {
    use Capability as C;
    matches!(
        capability,
        C::Matrix
            | C::Addresses
            | C::Linkage
            | C::Kernel
            | C::Vector16
            | C::Float16Buffer
            | C::Float16
            | C::Float64
            | C::Int64
            | C::Int64Atomics
            | C::Int16
            | C::Int8
            | C::Groups
            | C::GenericPointer
            | C::ImageBasic
            | C::ImageReadWrite
            | C::ImageMipmap
            | C::LiteralSampler
            | C::Sampled1D
            | C::Image1D
            | C::SampledBuffer
            | C::ImageBuffer
            | C::SubgroupDispatch
            | C::NamedBarrier
            | C::GroupNonUniform
            | C::GroupNonUniformVote
            | C::GroupNonUniformArithmetic
            | C::GroupNonUniformBallot
            | C::GroupNonUniformShuffle
            | C::GroupNonUniformShuffleRelative
            | C::GroupNonUniformClustered
            | C::GroupNonUniformRotateKHR
            | C::GroupUniformArithmeticKHR
            | C::SubgroupBallotKHR
            | C::SubgroupVoteKHR
            | C::SubgroupShuffleINTEL
            | C::SubgroupBufferBlockIOINTEL
            | C::AtomicFloat16AddEXT
            | C::AtomicFloat32AddEXT
            | C::AtomicFloat64AddEXT
            | C::AtomicFloat16MinMaxEXT
            | C::AtomicFloat32MinMaxEXT
            | C::AtomicFloat64MinMaxEXT
            | C::ExpectAssumeKHR
            | C::FPFastMathModeINTEL
            | C::FloatControls2
            | C::MemoryAccessAliasingINTEL
            | C::UnstructuredLoopControlsINTEL
            | C::OptNoneEXT
            | C::DenormPreserve
            | C::DenormFlushToZero
            | C::SignedZeroInfNanPreserve
            | C::RoundingModeRTE
            | C::KernelAttributesINTEL
            | C::DotProduct
            | C::DotProductInputAll
            | C::DotProductInput4x8Bit
            | C::DotProductInput4x8BitPacked
            | C::BitInstructions
            | C::GlobalVariableHostAccessINTEL
            | C::SplitBarrierINTEL
            | C::BFloat16ConversionINTEL
            | C::FunctionPointersINTEL
            | C::IndirectReferencesINTEL
            | C::IntegerFunctions2INTEL
            | C::GroupNonUniformQuad
            | C::ArithmeticFenceEXT
            | C::FMAKHR
            | C::ShaderClockKHR
            | C::SubgroupBufferPrefetchINTEL
            | C::UniformDecoration
            | C::CacheControlsINTEL
    )
}

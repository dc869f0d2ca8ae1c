//! From instructions to the model. Order of sections, definitions and literals are checked here;
//! what relates instructions to each other is left to [`crate::check`].

mod annotations;
mod constants;
mod functions;
mod preamble;
mod types;

use crate::decode::{self, Raw};
use crate::ids::Ids;
use crate::model::{Def, Module};
use crate::{Error, Id, Result, SpecOverride, grammar};
use rspirv::spirv::{AddressingModel, Op};
use std::collections::HashMap;

/// Reads a module of native words.
pub fn read(words: &[u32], spec: &[SpecOverride]) -> Result<Module> {
    let (header, instructions) = decode::open(words)?;
    let mut reader = Reader::new(&header, words.len(), spec);
    for raw in instructions {
        reader.instruction(&raw?)?;
    }
    reader.finish()
}

/// Sections of a module in the order they must come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    Capability,
    Extension,
    Import,
    MemoryModel,
    EntryPoint,
    ExecutionMode,
    Debug,
    Annotation,
    Global,
    Function,
}

struct Reader<'s> {
    module: Module,
    section: Section,
    spec: &'s [SpecOverride],
    /// Words of the whole module: limits how much may be derived from it.
    size: usize,
    has_memory_model: bool,
    /// Decorations of groups and their targets, expanded at the end of the annotations.
    groups: annotations::Groups,
    annotations_done: bool,
    /// Execution modes with the offset of their instruction; attached to entry points at the end.
    modes: Vec<preamble::Mode>,
    /// Pointer types declared ahead, with the offset of the declaration.
    forward: Vec<(Id, usize)>,
    /// The function being read.
    open: Option<functions::Open>,
}

impl<'s> Reader<'s> {
    fn new(header: &decode::Header, size: usize, spec: &'s [SpecOverride]) -> Self {
        Self {
            module: Module {
                version: header.version,
                generator: header.generator,
                bound: header.bound,
                capabilities: Vec::new(),
                extensions: Vec::new(),
                addressing: AddressingModel::Physical64,
                entry_points: Vec::new(),
                globals: Vec::new(),
                functions: Vec::new(),
                spec_constants: Vec::new(),
                alias: Vec::new(),
                function_pointers: Vec::new(),
                ids: Ids::new(size),
                names: Vec::new(),
                strings: Vec::new(),
                decorations: Vec::new(),
                weights: HashMap::new(),
            },
            section: Section::Capability,
            spec,
            size,
            has_memory_model: false,
            groups: annotations::Groups::default(),
            annotations_done: false,
            modes: Vec::new(),
            forward: Vec::new(),
            open: None,
        }
    }

    fn instruction(&mut self, raw: &Raw<'_>) -> Result<()> {
        if self.open.is_some() {
            return self.in_function(raw);
        }
        match raw.op {
            Op::Nop | Op::Line | Op::NoLine => return Ok(()),
            Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL => {
                return self.alias_declaration(raw);
            }
            _ => {}
        }
        let section = section_of(raw)?;
        if section < self.section {
            return Err(raw.invalid(format!(
                "stands after the section of {:?} declarations",
                self.section
            )));
        }
        self.section = section;
        if section > Section::MemoryModel && !self.has_memory_model {
            return Err(raw.invalid("no memory model is declared before it"));
        }
        if section >= Section::Global && !self.annotations_done {
            self.finish_annotations()?;
        }
        match section {
            Section::Capability
            | Section::Extension
            | Section::Import
            | Section::MemoryModel
            | Section::EntryPoint
            | Section::ExecutionMode
            | Section::Debug => self.preamble(raw),
            Section::Annotation => self.annotation(raw),
            Section::Global => self.global(raw),
            Section::Function => self.in_function(raw),
        }
    }

    fn global(&mut self, raw: &Raw<'_>) -> Result<()> {
        match raw.op {
            Op::Variable => self.variable(raw),
            Op::ExtInst => self.info_instruction(raw),
            Op::Undef
            | Op::ConstantTrue
            | Op::ConstantFalse
            | Op::Constant
            | Op::ConstantComposite
            | Op::ConstantSampler
            | Op::ConstantNull
            | Op::ConstantFunctionPointerINTEL
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstant
            | Op::SpecConstantComposite
            | Op::SpecConstantOp => self.constant(raw),
            _ => self.ty(raw),
        }
    }

    /// An extended instruction outside functions can only carry information.
    fn info_instruction(&mut self, raw: &Raw<'_>) -> Result<()> {
        let (ty, id, set) = (raw.word(0)?, raw.word(1)?, raw.word(2)?);
        self.expect_type(raw, ty)?;
        match self.module.def(set) {
            Def::ExtSet(crate::ExtSet::Info) => self.define(raw, id, Def::Other),
            _ => Err(raw.invalid("an extended instruction outside of a function")),
        }
    }

    fn alias_declaration(&mut self, raw: &Raw<'_>) -> Result<()> {
        let module = &self.module;
        grammar::walk(raw, |id| match module.def(id) {
            Def::Alias(_) | Def::Other => Ok(()),
            _ => Err(raw.invalid(format!("id {id} is no alias declaration or string"))),
        })?;
        let id = raw.word(0)?;
        let index = self.module.alias.len() as u32;
        self.define(raw, id, Def::Alias(index))?;
        self.module.alias.push(crate::Inst {
            op: raw.op,
            ty: 0,
            id,
            args: raw.rest(1).into(),
            offset: raw.offset,
        });
        Ok(())
    }

    /// Gives `id` its meaning.
    fn define(&mut self, raw: &Raw<'_>, id: Id, def: Def) -> Result<()> {
        if id == 0 || id >= self.module.bound {
            return Err(raw.invalid(format!(
                "result id {id} is not below the bound {}",
                self.module.bound
            )));
        }
        if self.module.ids.define(id, def) {
            Ok(())
        } else {
            Err(raw.invalid(format!("id {id} is defined twice")))
        }
    }

    /// Checks that `id` is a type already defined.
    fn expect_type(&self, raw: &Raw<'_>, id: Id) -> Result<()> {
        match self.module.def(id) {
            Def::Type(..) => Ok(()),
            _ => Err(raw.invalid(format!("id {id} is no type defined before"))),
        }
    }

    fn finish(mut self) -> Result<Module> {
        if self.open.is_some() {
            return Err(Error::invalid(self.size, "the last function has no end"));
        }
        if !self.has_memory_model {
            return Err(Error::invalid(self.size, "no memory model is declared"));
        }
        if !self.annotations_done {
            self.finish_annotations()?;
        }
        if let Some((id, offset)) = self.forward.first() {
            return Err(Error::invalid(
                *offset,
                format!("pointer type {id} is declared ahead but never defined"),
            ));
        }
        self.attach_modes()?;
        Ok(self.module)
    }
}

/// The section an instruction outside of functions belongs to.
fn section_of(raw: &Raw<'_>) -> Result<Section> {
    Ok(match raw.op {
        Op::Capability => Section::Capability,
        Op::Extension => Section::Extension,
        Op::ExtInstImport => Section::Import,
        Op::MemoryModel => Section::MemoryModel,
        Op::EntryPoint => Section::EntryPoint,
        Op::ExecutionMode | Op::ExecutionModeId => Section::ExecutionMode,
        Op::String
        | Op::SourceExtension
        | Op::Source
        | Op::SourceContinued
        | Op::Name
        | Op::MemberName
        | Op::ModuleProcessed => Section::Debug,
        Op::Decorate
        | Op::MemberDecorate
        | Op::DecorateId
        | Op::DecorateString
        | Op::MemberDecorateString
        | Op::DecorationGroup
        | Op::GroupDecorate
        | Op::GroupMemberDecorate => Section::Annotation,
        Op::Function => Section::Function,
        Op::Variable | Op::ExtInst | Op::Undef => Section::Global,
        op if is_type_or_constant(op) => Section::Global,
        Op::Label => return Err(raw.invalid("may not stand outside of a function")),
        // A declaration: values have types.
        op if grammar::has_type_and_result(op) == (false, true) => {
            return Err(raw.unsupported("not of the OpenCL environment"));
        }
        _ => return Err(raw.invalid("may not stand outside of a function")),
    })
}

/// Types and constants have opcodes in a row, extensions' apart.
fn is_type_or_constant(op: Op) -> bool {
    matches!(op as u32, 19..=39 | 41..=46 | 48..=52) || op == Op::ConstantFunctionPointerINTEL
}

//! Links modules: one module of several, in which what one imports and another exports is the same
//! thing.
//!
//! Ids are renumbered. Types and plain constants that several modules have become one, because
//! SPIR-V compares types by id: a call into another module must find the very type of the callee.

use crate::{Error, Module, Result, decode::MAGIC};
use rspirv::binary::{Assemble, Consumer, ParseAction, parse_words};
use rspirv::dr::{Instruction, ModuleHeader, Operand};
use rspirv::spirv::{Decoration, LinkageType, Op};
use std::collections::{HashMap, HashSet};

/// Links `modules`, each the words of a whole module, in their order.
///
/// An import is resolved by an export of the same name, else by a link-once definition; imports that
/// nobody resolves stay. Of several link-once definitions the first is kept.
///
/// # Errors
/// What [`Module::parse`] says of a module; two exports of one name; an import of another kind than
/// the export; modules of different memory models.
pub fn link(modules: &[&[u32]]) -> Result<Vec<u32>> {
    let mut linker = Linker::default();
    for words in modules {
        let swapped: Vec<u32>;
        let words = if words.first() == Some(&MAGIC.swap_bytes()) {
            swapped = words.iter().map(|word| word.swap_bytes()).collect();
            &swapped
        } else {
            *words
        };
        // The parser below counts on well-formed modules.
        Module::parse(words, &[])?;
        linker.add(words)?;
    }
    linker.resolve()?;
    linker.finish()
}

/// Where an instruction stands, in the order of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Section {
    Capability,
    Extension,
    Import,
    MemoryModel,
    EntryPoint,
    ExecutionMode,
    Source,
    Name,
    Processed,
    Annotation,
    Global,
}

impl Section {
    fn of(op: Op) -> Section {
        match op {
            Op::Capability => Section::Capability,
            Op::Extension => Section::Extension,
            Op::ExtInstImport => Section::Import,
            Op::MemoryModel => Section::MemoryModel,
            Op::EntryPoint => Section::EntryPoint,
            Op::ExecutionMode | Op::ExecutionModeId => Section::ExecutionMode,
            Op::String | Op::Source | Op::SourceExtension | Op::SourceContinued => Section::Source,
            Op::Name | Op::MemberName => Section::Name,
            Op::ModuleProcessed => Section::Processed,
            Op::Decorate
            | Op::MemberDecorate
            | Op::DecorateId
            | Op::DecorateString
            | Op::MemberDecorateString
            | Op::DecorationGroup
            | Op::GroupDecorate
            | Op::GroupMemberDecorate
            | Op::AliasDomainDeclINTEL
            | Op::AliasScopeDeclINTEL
            | Op::AliasScopeListDeclINTEL => Section::Annotation,
            _ => Section::Global,
        }
    }
}

/// Whether two instructions of this kind with equal operands are one and the same.
fn is_shareable(op: Op) -> bool {
    use Op as O;
    matches!(
        op,
        O::TypeVoid
            | O::TypeBool
            | O::TypeInt
            | O::TypeFloat
            | O::TypeVector
            | O::TypeArray
            | O::TypeStruct
            | O::TypePointer
            | O::TypeFunction
            | O::TypeEvent
            | O::TypeDeviceEvent
            | O::TypeReserveId
            | O::TypeQueue
            | O::TypePipe
            | O::TypeImage
            | O::TypeSampler
            | O::TypeSampledImage
            | O::Constant
            | O::ConstantTrue
            | O::ConstantFalse
            | O::ConstantNull
            | O::ConstantComposite
            | O::ConstantSampler
    )
}

/// A function with its instructions.
type Body = Vec<Instruction>;

/// Something that other modules see.
#[derive(Clone, Debug)]
struct Symbol {
    id: u32,
    kind: LinkageType,
    is_function: bool,
    /// Id of its type.
    ty: u32,
}

/// Shared instructions by their words and decorations, with their ids.
type Shared = HashMap<(Vec<u32>, Vec<Vec<u32>>), u32>;

#[derive(Default)]
struct Linker {
    /// Largest version of the modules so far.
    version: u32,
    next: u32,
    sections: HashMap<Section, Vec<Instruction>>,
    functions: Vec<Body>,
    shared: Shared,
    /// Instructions of which one is enough, by their words.
    seen: HashMap<Vec<u32>, u32>,
    symbols: HashMap<String, Vec<Symbol>>,
    /// Ids that became another.
    redirect: HashMap<u32, u32>,
    /// Ids that are no longer defined.
    dropped: HashSet<u32>,
    /// Ids that nobody outside knows any more.
    unlinked: HashSet<u32>,
}

/// Collects the instructions of a module.
#[derive(Default)]
struct Reader {
    header: Option<ModuleHeader>,
    insts: Vec<Instruction>,
}

impl Consumer for Reader {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }
    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }
    fn consume_header(&mut self, header: ModuleHeader) -> ParseAction {
        self.header = Some(header);
        ParseAction::Continue
    }
    fn consume_instruction(&mut self, inst: Instruction) -> ParseAction {
        self.insts.push(inst);
        ParseAction::Continue
    }
}

/// Changes every id of an instruction.
fn rename(inst: &mut Instruction, map: impl Fn(u32) -> u32) {
    if let Some(id) = &mut inst.result_type {
        *id = map(*id);
    }
    if let Some(id) = &mut inst.result_id {
        *id = map(*id);
    }
    for operand in &mut inst.operands {
        if let Some(id) = operand.id_ref_any_mut() {
            *id = map(*id);
        }
    }
}

/// The words of an instruction without its result.
fn words(inst: &Instruction) -> Vec<u32> {
    let mut plain = inst.clone();
    plain.result_id = None;
    plain.assemble()
}

/// The id that a decoration, name or execution mode is about.
fn target(inst: &Instruction) -> Option<u32> {
    inst.operands.first().and_then(Operand::id_ref_any)
}

impl Linker {
    /// Adds a module that has been checked.
    fn add(&mut self, module: &[u32]) -> Result<()> {
        let mut reader = Reader::default();
        parse_words(module, &mut reader)
            .map_err(|error| Error::unsupported(0, format!("linking such a module: {error}")))?;
        let header = reader
            .header
            .ok_or_else(|| Error::invalid(0, "a module has a header"))?;
        self.version = self.version.max(header.version);
        let base = self.next;
        self.next = base
            .checked_add(header.bound)
            .filter(|bound| *bound <= crate::decode::MAX_BOUND)
            .ok_or_else(|| Error::unsupported(3, "linking so many ids"))?;
        for inst in &mut reader.insts {
            rename(inst, |id| id + base);
        }

        let mut forward = HashSet::new();
        let mut decorations: HashMap<u32, Vec<Vec<u32>>> = HashMap::new();
        for inst in &reader.insts {
            if inst.class.opcode == Op::TypeForwardPointer {
                forward.extend(target(inst));
            }
            if Section::of(inst.class.opcode) == Section::Annotation
                && let Some(id) = target(inst)
            {
                let mut rest = inst.clone();
                rest.operands.drain(..1);
                decorations.entry(id).or_default().push(words(&rest));
            }
        }
        // The order in which decorations stand does not matter.
        decorations
            .values_mut()
            .for_each(|list| list.sort_unstable());

        let mut body: Option<Body> = None;
        for mut inst in std::mem::take(&mut reader.insts) {
            let redirect = &self.redirect;
            let op = inst.class.opcode;
            let own = inst.result_id;
            rename(&mut inst, |id| redirect.get(&id).copied().unwrap_or(id));
            if op == Op::Function {
                body = Some(Vec::new());
            }
            if let Some(list) = &mut body {
                list.push(inst);
                if op == Op::FunctionEnd {
                    self.functions.extend(body.take());
                }
                continue;
            }
            match Section::of(op) {
                Section::Capability | Section::Extension | Section::Import => {
                    self.once(inst, own);
                    continue;
                }
                Section::MemoryModel => {
                    let known = self.sections.entry(Section::MemoryModel).or_default();
                    match known.first() {
                        None => known.push(inst),
                        Some(first) if words(first) == words(&inst) => {}
                        Some(_) => {
                            let rule = "linked modules have one memory model";
                            return Err(Error::invalid(0, rule));
                        }
                    }
                    continue;
                }
                Section::Global if is_shareable(op) => {
                    let own = own.unwrap_or(0);
                    // Only structures may be equal with their decorations.
                    let list = decorations.get(&own).cloned().unwrap_or_default();
                    if !forward.contains(&own) && (list.is_empty() || op == Op::TypeStruct) {
                        let key = (words(&inst), list);
                        if let Some(known) = self.shared.get(&key) {
                            self.redirect.insert(own, *known);
                            self.dropped.insert(own);
                            continue;
                        }
                        self.shared.insert(key, own);
                    }
                }
                _ => {}
            }
            let section = Section::of(op);
            self.sections.entry(section).or_default().push(inst);
        }
        self.collect_symbols(base);
        Ok(())
    }

    /// Keeps an instruction unless there is one with the same words.
    fn once(&mut self, inst: Instruction, own: Option<u32>) {
        let key = words(&inst);
        match (self.seen.get(&key), own) {
            (Some(known), Some(own)) => {
                self.redirect.insert(own, *known);
                self.dropped.insert(own);
            }
            (Some(_), None) => {}
            (None, _) => {
                self.seen.insert(key, own.unwrap_or(0));
                let section = Section::of(inst.class.opcode);
                self.sections.entry(section).or_default().push(inst);
            }
        }
    }

    /// Notes what the module whose ids start at `base` imports and exports.
    fn collect_symbols(&mut self, base: u32) {
        // Whether it is a function, and its type.
        let mut types: HashMap<u32, (bool, u32)> = HashMap::new();
        for inst in self.functions.iter().filter_map(|body| body.first()) {
            if let (Some(id), Some(Operand::IdRef(ty))) = (inst.result_id, inst.operands.last()) {
                types.insert(id, (true, *ty));
            }
        }
        for inst in self.sections.get(&Section::Global).into_iter().flatten() {
            if let (Some(id), Some(ty)) = (inst.result_id, inst.result_type) {
                types.insert(id, (false, ty));
            }
        }
        let annotations = self.sections.get(&Section::Annotation);
        for inst in annotations.into_iter().flatten() {
            let [
                Operand::IdRef(id),
                Operand::Decoration(Decoration::LinkageAttributes),
                Operand::LiteralString(name),
                Operand::LinkageType(kind),
            ] = inst.operands.as_slice()
            else {
                continue;
            };
            if let Some((is_function, ty)) = types.get(id)
                && *id >= base
            {
                self.symbols.entry(name.clone()).or_default().push(Symbol {
                    id: *id,
                    kind: *kind,
                    is_function: *is_function,
                    ty: *ty,
                });
            }
        }
    }

    /// Decides which definition each name stands for.
    fn resolve(&mut self) -> Result<()> {
        let mut bridges = Vec::new();
        for (name, symbols) in &self.symbols {
            let mut exports = symbols.iter().filter(|s| s.kind == LinkageType::Export);
            let export = exports.next();
            if exports.next().is_some() {
                return Err(Error::invalid(0, format!("{name} is exported once")));
            }
            let chosen = export
                .or_else(|| symbols.iter().find(|s| s.kind == LinkageType::LinkOnceODR))
                .or_else(|| symbols.first());
            let Some(chosen) = chosen else {
                continue;
            };
            for symbol in symbols.iter().filter(|s| s.id != chosen.id) {
                if symbol.is_function == chosen.is_function && symbol.ty == chosen.ty {
                    self.redirect.insert(symbol.id, chosen.id);
                    self.dropped.insert(symbol.id);
                } else if chosen.kind == LinkageType::Import {
                    // Nobody defines it: whoever does later may tell them apart.
                } else if symbol.is_function && chosen.is_function {
                    bridges.push((name.clone(), symbol.clone(), chosen.clone()));
                } else {
                    let rule = format!("{name} has the same type in all linked modules");
                    return Err(Error::invalid(0, rule));
                }
            }
        }
        for (name, import, export) in bridges {
            self.bridge(&name, &import, &export)?;
        }
        Ok(())
    }

    /// A type by its id.
    fn ty(&self, id: u32) -> Option<&Instruction> {
        let mut globals = self.sections.get(&Section::Global)?.iter();
        globals.find(|inst| inst.result_id == Some(id))
    }

    /// Makes an import whose pointers point to other types than those of the export a function that
    /// calls the export: languages tell such types apart by module, machines do not.
    fn bridge(&mut self, name: &str, import: &Symbol, export: &Symbol) -> Result<()> {
        let differ = || {
            let rule = format!("{name} has the same type in all linked modules");
            Error::invalid(0, rule)
        };
        let parts = |ty: u32| -> Option<Vec<u32>> {
            let list = &self.ty(ty)?.operands;
            Some(list.iter().filter_map(Operand::id_ref_any).collect())
        };
        let (from, to) = (parts(import.ty), parts(export.ty));
        let (Some(from), Some(to)) = (from, to) else {
            return Err(differ());
        };
        let storage = |id: u32| match self.ty(id) {
            Some(inst) if inst.class.opcode == Op::TypePointer => inst.operands.first().cloned(),
            _ => None,
        };
        let fits =
            |(a, b): (&u32, &u32)| a == b || (storage(*a).is_some() && storage(*a) == storage(*b));
        if from.len() != to.len() || !from.iter().zip(&to).all(fits) {
            return Err(differ());
        }
        let is_void = |id: u32| self.ty(id).is_some_and(|t| t.class.opcode == Op::TypeVoid);
        let (Some(result), Some(callee_result)) = (from.first(), to.first()) else {
            return Err(differ());
        };
        let void = is_void(*result);
        let at = |body: &Body| body.first().and_then(|inst| inst.result_id) == Some(import.id);
        let Some(place) = self.functions.iter().position(at) else {
            return Err(differ());
        };

        let mut fresh = self.next;
        let mut new_id = || {
            fresh += 1;
            fresh - 1
        };
        let reference = Operand::IdRef;
        let mut code = vec![Instruction::new(
            Op::Label,
            None,
            Some(new_id()),
            Vec::new(),
        )];
        let mut call = vec![reference(export.id)];
        let body = self.functions.get(place).cloned().unwrap_or_default();
        let params = body
            .iter()
            .filter(|i| i.class.opcode == Op::FunctionParameter);
        for ((param, own), wanted) in params.zip(from.iter().skip(1)).zip(to.iter().skip(1)) {
            let Some(mut value) = param.result_id else {
                continue;
            };
            if own != wanted {
                let cast = new_id();
                let operands = vec![reference(value)];
                code.push(Instruction::new(
                    Op::Bitcast,
                    Some(*wanted),
                    Some(cast),
                    operands,
                ));
                value = cast;
            }
            call.push(reference(value));
        }
        let mut value = new_id();
        code.push(Instruction::new(
            Op::FunctionCall,
            Some(*callee_result),
            Some(value),
            call,
        ));
        if result != callee_result {
            let cast = new_id();
            let operands = vec![reference(value)];
            code.push(Instruction::new(
                Op::Bitcast,
                Some(*result),
                Some(cast),
                operands,
            ));
            value = cast;
        }
        code.push(if void {
            Instruction::new(Op::Return, None, None, Vec::new())
        } else {
            Instruction::new(Op::ReturnValue, None, None, vec![reference(value)])
        });
        self.next = fresh;
        if let Some(body) = self.functions.get_mut(place) {
            let end = body.len().saturating_sub(1);
            body.splice(end..end, code);
        }
        // It is no longer an import.
        self.unlinked.insert(import.id);
        Ok(())
    }

    /// The linked module.
    fn finish(mut self) -> Result<Vec<u32>> {
        // Functions that another stands for go with everything in them.
        let dropped = &mut self.dropped;
        self.functions.retain(|body| {
            let id = body.first().and_then(|inst| inst.result_id).unwrap_or(0);
            let goes = dropped.contains(&id);
            if goes {
                dropped.extend(body.iter().filter_map(|inst| inst.result_id));
            }
            !goes
        });
        // Declarations stand before definitions.
        self.functions
            .sort_by_key(|body| body.iter().any(|inst| inst.class.opcode == Op::Label));

        let redirect = &self.redirect;
        let dropped = &self.dropped;
        // One step is enough: what an id became is never given up itself.
        let map = |id: u32| redirect.get(&id).copied().unwrap_or(id);
        let mut out = Vec::new();
        ModuleHeader::new(self.next).assemble_into(&mut out);
        if let Some(version) = out.get_mut(1) {
            *version = self.version;
        }
        let mut order: Vec<Section> = self.sections.keys().copied().collect();
        order.sort_unstable();
        for section in order {
            for inst in self.sections.get(&section).into_iter().flatten() {
                let linkage = Operand::Decoration(Decoration::LinkageAttributes);
                let unlinked = inst.operands.get(1) == Some(&linkage)
                    && target(inst).is_some_and(|id| self.unlinked.contains(&id));
                if unlinked {
                    continue;
                }
                if let Some(inst) = kept(inst, section, dropped) {
                    emit(inst, &map, &mut out);
                }
            }
        }
        for inst in self.functions.into_iter().flatten() {
            emit(inst, &map, &mut out);
        }
        Ok(out)
    }
}

/// An instruction outside functions as far as it is about things that are still there.
fn kept(inst: &Instruction, section: Section, dropped: &HashSet<u32>) -> Option<Instruction> {
    let mut inst = inst.clone();
    match section {
        Section::Name | Section::Annotation => match inst.class.opcode {
            Op::GroupDecorate => {
                let gone = |operand: &Operand| {
                    operand.id_ref_any().is_some_and(|id| dropped.contains(&id))
                };
                inst.operands.retain(|operand| !gone(operand));
            }
            _ if target(&inst).is_some_and(|id| dropped.contains(&id)) => return None,
            _ => {}
        },
        Section::Global if inst.result_id.is_some_and(|id| dropped.contains(&id)) => return None,
        _ => {}
    }
    Some(inst)
}

/// Writes an instruction with its final ids.
fn emit(mut inst: Instruction, map: &impl Fn(u32) -> u32, out: &mut Vec<u32>) {
    rename(&mut inst, map);
    if inst.class.opcode == Op::EntryPoint {
        // Variables that became one are listed once.
        let mut listed = HashSet::new();
        let mut place = 0;
        inst.operands.retain(|operand| {
            place += 1;
            // Model, function and name come first.
            place <= 3 || operand.id_ref_any().is_none_or(|id| listed.insert(id))
        });
    }
    inst.assemble_into(out);
}

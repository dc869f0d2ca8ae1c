//! How the values of neighbouring work-items relate, and which of them go which way.
//!
//! A value is the same in all lanes, or grows by a constant from lane to lane, or is anything. Lanes
//! of one sub-group that come to a place together form a class: where a branch sends all lanes of a
//! class one way, the class stays whole. Both are found together, from the hopeful side: everything
//! is uniform until something shows that it is not.

use std::collections::HashMap;

use super::calls::{self, Callee};
use super::cfg::{BlockId, Edge, Function, InstId, Node, Operand, RegionId};
use super::sync::{self, Points};
use crate::item::{group, item};
use crate::llvm::edit::{Builder, Kind, Opcode, Type};
use crate::translate::Point;

/// How a value differs between lanes that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Not known yet.
    Unknown,
    /// Lane `i` has the value of lane 0 plus `i` times this; 0 for a uniform value. Bytes for
    /// pointers.
    Stride(i64),
    /// No such relation.
    Varying,
}

impl Shape {
    pub const UNIFORM: Self = Self::Stride(0);

    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, shape) | (shape, Self::Unknown) => shape,
            (a, b) if a == b => a,
            _ => Self::Varying,
        }
    }

    fn stride(self) -> Option<i64> {
        match self {
            Self::Stride(by) => Some(by),
            _ => None,
        }
    }

    fn map(self, with: impl FnOnce(i64) -> i64) -> Self {
        match self {
            Self::Stride(by) => Self::Stride(with(by)),
            other => other,
        }
    }
}

/// The lanes that are together at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// All that are in use.
    Entry,
    /// Those that a divergent branch sends along the edge.
    Edge(Edge),
    /// Those that come together at the block.
    Join(BlockId),
    /// Those still in the loop.
    Loop(RegionId),
    /// Those that have left a loop by the edge.
    Exit(Edge),
}

/// Fields of a record that a load reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Item(i64),
    Group(i64),
}

/// What is known of a function's values and ways.
pub struct Shapes {
    pub values: Vec<Shape>,
    pub blocks: Vec<Class>,
    pub edges: HashMap<Edge, Class>,
    /// For each region whether lanes leave it at different times or places.
    pub divergent: Vec<bool>,
}

/// Finds the shapes of a kernel's function, whose first two parameters are the records of the
/// work-item and of the work-group.
pub fn find(f: &Function<'_>, builder: &Builder<'_>, points: &Points<'_>) -> Shapes {
    let mut shapes = Shapes {
        values: vec![Shape::Unknown; f.insts.len()],
        blocks: vec![Class::Entry; f.blocks.len()],
        edges: HashMap::new(),
        divergent: vec![false; f.regions.len()],
    };
    let mut finder = Finder {
        f,
        builder,
        points,
        shapes: &mut shapes,
    };
    loop {
        finder.classify(0, Class::Entry);
        let mut changed = false;
        for id in 0..f.insts.len() {
            let old = finder.shapes.values[id];
            let new = old.join(finder.shape(id));
            if new != old {
                finder.shapes.values[id] = new;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    finder.classify(0, Class::Entry);
    // What nothing was learnt of is never reached.
    for shape in &mut shapes.values {
        if *shape == Shape::Unknown {
            *shape = Shape::UNIFORM;
        }
    }
    shapes
}

/// The field that an instruction loads, if its address is a record's plus a constant.
pub fn field(f: &Function<'_>, id: InstId) -> Option<Field> {
    let inst = &f.insts[id];
    if inst.op != Opcode::LLVMLoad {
        return None;
    }
    let (param, offset) = record_address(f, inst.operands[0])?;
    match param {
        0 => Some(Field::Item(offset)),
        1 => Some(Field::Group(offset)),
        _ => None,
    }
}

/// Parameter and offset of an address.
pub fn record_address(f: &Function<'_>, address: Operand<'_>) -> Option<(usize, i64)> {
    match address {
        Operand::Param(index) => Some((index, 0)),
        Operand::Inst(at) => {
            let inst = &f.insts[at];
            if inst.op != Opcode::LLVMGetElementPtr || inst.operands.len() != 2 {
                return None;
            }
            let (param, offset) = record_address(f, inst.operands[0])?;
            let Operand::Constant(by) = inst.operands[1] else {
                return None;
            };
            let of = inst.raw.gep_type();
            let size = if of.is_int() {
                i64::from(of.bits() / 8)
            } else {
                return None;
            };
            Some((param, offset + size * by.constant_int()?))
        }
        Operand::Constant(_) => None,
    }
}

struct Finder<'a, 'm> {
    f: &'a Function<'m>,
    builder: &'a Builder<'m>,
    points: &'a Points<'a>,
    shapes: &'a mut Shapes,
}

impl Finder<'_, '_> {
    fn of(&self, operand: Operand<'_>) -> Shape {
        of(&self.shapes.values, operand)
    }

    /// Gives classes to the blocks and edges of a region.
    fn classify(&mut self, region: RegionId, header: Class) {
        let f = self.f;
        let nodes = &f.regions[region].nodes;
        let mut classes = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            let class = if at == 0 {
                header
            } else if f.regions[region].joins_all[at] {
                classes[f.regions[region].idom[at]]
            } else {
                let mut all = f
                    .edges_into(*node)
                    .into_iter()
                    .map(|e| self.shapes.edges[&e]);
                let first = all.next().unwrap_or(Class::Entry);
                if all.all(|c| c == first) {
                    first
                } else {
                    Class::Join(f.first_block(*node))
                }
            };
            classes.push(class);
            match *node {
                Node::Block(block) => self.classify_block(block, class),
                Node::Loop(inner) => self.classify_loop(inner, class),
            }
        }
    }

    fn classify_block(&mut self, block: BlockId, class: Class) {
        let f = self.f;
        self.shapes.blocks[block] = class;
        let diverges = match f.terminator(block).operands.first() {
            Some(condition) if f.blocks[block].succs.len() > 1 => {
                !matches!(self.of(*condition), Shape::Stride(0) | Shape::Unknown)
            }
            _ => false,
        };
        for next in &f.blocks[block].succs {
            let edge = (block, *next);
            let class = if diverges { Class::Edge(edge) } else { class };
            self.shapes.edges.insert(edge, class);
        }
    }

    fn classify_loop(&mut self, region: RegionId, class: Class) {
        let f = self.f;
        let inner = &f.regions[region];
        let back = inner.latch.map(|latch| (latch, inner.header));
        if !self.shapes.divergent[region] {
            self.classify(region, class);
            let mut ways = inner.exits.iter().copied().chain(back);
            self.shapes.divergent[region] = ways.any(|edge| self.shapes.edges[&edge] != class);
        }
        if self.shapes.divergent[region] {
            self.classify(region, Class::Loop(region));
        }
        for edge in &inner.exits {
            let class = if self.shapes.divergent[region] && inner.exits.len() > 1 {
                Class::Exit(*edge)
            } else {
                class
            };
            self.shapes.edges.insert(*edge, class);
        }
    }

    /// Whether a value of `from` that comes along an edge was computed in a loop that lanes leave at
    /// different times.
    fn left_divergent_loop(&self, operand: Operand<'_>, edge: Edge) -> bool {
        let Operand::Inst(at) = operand else {
            return false;
        };
        let defined = self.f.blocks[self.f.insts[at].block].region;
        let target = self.f.blocks[edge.1].region;
        let mut region = defined;
        while !self.f.is_within(target, region) {
            if self.shapes.divergent[region] {
                return true;
            }
            match self.f.regions[region].parent {
                Some(parent) => region = parent,
                None => break,
            }
        }
        false
    }

    fn phi(&self, id: InstId) -> Shape {
        let f = self.f;
        let block = f.insts[id].block;
        let incoming = f.incoming(id);
        let mut joined = Shape::Unknown;
        for (operand, from) in &incoming {
            if self.left_divergent_loop(*operand, (*from, block)) {
                return Shape::Varying;
            }
            joined = joined.join(self.of(*operand));
        }
        let region = f.blocks[block].region;
        let is_header = region != 0 && f.regions[region].header == block;
        let mut classes = incoming
            .iter()
            .filter_map(|(_, from)| self.shapes.edges.get(&(*from, block)));
        let first = classes.next();
        let together = classes.all(|c| Some(c) == first);
        let same = incoming
            .iter()
            .all(|(operand, _)| *operand == incoming[0].0);
        if is_header || together || same {
            joined
        } else {
            Shape::Varying
        }
    }

    fn shape(&self, id: InstId) -> Shape {
        let inst = &self.f.insts[id];
        let shapes: Vec<Shape> = inst.operands.iter().map(|o| self.of(*o)).collect();
        if inst.op == Opcode::LLVMPHI {
            return self.phi(id);
        }
        if shapes.contains(&Shape::Unknown) && inst.op != Opcode::LLVMCall {
            return Shape::Unknown;
        }
        let uniform = shapes.iter().all(|s| *s == Shape::UNIFORM);
        let pure = if uniform {
            Shape::UNIFORM
        } else {
            Shape::Varying
        };
        let constant = |index: usize| match inst.operands[index] {
            Operand::Constant(value) => value.constant_int(),
            _ => None,
        };
        match inst.op {
            Opcode::LLVMLoad => match field(self.f, id) {
                Some(Field::Item(item::LOCAL_ID | item::LINEAR | item::LANE)) => Shape::Stride(1),
                Some(_) => Shape::UNIFORM,
                None if uniform && !inst.raw.is_special_access() => Shape::UNIFORM,
                None => Shape::Varying,
            },
            Opcode::LLVMAlloca => Shape::Stride(private_stride(self.builder, self.f, id)),
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => Shape::Varying,
            Opcode::LLVMCall if let Some(point) = self.point(id) => sync::shape(point, &shapes),
            Opcode::LLVMCall => match calls::callee(inst.raw) {
                Callee::Nothing => Shape::UNIFORM,
                Callee::Pure if shapes.contains(&Shape::Unknown) => Shape::Unknown,
                Callee::Pure => pure,
                Callee::Uniform => Shape::UNIFORM,
                Callee::Lanes => Shape::Varying,
            },
            Opcode::LLVMFreeze => shapes[0],
            _ if uniform => Shape::UNIFORM,
            Opcode::LLVMAdd => strides(&shapes, inst.ty, i64::wrapping_add),
            Opcode::LLVMOr if inst.raw.is_disjoint() => {
                strides(&shapes, inst.ty, i64::wrapping_add)
            }
            Opcode::LLVMSub => strides(&shapes, inst.ty, i64::wrapping_sub),
            Opcode::LLVMMul => match (constant(0), constant(1)) {
                (_, Some(by)) => shapes[0].map(|s| wrap(s.wrapping_mul(by), inst.ty)),
                (Some(by), _) => shapes[1].map(|s| wrap(s.wrapping_mul(by), inst.ty)),
                _ => Shape::Varying,
            },
            Opcode::LLVMShl => match constant(1) {
                Some(by @ 0..64) => shapes[0].map(|s| wrap(s.wrapping_shl(by as u32), inst.ty)),
                _ => Shape::Varying,
            },
            Opcode::LLVMTrunc if inst.ty.bits() >= 8 => shapes[0].map(|s| wrap(s, inst.ty)),
            Opcode::LLVMZExt | Opcode::LLVMSExt if inst.ty.bits() <= 64 => {
                let signed = inst.op == Opcode::LLVMSExt;
                exact(self.f, &self.shapes.values, inst.operands[0], signed)
                    .map_or(Shape::Varying, Shape::Stride)
            }
            Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr => {
                let int = if inst.ty.is_int() {
                    inst.ty
                } else {
                    inst.raw.operand(0).ty()
                };
                if int.bits() == 64 {
                    shapes[0]
                } else {
                    Shape::Varying
                }
            }
            Opcode::LLVMGetElementPtr => self.gep(id, &shapes),
            Opcode::LLVMSelect => {
                if shapes[0] == Shape::UNIFORM || inst.operands[1] == inst.operands[2] {
                    shapes[1].join(shapes[2])
                } else {
                    Shape::Varying
                }
            }
            _ => Shape::Varying,
        }
    }

    /// The synchronisation point that a call stands for.
    fn point(&self, id: InstId) -> Option<&Point> {
        let callee = self.f.insts[id].raw.callee();
        let name = callee.is_function().then(|| callee.name())?;
        self.points.find(&name).map(|(_, point)| point)
    }

    fn gep(&self, id: InstId, shapes: &[Shape]) -> Shape {
        let inst = &self.f.insts[id];
        let Some(mut total) = shapes[0].stride() else {
            return Shape::Varying;
        };
        let mut of = inst.raw.gep_type();
        for (at, shape) in shapes.iter().enumerate().skip(1) {
            let Some(by) = shape.stride() else {
                return Shape::Varying;
            };
            if at > 1 {
                if of.kind() == Kind::LLVMStructTypeKind {
                    let Operand::Constant(member) = inst.operands[at] else {
                        return Shape::Varying;
                    };
                    let member = member.constant_int().unwrap_or(0);
                    of = of.members()[usize::try_from(member).unwrap_or(0)];
                    continue;
                }
                of = of.element();
            }
            if by == 0 {
                continue;
            }
            // Shorter indices are extended, and may wrap before.
            if inst.raw.operand(at as u32).ty().bits() != 64 {
                return Shape::Varying;
            }
            let size = self.builder.size_of(of).cast_signed();
            total = total.wrapping_add(by.wrapping_mul(size));
        }
        Shape::Stride(total)
    }
}

fn of(values: &[Shape], operand: Operand<'_>) -> Shape {
    match operand {
        Operand::Inst(id) => values[id],
        Operand::Param(_) | Operand::Constant(_) => Shape::UNIFORM,
    }
}

/// The stride of a short integer as a number without bounds, so that it can be extended. `signed` says
/// how the short integer is read. Holds where ids are below 2^31.
pub fn exact(
    f: &Function<'_>,
    values: &[Shape],
    operand: Operand<'_>,
    signed: bool,
) -> Option<i64> {
    let shape = of(values, operand);
    if shape == Shape::UNIFORM {
        return Some(0);
    }
    let (Operand::Inst(id), Shape::Stride(stride)) = (operand, shape) else {
        return None;
    };
    let inst = &f.insts[id];
    let keeps = if signed {
        inst.raw.no_signed_wrap()
    } else {
        inst.raw.no_unsigned_wrap()
    };
    let constant = |index: usize| match inst.operands[index] {
        Operand::Constant(value) => value.constant_int().filter(|n| n.unsigned_abs() < 1 << 31),
        _ => None,
    };
    match inst.op {
        Opcode::LLVMLoad if field(f, id).is_some() => Some(stride),
        Opcode::LLVMTrunc if inst.ty.bits() >= 32 && is_small(f, inst.operands[0]) => Some(stride),
        Opcode::LLVMAdd | Opcode::LLVMSub if keeps => {
            let a = exact(f, values, inst.operands[0], signed)?;
            let b = exact(f, values, inst.operands[1], signed)?;
            if inst.op == Opcode::LLVMAdd {
                a.checked_add(b)
            } else {
                a.checked_sub(b)
            }
        }
        Opcode::LLVMMul if keeps => {
            let by = constant(1).filter(|by| signed || *by >= 0)?;
            let a = exact(f, values, inst.operands[0], signed)?;
            a.checked_mul(by)
        }
        Opcode::LLVMShl if keeps => {
            let by = constant(1).filter(|by| (0..31).contains(by))?;
            let a = exact(f, values, inst.operands[0], signed)?;
            a.checked_mul(1 << by)
        }
        Opcode::LLVMZExt => exact(f, values, inst.operands[0], false),
        Opcode::LLVMSExt if signed => exact(f, values, inst.operands[0], true),
        _ => None,
    }
}

/// Whether a 64-bit value is an id: from 0 on and, in launches of such sizes, below 2^31.
pub fn is_small(f: &Function<'_>, operand: Operand<'_>) -> bool {
    let load = |operand| match operand {
        Operand::Inst(id) => field(f, id),
        _ => None,
    };
    let Operand::Inst(id) = operand else {
        return false;
    };
    match field(f, id) {
        Some(Field::Item(offset)) => (item::LOCAL_ID..=item::LINEAR).contains(&offset),
        Some(Field::Group(_)) => false,
        None => {
            let inst = &f.insts[id];
            if inst.op != Opcode::LLVMAdd {
                return false;
            }
            let pair = [load(inst.operands[0]), load(inst.operands[1])];
            (0..3).map(|dim| 8 * dim).any(|dim| {
                let first = Some(Field::Group(group::FIRST + dim));
                let local = Some(Field::Item(item::LOCAL_ID + dim));
                pair == [first, local] || pair == [local, first]
            })
        }
    }
}

/// Bytes from a lane's private variable to the next lane's.
pub fn private_stride(builder: &Builder<'_>, f: &Function<'_>, id: InstId) -> i64 {
    let inst = &f.insts[id];
    let size = builder.size_of(inst.raw.allocated()).max(1);
    size.next_multiple_of(u64::from(inst.raw.align().max(1)))
        .cast_signed()
}

fn strides(shapes: &[Shape], ty: Type<'_>, with: fn(i64, i64) -> i64) -> Shape {
    match (shapes[0].stride(), shapes[1].stride()) {
        (Some(a), Some(b)) => Shape::Stride(wrap(with(a, b), ty)),
        _ => Shape::Varying,
    }
}

/// A stride as a number of the type's width.
pub fn wrap(stride: i64, ty: Type<'_>) -> i64 {
    let unused = 64u32.saturating_sub(ty.bits());
    stride << unused >> unused
}

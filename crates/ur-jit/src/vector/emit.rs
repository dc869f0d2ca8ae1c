//! Writes the vectorised function.
//!
//! The blocks of a region run one after another in an order in which every edge goes forward. Each
//! has a mask: the lanes that are to run it. Blocks that a uniform branch leads to are jumped over
//! when it goes the other way; those that lanes part for are jumped over when no lane is left for
//! them, if that is worth a branch. A loop runs while a lane is in it.
//!
//! A lane that is not in a block's mask may hold anything there, poison included. So masks are made
//! by `select`, never by `and`, and what may trap or touch memory looks at the mask.

use std::collections::HashMap;

use super::calls;
use super::cfg::{BlockId, Edge, Function, InstId, Node, Operand, RegionId};
use super::math::{self, Definition, Features};
use super::phases::PASSING;
use super::shape::{self, Shape, Shapes};
use super::sync::Points;
use super::{Refused, calls::Callee};
use crate::llvm::edit::{Block, Builder, IntPredicate, Kind, Opcode, Type, Value};

/// A value of all lanes.
#[derive(Clone, Debug)]
pub enum Repr<'m> {
    /// Lane 0's value and what is added from lane to lane.
    Scalar(Value<'m>, i64),
    /// A vector with an element for each lane.
    Vector(Value<'m>),
    /// The members of a structure.
    Members(Vec<Repr<'m>>),
}

/// The lanes that run a piece of code.
#[derive(Clone, Copy, Debug)]
pub struct Mask<'m> {
    /// Whether it runs at all; always if nothing.
    pub uniform: Option<Value<'m>>,
    /// Which lanes do.
    pub lanes: Value<'m>,
    /// Whether it is known that there is one.
    pub some: bool,
}

/// What is known of a mask without looking at its lanes.
#[derive(Clone, Copy, Debug)]
pub struct Tests<'m> {
    /// Whether it has a lane.
    pub any: Value<'m>,
    /// Whether it has all lanes.
    pub all: Value<'m>,
}

/// A branch around a block.
#[derive(Clone, Debug)]
struct Detour<'m> {
    /// Where the branch is, and where both ways come together.
    skip: Block<'m>,
    after: Block<'m>,
    /// Ends of the block's code, with the lanes that it ran for; nothing where those are all.
    ends: Vec<(Block<'m>, Option<Value<'m>>)>,
}

pub struct Emitter<'a, 'm> {
    pub f: &'a Function<'m>,
    pub shapes: &'a Shapes,
    pub b: &'a Builder<'m>,
    pub target: Value<'m>,
    pub lanes: u32,
    values: Vec<Option<Repr<'m>>>,
    edges: HashMap<Edge, Mask<'m>>,
    pub tests: HashMap<Value<'m>, Tests<'m>>,
    /// Masks in the form of integers whose sign is set in their lanes, of as many bits as the values
    /// that they choose from. Processors without registers for masks keep them in that form, and
    /// between blocks LLVM does not.
    spread: HashMap<Value<'m>, Value<'m>>,
    /// The branches around the blocks that edges come from.
    detours: HashMap<Edge, Detour<'m>>,
    /// Values that a phi gets along an edge out of a loop, where they are not those of the last
    /// round.
    left_with: HashMap<(Edge, InstId), Repr<'m>>,
    /// Vectors made of scalars, for each of the pieces of code that are open.
    wide: Vec<HashMap<InstId, Value<'m>>>,
    /// Values defined in the open pieces of code.
    defined: Vec<Vec<InstId>>,
    /// Where memory of the function is made.
    entry: Block<'m>,
    /// Whether there are several lanes.
    pub together: Value<'m>,
    /// Bits of the elements in which lane numbers are compared: as many as the widest values have that
    /// masks are used on.
    pub mask_bits: u32,
    pub points: &'a Points<'a>,
    /// The processor's features, and vector functions that are called.
    pub features: Features,
    functions: Vec<Definition>,
}

/// Instructions beyond which a block without memory accesses is worth a branch around it.
const LONG: usize = 12;

/// Instructions up to which a block is written twice: for all lanes, and for those of a mask.
const BRIEF: usize = 16;

/// Instructions up to which a kernel is written twice, see [`emit`].
const SHORT: usize = 150;

/// Writes the body of `target`.
///
/// # Errors
/// If an instruction cannot be written.
pub fn emit<'m>(
    f: &Function<'m>,
    shapes: &Shapes,
    b: &Builder<'m>,
    target: Value<'m>,
    lanes: u32,
    points: &Points<'_>,
    features: Features,
) -> Result<Vec<Definition>, Refused> {
    let entry = b.block(target, "entry");
    let body = b.block(target, "body");
    b.at_end(body);
    let mask_bits = 8 * super::widest(f, shapes, b);
    let emitter = |together| Emitter {
        f,
        shapes,
        b,
        target,
        lanes,
        values: vec![None; f.insts.len()],
        edges: HashMap::new(),
        tests: HashMap::new(),
        spread: HashMap::new(),
        detours: HashMap::new(),
        left_with: HashMap::new(),
        wide: vec![HashMap::new()],
        defined: vec![Vec::new()],
        entry,
        together,
        mask_bits,
        points,
        features,
        functions: Vec::new(),
    };
    let count = target.params()[3];
    let mut functions: Vec<Definition> = Vec::new();
    let mut add = |more: Vec<Definition>| {
        for function in more {
            if functions.iter().all(|known| known.name != function.name) {
                functions.push(function);
            }
        }
    };
    // Without masks where all lanes are there and the processor's masked accesses are slow.
    if !features.avx512 && f.insts.len() <= SHORT {
        let (full, part) = (b.block(target, "full"), b.block(target, "part"));
        let all = count.ty().int(i64::from(lanes));
        let is_full = b.icmp(IntPredicate::LLVMIntEQ, count, all);
        b.cond_br(is_full, full, part);
        b.at_end(full);
        let bit = b.int_type(1);
        let mut whole = emitter(bit.ones());
        let mask = Mask {
            uniform: None,
            lanes: bit.vector(lanes).ones(),
            some: true,
        };
        whole.region(0, mask)?;
        b.ret_void();
        add(whole.functions);
        b.at_end(part);
    }
    let together = b.icmp(IntPredicate::LLVMIntNE, count, count.ty().int(1));
    let mut some = emitter(together);
    let mask = Mask {
        uniform: None,
        lanes: some.first_lanes(count),
        some: true,
    };
    some.region(0, mask)?;
    b.ret_void();
    add(some.functions);
    b.at_end(entry);
    b.br(body);
    Ok(functions)
}

impl<'a, 'm> Emitter<'a, 'm> {
    /// The vector of `0`, `stride`, `2 * stride` and so on.
    pub fn lane_numbers(&self, ty: Type<'m>, stride: i64) -> Value<'m> {
        let numbers: Vec<Value<'m>> = (0..i64::from(self.lanes))
            .map(|lane| ty.int(lane.wrapping_mul(stride)))
            .collect();
        self.b.constant_vector(&numbers)
    }

    /// A vector type of as many elements as there are lanes.
    pub fn vector_of(&self, ty: Type<'m>) -> Type<'m> {
        ty.vector(self.lanes)
    }

    /// No lanes.
    fn none(&self) -> Value<'m> {
        self.vector_of(self.b.int_type(1)).zero()
    }

    /// The lanes of a mask as an integer's bits.
    pub fn bits(&self, lanes: Value<'m>) -> Value<'m> {
        self.b
            .cast(Opcode::LLVMBitCast, lanes, self.b.int_type(self.lanes))
    }

    /// Whether there is a lane.
    pub fn any(&self, lanes: Value<'m>) -> Value<'m> {
        if let Some(tests) = self.tests.get(&lanes) {
            return tests.any;
        }
        if let Some(spread) = self.spread.get(&lanes) {
            return self.any_sign(*spread);
        }
        let bits = self.bits(lanes);
        self.b.icmp(IntPredicate::LLVMIntNE, bits, bits.ty().zero())
    }

    /// Whether the sign of an element is set.
    fn any_sign(&self, spread: Value<'m>) -> Value<'m> {
        let b = self.b;
        let register = if self.features.avx2 { 256 } else { 128 };
        let (mut all, mut count) = (spread, self.lanes);
        while count * self.mask_bits > register {
            let half = |from: u32| {
                let order: Vec<u32> = (from..from + count / 2).collect();
                b.shuffle(all, all.ty().poison(), &order)
            };
            all = b.binary(Opcode::LLVMOr, half(0), half(count / 2));
            count /= 2;
        }
        let signs = self.signs(all);
        let bits = b.cast(Opcode::LLVMBitCast, signs, b.int_type(count));
        b.icmp(IntPredicate::LLVMIntNE, bits, bits.ty().zero())
    }

    fn signs(&self, spread: Value<'m>) -> Value<'m> {
        self.b
            .icmp(IntPredicate::LLVMIntSLT, spread, spread.ty().zero())
    }

    /// A mask in its other form, which is made unless it is there.
    fn spread(&self, lanes: Value<'m>) -> Value<'m> {
        self.spread.get(&lanes).copied().unwrap_or_else(|| {
            let ty = self.vector_of(self.b.int_type(self.mask_bits));
            self.b.cast(Opcode::LLVMSExt, lanes, ty)
        })
    }

    /// The mask of a form.
    fn gathered(&mut self, spread: Value<'m>) -> Value<'m> {
        let lanes = self.signs(spread);
        self.spread.insert(lanes, spread);
        lanes
    }

    /// Whether all lanes are there.
    pub fn all(&self, lanes: Value<'m>) -> Value<'m> {
        if let Some(tests) = self.tests.get(&lanes) {
            return tests.all;
        }
        let bits = self.bits(lanes);
        self.b.icmp(IntPredicate::LLVMIntEQ, bits, bits.ty().ones())
    }

    /// A mask's lanes, none if it does not run.
    fn fold(&self, mask: &Mask<'m>) -> Value<'m> {
        match mask.uniform {
            Some(runs) => self.b.select(runs, mask.lanes, self.none()),
            None => mask.lanes,
        }
    }

    /// Memory that is written and read in one place.
    pub fn passing_memory(&self, ty: Type<'m>) -> Value<'m> {
        let made = self.alloca(ty, 64);
        made.rename(PASSING);
        made
    }

    /// Memory of the function itself.
    pub fn alloca(&self, ty: Type<'m>, align: u32) -> Value<'m> {
        let here = self.b.current();
        self.b.at_start(self.entry);
        let made = self.b.alloca(ty, align);
        self.b.at_end(here);
        made
    }

    /// What an operand is.
    pub fn repr(&self, operand: Operand<'m>) -> Repr<'m> {
        match operand {
            Operand::Inst(id) => self.values[id]
                .clone()
                .unwrap_or_else(|| Repr::Scalar(self.f.insts[id].ty.poison(), 0)),
            Operand::Param(index) => Repr::Scalar(self.target.params()[index], 0),
            Operand::Constant(value) => Repr::Scalar(value, 0),
        }
    }

    /// The value of a uniform operand, or lane 0's of one with a stride.
    pub fn scalar(&self, operand: Operand<'m>) -> Value<'m> {
        match self.repr(operand) {
            Repr::Scalar(value, _) => value,
            // Shapes are known to be uniform where this is called.
            Repr::Vector(value) => value,
            Repr::Members(_) => self.b.int_type(1).poison(),
        }
    }

    /// The vector of an operand.
    pub fn vector(&mut self, operand: Operand<'m>) -> Value<'m> {
        if let Operand::Inst(id) = operand
            && let Some(made) = self.wide.iter().find_map(|open| open.get(&id))
        {
            return *made;
        }
        let repr = self.repr(operand);
        let made = self.widen(&repr);
        if let (Operand::Inst(id), Repr::Scalar(..), Some(open)) =
            (operand, &repr, self.wide.last_mut())
        {
            open.insert(id, made);
        }
        made
    }

    /// The vector of a value.
    pub fn widen(&self, repr: &Repr<'m>) -> Value<'m> {
        match repr {
            Repr::Vector(value) => *value,
            Repr::Scalar(value, 0) => self.b.splat(*value, self.lanes),
            Repr::Scalar(value, stride) => {
                let ty = value.ty();
                if ty.is_ptr() {
                    let offsets = self.lane_numbers(self.b.int_type(64), *stride);
                    return self.b.ptr_add(*value, offsets);
                }
                let numbers = self.lane_numbers(ty, *stride);
                let first = self.b.splat(*value, self.lanes);
                self.b.binary(Opcode::LLVMAdd, first, numbers)
            }
            Repr::Members(_) => self.b.int_type(1).poison(),
        }
    }

    pub fn shape(&self, id: InstId) -> Shape {
        self.shapes.values[id]
    }

    /// Whether an operand is the same in all lanes.
    pub fn is_uniform(&self, operand: Operand<'m>) -> bool {
        match self.repr(operand) {
            Repr::Scalar(_, stride) => stride == 0,
            Repr::Vector(_) => false,
            Repr::Members(members) => members.iter().all(|m| matches!(m, Repr::Scalar(_, 0))),
        }
    }

    /// Writes a piece of code that does not always run: what it makes vectors of is not there after it.
    pub fn aside<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        self.wide.push(HashMap::new());
        let result = write(self);
        self.wide.pop();
        result
    }

    /// Gives an instruction its value.
    pub fn set(&mut self, id: InstId, repr: Repr<'m>) {
        self.values[id] = Some(repr);
        if let Some(open) = self.defined.last_mut() {
            open.push(id);
        }
    }

    /// The other form of what [`Self::fold`] gives.
    fn fold_spread(&self, mask: &Mask<'m>) -> Value<'m> {
        let spread = self.spread(mask.lanes);
        match mask.uniform {
            Some(runs) => self.b.select(runs, spread, spread.ty().zero()),
            None => spread,
        }
    }

    fn region(&mut self, region: RegionId, mask: Mask<'m>) -> Result<(), Refused> {
        let f = self.f;
        let nodes = &f.regions[region].nodes;
        let mut masks = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            let mask = if at == 0 {
                mask
            } else if f.regions[region].joins_all[at] {
                masks[f.regions[region].idom[at]]
            } else {
                self.joined(*node)
            };
            masks.push(mask);
            self.guarded(*node, mask)?;
        }
        Ok(())
    }

    /// The mask of a node to which not all lanes come that could.
    fn joined(&mut self, node: Node) -> Mask<'m> {
        let into: Vec<Mask<'m>> = self
            .f
            .edges_into(node)
            .iter()
            .filter_map(|edge| self.edges.get(edge).copied())
            .collect();
        let Some(first) = into.first().copied() else {
            return Mask {
                uniform: None,
                lanes: self.none(),
                some: false,
            };
        };
        if into.iter().all(|m| m.lanes == first.lanes) {
            let mut runs = first.uniform;
            for other in &into[1..] {
                runs = match (runs, other.uniform) {
                    (Some(a), Some(b)) => Some(self.either(a, b)),
                    _ => None,
                };
            }
            return Mask {
                uniform: runs,
                ..first
            };
        }
        let lanes = if into.iter().all(|m| self.spread.contains_key(&m.lanes)) {
            let mut spread = self.fold_spread(&first);
            for other in &into[1..] {
                let more = self.fold_spread(other);
                spread = self.b.binary(Opcode::LLVMOr, spread, more);
            }
            self.gathered(spread)
        } else {
            let mut lanes = self.fold(&first);
            for other in &into[1..] {
                let more = self.fold(other);
                lanes = self.b.binary(Opcode::LLVMOr, lanes, more);
            }
            lanes
        };
        Mask {
            uniform: None,
            lanes,
            some: false,
        }
    }

    fn either(&self, a: Value<'m>, b: Value<'m>) -> Value<'m> {
        self.b.select(a, self.b.int_type(1).int(1), b)
    }

    /// Whether a branch around a node is worth it, or needed, where its mask may be empty.
    fn needs_branch(&self, node: Node) -> bool {
        let Node::Block(block) = node else {
            return true;
        };
        let insts = &self.f.blocks[block].insts;
        if insts.len() > LONG {
            return true;
        }
        insts.clone().any(|id| {
            let inst = &self.f.insts[id];
            match inst.op {
                Opcode::LLVMLoad
                | Opcode::LLVMStore
                | Opcode::LLVMAtomicRMW
                | Opcode::LLVMAtomicCmpXchg
                | Opcode::LLVMFence
                | Opcode::LLVMUDiv
                | Opcode::LLVMSDiv
                | Opcode::LLVMURem
                | Opcode::LLVMSRem => true,
                Opcode::LLVMCall => calls::callee(inst.raw) != Callee::Nothing,
                // Going somewhere takes a condition that is not poison.
                Opcode::LLVMBr => self.f.blocks[block].succs.len() > 1,
                _ => false,
            }
        })
    }

    /// Writes a node, with a branch around it where it may not have to run.
    fn guarded(&mut self, node: Node, mask: Mask<'m>) -> Result<(), Refused> {
        let check = !mask.some && self.needs_branch(node);
        if mask.uniform.is_none() && !check {
            return self.node(node, mask);
        }
        let condition = match (mask.uniform, check) {
            (Some(uniform), true) => {
                let any = self.any(mask.lanes);
                self.b.select(uniform, any, any.ty().zero())
            }
            (Some(uniform), false) => uniform,
            (None, _) => self.any(mask.lanes),
        };
        let (body, after) = (
            self.b.block(self.target, "run"),
            self.b.block(self.target, "after"),
        );
        let skip = self.b.current();
        self.b.cond_br(condition, body, after);
        self.b.at_end(body);
        let some = mask.some || check;
        let inside = |lanes| Mask {
            uniform: None,
            lanes,
            some,
        };
        let mut ways = Vec::new();
        let mut ends = Vec::new();
        let known = self.tests.get(&mask.lanes).copied();
        if let Some(tests) = known.filter(|tests| !tests.all.is_constant() && self.is_brief(node)) {
            let [whole, parts] = ["whole", "parts"].map(|name| self.b.block(self.target, name));
            self.b.cond_br(tests.all, whole, parts);
            self.b.at_end(whole);
            let way = self.way(node, inside(mask.lanes.ty().ones()), after)?;
            ends.push((way.0, None));
            ways.push(way);
            self.b.at_end(parts);
            let all = tests.all.ty().zero();
            self.tests.insert(mask.lanes, Tests { all, ..tests });
            let way = self.way(node, inside(mask.lanes), after)?;
            self.tests.insert(mask.lanes, tests);
            ends.push((way.0, Some(mask.lanes)));
            ways.push(way);
        } else {
            let way = self.way(node, inside(mask.lanes), after)?;
            ends.push((way.0, Some(mask.lanes)));
            ways.push(way);
        }
        self.b.at_end(after);
        let merge = |value: Value<'m>, other: Value<'m>| {
            let phi = self.b.phi(value.ty());
            for (end, _) in &ways {
                phi.add_incoming(value, *end);
            }
            phi.add_incoming(other, skip);
            phi
        };
        let mut kept = Vec::new();
        for (id, _) in &ways[0].1 {
            if !self.is_used_outside(*id, node) {
                continue;
            }
            let all: Vec<(&Repr<'m>, Block<'m>)> = ways
                .iter()
                .filter_map(|(end, values)| {
                    let (_, repr) = values.iter().find(|(other, _)| other == id)?;
                    Some((repr, *end))
                })
                .collect();
            kept.push((*id, self.merged(&all, skip)?));
        }
        let from = self.f.edges_from(node);
        let left: Vec<_> = self
            .left_with
            .iter()
            .filter(|((edge, _), _)| from.contains(edge))
            .map(|(key, repr)| (*key, map(repr, &|v| merge(v, v.ty().poison()))))
            .collect();
        let mut masks = Vec::new();
        for edge in from {
            let Some(inner) = self.edges.get(&edge).copied() else {
                continue;
            };
            let mut spread = None;
            let lanes = if inner.lanes == mask.lanes {
                mask.lanes
            } else if let Some(inner) = self.spread.get(&inner.lanes) {
                let joined = merge(*inner, inner.ty().zero());
                spread = Some(joined);
                joined
            } else {
                merge(inner.lanes, self.none())
            };
            let uniform = match inner.uniform {
                Some(uniform) => Some(merge(uniform, self.b.int_type(1).zero())),
                None if inner.lanes == mask.lanes => mask.uniform,
                None => None,
            };
            masks.push((
                edge,
                Mask {
                    uniform,
                    lanes,
                    some: mask.some && inner.some && inner.lanes == mask.lanes,
                },
                spread,
            ));
        }
        let masks: Vec<(Edge, Mask<'m>)> = masks
            .into_iter()
            .map(|(edge, mask, spread)| match spread {
                Some(spread) => {
                    let lanes = self.gathered(spread);
                    (edge, Mask { lanes, ..mask })
                }
                None => (edge, mask),
            })
            .collect();
        for (id, repr) in kept {
            self.values[id] = Some(repr);
            if let Some(open) = self.defined.last_mut() {
                open.push(id);
            }
        }
        self.left_with.extend(left);
        if let Node::Block(_) = node {
            for (edge, _) in &masks {
                let ends = ends.clone();
                self.detours.insert(*edge, Detour { skip, after, ends });
            }
        }
        self.edges.extend(masks);
        Ok(())
    }

    /// Writes a node's code up to a jump to `after`. Gives its last block, and its values.
    fn way(
        &mut self,
        node: Node,
        mask: Mask<'m>,
        after: Block<'m>,
    ) -> Result<(Block<'m>, Vec<(InstId, Repr<'m>)>), Refused> {
        self.wide.push(HashMap::new());
        self.defined.push(Vec::new());
        self.node(node, mask)?;
        let end = self.b.current();
        self.b.br(after);
        self.wide.pop();
        let defined = self.defined.pop().unwrap_or_default();
        let values = defined
            .into_iter()
            .filter_map(|id| Some((id, self.values[id].clone()?)))
            .collect();
        Ok((end, values))
    }

    /// Joins what a value is at the ends of several blocks; at that of `skip` it is nothing.
    fn merged(
        &self,
        ways: &[(&Repr<'m>, Block<'m>)],
        skip: Block<'m>,
    ) -> Result<Repr<'m>, Refused> {
        let join = |all: Vec<(Value<'m>, Block<'m>)>| {
            let ty = all[0].0.ty();
            let phi = self.b.phi(ty);
            for (value, end) in all {
                phi.add_incoming(value, end);
            }
            phi.add_incoming(ty.poison(), skip);
            phi
        };
        let other = || Refused::new("a value of two forms");
        match ways[0].0 {
            Repr::Scalar(_, by) => ways
                .iter()
                .map(|(repr, end)| match repr {
                    Repr::Scalar(value, also) if also == by => Ok((*value, *end)),
                    _ => Err(other()),
                })
                .collect::<Result<_, _>>()
                .map(|all| Repr::Scalar(join(all), *by)),
            Repr::Vector(_) => ways
                .iter()
                .map(|(repr, end)| match repr {
                    Repr::Vector(value) => Ok((*value, *end)),
                    _ => Err(other()),
                })
                .collect::<Result<_, _>>()
                .map(|all| Repr::Vector(join(all))),
            Repr::Members(members) => (0..members.len())
                .map(|at| {
                    let all: Vec<_> = ways
                        .iter()
                        .map(|(repr, end)| match repr {
                            Repr::Members(members) => {
                                members.get(at).map(|m| (m, *end)).ok_or_else(other)
                            }
                            _ => Err(other()),
                        })
                        .collect::<Result<_, _>>()?;
                    self.merged(&all, skip)
                })
                .collect::<Result<_, _>>()
                .map(Repr::Members),
        }
    }

    /// Whether a node is a block worth being written twice: short, with accesses of memory that a mask
    /// makes slow, and nothing that lanes do one by one.
    fn is_brief(&self, node: Node) -> bool {
        let Node::Block(block) = node else {
            return false;
        };
        let insts = &self.f.blocks[block].insts;
        let is = |id: InstId, ops: &[Opcode]| ops.contains(&self.f.insts[id].op);
        insts.len() <= BRIEF
            && self.f.blocks[block].succs.len() < 2
            && insts
                .clone()
                .any(|id| is(id, &[Opcode::LLVMLoad, Opcode::LLVMStore]))
            && !insts.clone().any(|id| {
                let inst = &self.f.insts[id];
                match inst.op {
                    Opcode::LLVMCall => calls::callee(inst.raw) != Callee::Nothing,
                    Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMAlloca => true,
                    _ => false,
                }
            })
    }

    /// Whether a value is used elsewhere than in a node.
    fn is_used_outside(&self, id: InstId, node: Node) -> bool {
        self.f.insts[id].users.iter().any(|user| {
            let block = self.f.insts[*user].block;
            // A phi reads at the end of the block that it gets the value from, and does so after
            // that block is written.
            match node {
                Node::Block(at) => block != at || self.f.insts[*user].op == Opcode::LLVMPHI,
                Node::Loop(region) => !self.f.is_within(self.f.blocks[block].region, region),
            }
        })
    }

    fn node(&mut self, node: Node, mask: Mask<'m>) -> Result<(), Refused> {
        match node {
            Node::Block(block) => self.block(block, mask),
            Node::Loop(region) => self.each_round(region, mask),
        }
    }

    fn block(&mut self, block: BlockId, mask: Mask<'m>) -> Result<(), Refused> {
        let f = self.f;
        let region = f.blocks[block].region;
        let is_header = region != 0 && f.regions[region].header == block;
        for id in f.blocks[block].insts.clone() {
            match f.insts[id].op {
                // Those of loops are there already.
                Opcode::LLVMPHI if is_header => {}
                Opcode::LLVMPHI => self.blend(id),
                Opcode::LLVMBr | Opcode::LLVMRet | Opcode::LLVMUnreachable => {}
                _ => self.instruction(id, &mask)?,
            }
        }
        let succs = &f.blocks[block].succs;
        if let [yes, no] = succs[..] {
            let condition = f.terminator(block).operands[0];
            let diverges = !self.is_uniform(condition);
            let one = self.b.int_type(1).ones();
            let (to_yes, to_no) = if diverges {
                let bits = self.vector(condition);
                let none = self.none();
                let not = self.b.binary(Opcode::LLVMXor, bits, none.ty().ones());
                let (yes, no) = if self.is_all(&mask) {
                    if let Some(Tests { any, all }) = self.tests.get(&bits).copied() {
                        let [any, all] = [all, any].map(|t| self.b.binary(Opcode::LLVMXor, t, one));
                        self.tests.insert(not, Tests { any, all });
                    }
                    (bits, not)
                } else if let Some(spread) = self.spread.get(&mask.lanes).copied() {
                    let none = spread.ty().zero();
                    let yes = self.b.select(bits, spread, none);
                    let no = self.b.select(bits, none, spread);
                    (self.gathered(yes), self.gathered(no))
                } else {
                    let yes = self.b.select(mask.lanes, bits, none);
                    (yes, self.b.select(mask.lanes, not, none))
                };
                (
                    Mask {
                        uniform: mask.uniform,
                        lanes: yes,
                        some: false,
                    },
                    Mask {
                        uniform: mask.uniform,
                        lanes: no,
                        some: false,
                    },
                )
            } else {
                let bit = self.scalar(condition);
                let not = self.b.binary(Opcode::LLVMXor, bit, one);
                let within = |bit: Value<'m>| match mask.uniform {
                    Some(outer) => self.b.select(outer, bit, one.ty().zero()),
                    None => bit,
                };
                (
                    Mask {
                        uniform: Some(within(bit)),
                        ..mask
                    },
                    Mask {
                        uniform: Some(within(not)),
                        ..mask
                    },
                )
            };
            self.edges.insert((block, yes), to_yes);
            self.edges.insert((block, no), to_no);
        } else if let [next] = succs[..] {
            self.edges.insert((block, next), mask);
        }
        Ok(())
    }

    /// What a phi gets along an edge.
    fn along(&self, id: InstId, operand: Operand<'m>, edge: Edge) -> Repr<'m> {
        match self.left_with.get(&(edge, id)) {
            Some(repr) => repr.clone(),
            None => self.repr(operand),
        }
    }

    /// A phi behind a branch around a block, `old` being what it gets along the other way: lanes are
    /// put together where the block has run.
    fn behind_detour(&self, edge: Edge, new: Value<'m>, old: Value<'m>) -> Option<Value<'m>> {
        let b = self.b;
        let detour = self.detours.get(&edge)?;
        let is_here = |value: Value<'m>| value.is_instruction() && value.block() == detour.after;
        // The other value must have been there before the branch.
        if b.current() != detour.after || !is_here(new) || is_here(old) {
            return None;
        }
        if new.opcode() != Opcode::LLVMPHI {
            return None;
        }
        let mut ways = vec![(old, detour.skip)];
        for (value, from) in new.incoming() {
            if from == detour.skip {
                continue;
            }
            let (_, lanes) = detour.ends.iter().find(|(end, _)| *end == from)?;
            ways.push(match lanes {
                Some(lanes) => {
                    b.before(from.terminator());
                    (b.select(*lanes, value, old), from)
                }
                None => (value, from),
            });
        }
        b.at_start(detour.after);
        let phi = b.phi(old.ty());
        for (value, from) in ways {
            phi.add_incoming(value, from);
        }
        b.at_end(detour.after);
        Some(phi)
    }

    /// A phi where ways join.
    fn blend(&mut self, id: InstId) {
        let f = self.f;
        let block = f.insts[id].block;
        let mut ways: Vec<(Repr<'m>, Mask<'m>)> = Vec::new();
        for (operand, from) in f.incoming(id) {
            let edge = (from, block);
            if let Some(mask) = self.edges.get(&edge) {
                ways.push((self.along(id, operand, edge), *mask));
            }
        }
        if let [from_x, from_y] = f.incoming(id)[..]
            && let [(Repr::Vector(x), to_x), (Repr::Vector(y), to_y)] = &ways[..]
            && to_x.uniform.is_none()
            && to_y.uniform.is_none()
            && self.shape(id) == Shape::Varying
        {
            let made = self
                .behind_detour((from_x.1, block), *x, *y)
                .or_else(|| self.behind_detour((from_y.1, block), *y, *x));
            if let Some(made) = made {
                return self.set(id, Repr::Vector(made));
            }
        }
        // The way without a condition, if there is one, comes last: it is taken when no other is.
        ways.sort_by_key(|(_, mask)| mask.uniform.is_some());
        let Some((first, _)) = ways.first().cloned() else {
            return self.set(id, Repr::Scalar(f.insts[id].ty.poison(), 0));
        };
        let uniform = matches!(self.shape(id), Shape::Stride(_));
        let mut result = if uniform {
            first
        } else {
            self.all_wide(&first)
        };
        for (repr, mask) in &ways[1..] {
            result = if uniform {
                let runs = mask.uniform.unwrap_or_else(|| self.b.int_type(1).ones());
                self.choose(runs, repr, &result)
            } else {
                let lanes = self.fold(mask);
                let repr = self.all_wide(repr);
                self.choose(lanes, &repr, &result)
            };
        }
        self.set(id, result);
    }

    /// A value as a vector, or as vectors.
    fn all_wide(&self, repr: &Repr<'m>) -> Repr<'m> {
        match repr {
            Repr::Members(members) => {
                Repr::Members(members.iter().map(|m| self.all_wide(m)).collect())
            }
            other => Repr::Vector(self.widen(other)),
        }
    }

    fn choose(&self, condition: Value<'m>, yes: &Repr<'m>, no: &Repr<'m>) -> Repr<'m> {
        match (yes, no) {
            (Repr::Scalar(a, stride), Repr::Scalar(b, _)) => Repr::Scalar(
                if a == b {
                    *a
                } else {
                    self.b.select(condition, *a, *b)
                },
                *stride,
            ),
            (Repr::Vector(a), Repr::Vector(b)) => Repr::Vector(self.b.select(condition, *a, *b)),
            (Repr::Members(a), Repr::Members(b)) => Repr::Members(
                a.iter()
                    .zip(b)
                    .map(|(a, b)| self.choose(condition, a, b))
                    .collect(),
            ),
            (a, _) => a.clone(),
        }
    }

    /// A loop.
    fn each_round(&mut self, region: RegionId, mask: Mask<'m>) -> Result<(), Refused> {
        let f = self.f;
        let inner = &f.regions[region];
        let header = inner.header;
        let Some(latch) = inner.latch else {
            return Err(Refused::new("a loop without a latch"));
        };
        let divergent = self.shapes.divergent[region];
        let several = inner.exits.len() > 1;
        // The phis, and what they are at first.
        let phis: Vec<InstId> = f.blocks[header]
            .insts
            .clone()
            .filter(|id| f.insts[*id].op == Opcode::LLVMPHI)
            .collect();
        let mut firsts = Vec::new();
        for id in &phis {
            let (operand, from) = f
                .incoming(*id)
                .into_iter()
                .find(|(_, from)| *from != latch)
                .ok_or_else(|| Refused::new("a loop that is not entered"))?;
            let first = self.along(*id, operand, (from, header));
            firsts.push(match (self.shape(*id), &first) {
                (Shape::Stride(_), Repr::Scalar(value, _)) => *value,
                (Shape::Stride(_), _) => {
                    return Err(Refused::new("a value that is not as it was found to be"));
                }
                _ => self.widen(&first),
            });
        }
        let spreads = divergent && !self.features.avx512;
        let first_lanes = if spreads {
            self.spread(mask.lanes)
        } else {
            mask.lanes
        };
        let nobody = first_lanes.ty().zero();
        let entering = self.b.current();
        let head = self.b.block(self.target, "loop");
        self.b.br(head);
        self.b.at_end(head);
        let mut carried = Vec::new();
        for (id, first) in phis.iter().zip(firsts) {
            let ty = f.insts[*id].ty;
            let (repr, raw) = match self.shape(*id) {
                Shape::Stride(by) => {
                    let raw = self.b.phi(ty);
                    (Repr::Scalar(raw, by), raw)
                }
                _ if ty.is_scalar() => {
                    let raw = self.b.phi(self.vector_of(ty));
                    (Repr::Vector(raw), raw)
                }
                _ => return Err(Refused::new("a structure carried round a loop")),
            };
            raw.add_incoming(first, entering);
            carried.push((*id, repr, raw));
        }
        let lanes = divergent.then(|| self.b.phi(first_lanes.ty()));
        let gone: Vec<(Edge, Value<'m>)> = if divergent && several {
            inner
                .exits
                .iter()
                .map(|e| (*e, self.b.phi(first_lanes.ty())))
                .collect()
        } else {
            Vec::new()
        };
        let mut results = Vec::new();
        if divergent {
            for edge in &inner.exits {
                for id in f.blocks[edge.1].insts.clone() {
                    let inst = &f.insts[id];
                    if inst.op != Opcode::LLVMPHI {
                        break;
                    }
                    let Some((operand, _)) =
                        f.incoming(id).into_iter().find(|(_, from)| *from == edge.0)
                    else {
                        continue;
                    };
                    let Operand::Inst(used) = operand else {
                        continue;
                    };
                    if !f.is_within(f.blocks[f.insts[used].block].region, region) {
                        continue;
                    }
                    if !inst.ty.is_scalar() {
                        return Err(Refused::new("a structure that comes out of a loop"));
                    }
                    let raw = self.b.phi(self.vector_of(inst.ty));
                    results.push((*edge, id, operand, raw));
                }
            }
        }
        if let Some(lanes) = lanes {
            lanes.add_incoming(first_lanes, entering);
        }
        for (_, phi) in &gone {
            phi.add_incoming(nobody, entering);
        }
        for (_, _, _, phi) in &results {
            phi.add_incoming(phi.ty().poison(), entering);
        }
        self.wide.push(HashMap::new());
        for (id, repr, _) in &carried {
            self.set(*id, repr.clone());
        }

        let inside = match lanes {
            Some(lanes) => Mask {
                uniform: None,
                lanes: if spreads { self.gathered(lanes) } else { lanes },
                some: true,
            },
            None => mask,
        };
        self.region(region, inside)?;
        let back = self
            .edges
            .get(&(latch, header))
            .copied()
            .ok_or_else(|| Refused::new("a loop without an edge back"))?;

        // What the next round starts with.
        let mut nexts = Vec::new();
        for (id, repr, _) in &carried {
            let (operand, _) = f
                .incoming(*id)
                .into_iter()
                .find(|(_, from)| *from == latch)
                .ok_or_else(|| Refused::new("a loop that does not go round"))?;
            nexts.push(match repr {
                Repr::Vector(_) => self.vector(operand),
                _ => self.scalar(operand),
            });
        }
        let mut left = Vec::new();
        for (edge, id, operand, phi) in &results {
            // Of lanes that stay, a later round's comes in its place.
            let value = match self.left_with.get(&(*edge, *id)) {
                Some(repr) => self.widen(repr),
                None => self.vector(*operand),
            };
            let kept = self.b.select(inside.lanes, value, *phi);
            left.push(((*edge, *id), *phi, kept));
        }
        let mut outside = Vec::new();
        for edge in &inner.exits {
            let going = self.edges.get(edge).copied();
            let after = match (divergent, several) {
                (_, false) => mask,
                (false, true) => Mask {
                    uniform: Some(going.map_or_else(
                        || self.b.int_type(1).zero(),
                        |m| m.uniform.unwrap_or_else(|| self.b.int_type(1).ones()),
                    )),
                    ..mask
                },
                (true, true) => {
                    let now = match going {
                        Some(mask) if spreads => self.fold_spread(&mask),
                        Some(mask) => self.fold(&mask),
                        None => nobody,
                    };
                    let phi = gone.iter().find(|(e, _)| e == edge);
                    let phi = phi.map_or(nobody, |(_, phi)| *phi);
                    // The mask itself is made of this behind the loop.
                    let all = self.b.binary(Opcode::LLVMOr, phi, now);
                    Mask {
                        uniform: None,
                        lanes: all,
                        some: false,
                    }
                }
            };
            outside.push((*edge, after));
        }
        let again = if divergent {
            if spreads {
                let staying = self.fold_spread(&back);
                (self.any_sign(staying), Some(staying))
            } else {
                let staying = self.fold(&back);
                (self.any(staying), Some(staying))
            }
        } else {
            (
                back.uniform.unwrap_or_else(|| self.b.int_type(1).ones()),
                None,
            )
        };
        let end = self.b.current();
        let out = self.b.block(self.target, "out");
        self.b.cond_br(again.0, head, out);
        for ((_, _, raw), next) in carried.iter().zip(nexts) {
            raw.add_incoming(next, end);
        }
        if let (Some(lanes), Some(staying)) = (lanes, again.1) {
            lanes.add_incoming(staying, end);
        }
        for (edge, phi) in &gone {
            let after = outside.iter().find(|(e, _)| e == edge);
            phi.add_incoming(after.map_or(nobody, |(_, m)| m.lanes), end);
        }
        for (key, phi, kept) in left {
            phi.add_incoming(kept, end);
            self.left_with.insert(key, Repr::Vector(kept));
        }
        self.b.at_end(out);
        self.wide.pop();
        if spreads && several {
            for (_, mask) in &mut outside {
                mask.lanes = self.gathered(mask.lanes);
            }
        }
        self.edges.extend(outside);
        Ok(())
    }

    fn instruction(&mut self, id: InstId, mask: &Mask<'m>) -> Result<(), Refused> {
        let inst = &self.f.insts[id];
        match inst.op {
            Opcode::LLVMLoad => return self.load(id, mask),
            Opcode::LLVMStore => return self.store(id, mask),
            Opcode::LLVMAlloca => return self.private(id),
            Opcode::LLVMCall => return self.call(id, mask),
            Opcode::LLVMAtomicRMW => return self.atomic(id, mask),
            Opcode::LLVMAtomicCmpXchg => return self.each_lane(id, mask),
            Opcode::LLVMFence => {
                self.b.repeat(inst.raw);
                return Ok(());
            }
            Opcode::LLVMExtractValue => return self.member(id),
            _ => {}
        }
        let operands = inst.operands.clone();
        match self.shape(id) {
            Shape::Stride(0) if operands.iter().all(|o| self.is_uniform(*o)) => {
                let copy = self.repeat(id);
                self.set(id, Repr::Scalar(copy, 0));
            }
            Shape::Stride(by) => {
                let value = self.linear(id)?;
                self.set(id, Repr::Scalar(value, by));
            }
            _ => {
                let value = self.each_element(id, mask)?;
                self.set(id, Repr::Vector(value));
            }
        }
        Ok(())
    }

    /// The same instruction on uniform operands.
    pub fn repeat(&mut self, id: InstId) -> Value<'m> {
        let inst = &self.f.insts[id];
        let operands: Vec<Value<'m>> = inst.operands.iter().map(|o| self.scalar(*o)).collect();
        let copy = self.b.repeat(inst.raw);
        for (at, operand) in operands.into_iter().enumerate() {
            copy.set_operand(at as u32, operand);
        }
        copy
    }

    /// Lane 0's value of a value with a stride. Without any promise about overflow: lane 0 may not
    /// be there, and then the original never computed its value.
    fn linear(&mut self, id: InstId) -> Result<Value<'m>, Refused> {
        let inst = &self.f.insts[id];
        let operands = &inst.operands;
        Ok(match inst.op {
            Opcode::LLVMZExt | Opcode::LLVMSExt => {
                let signed = inst.op == Opcode::LLVMSExt;
                let wide = self.extended(operands[0], signed)?;
                // A work-item on its own may have any id.
                let own = self.b.cast(inst.op, self.scalar(operands[0]), wide.ty());
                let wide = self.b.select(self.together, wide, own);
                if inst.ty.bits() == 64 {
                    wide
                } else {
                    self.b.cast(Opcode::LLVMTrunc, wide, inst.ty)
                }
            }
            Opcode::LLVMTrunc | Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr => {
                self.b.cast(inst.op, self.scalar(operands[0]), inst.ty)
            }
            Opcode::LLVMFreeze => self.scalar(operands[0]),
            Opcode::LLVMSelect => {
                let [condition, yes, no] = [0, 1, 2].map(|i| self.repr(operands[i]));
                match (condition, yes, no) {
                    (Repr::Scalar(c, 0), Repr::Scalar(a, _), Repr::Scalar(b, _)) => {
                        self.b.select(c, a, b)
                    }
                    (_, Repr::Scalar(a, _), _) => a,
                    _ => return Err(Refused::new("a choice of another shape")),
                }
            }
            Opcode::LLVMGetElementPtr => {
                let base = self.scalar(operands[0]);
                let indices: Vec<Value<'m>> =
                    operands[1..].iter().map(|o| self.scalar(*o)).collect();
                self.b.gep(inst.raw.gep_type(), base, &indices, None)
            }
            op => {
                let op = if op == Opcode::LLVMOr {
                    Opcode::LLVMAdd
                } else {
                    op
                };
                let (a, b) = (self.scalar(operands[0]), self.scalar(operands[1]));
                self.b.binary(op, a, b)
            }
        })
    }

    /// Lane 0's value of a short integer, computed in 64 bits from the start. See [`shape::exact`].
    pub fn extended(&mut self, operand: Operand<'m>, signed: bool) -> Result<Value<'m>, Refused> {
        let wide = self.b.int_type(64);
        let cast = if signed {
            Opcode::LLVMSExt
        } else {
            Opcode::LLVMZExt
        };
        let Operand::Inst(id) = operand else {
            return Ok(self.b.cast(cast, self.scalar(operand), wide));
        };
        let inst = &self.f.insts[id];
        if self.shape(id) == Shape::UNIFORM || shape::field(self.f, id).is_some() {
            return Ok(self.b.cast(cast, self.scalar(operand), wide));
        }
        match inst.op {
            Opcode::LLVMTrunc => Ok(self.scalar(inst.operands[0])),
            Opcode::LLVMZExt => self.extended(inst.operands[0], false),
            Opcode::LLVMSExt => self.extended(inst.operands[0], true),
            Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul => {
                let a = self.extended(inst.operands[0], signed)?;
                let b = self.extended(inst.operands[1], signed)?;
                Ok(self.b.binary(inst.op, a, b))
            }
            Opcode::LLVMShl => {
                let a = self.extended(inst.operands[0], signed)?;
                let by = self.extended(inst.operands[1], false)?;
                Ok(self.b.binary(Opcode::LLVMShl, a, by))
            }
            _ => Err(Refused::new("an extension of another form")),
        }
    }

    /// An instruction on vectors.
    fn each_element(&mut self, id: InstId, mask: &Mask<'m>) -> Result<Value<'m>, Refused> {
        let inst = &self.f.insts[id];
        let operands = inst.operands.clone();
        let ty = self.vector_of(inst.ty);
        let made = match inst.op {
            Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMURem | Opcode::LLVMSRem => {
                return Ok(self.divide(id, mask));
            }
            Opcode::LLVMICmp => {
                if let Some(mask) = self.compare(id) {
                    return Ok(mask);
                }
                let (a, b) = (self.vector(operands[0]), self.vector(operands[1]));
                self.b.icmp(inst.raw.int_predicate(), a, b)
            }
            Opcode::LLVMFCmp => {
                let (a, b) = (self.vector(operands[0]), self.vector(operands[1]));
                self.b.fcmp_like(inst.raw, a, b)
            }
            Opcode::LLVMSelect => {
                let (yes, no) = (self.vector(operands[1]), self.vector(operands[2]));
                let condition = if self.is_uniform(operands[0]) {
                    self.scalar(operands[0])
                } else {
                    self.vector(operands[0])
                };
                self.b.select(condition, yes, no)
            }
            Opcode::LLVMFNeg => {
                let a = self.vector(operands[0]);
                self.b.fneg(a)
            }
            Opcode::LLVMFreeze => {
                let a = self.vector(operands[0]);
                self.b.freeze(a)
            }
            Opcode::LLVMGetElementPtr => {
                let base = if self.is_uniform(operands[0]) {
                    self.scalar(operands[0])
                } else {
                    self.vector(operands[0])
                };
                let mut indices = Vec::new();
                for operand in &operands[1..] {
                    indices.push(match operand {
                        Operand::Constant(value) => *value,
                        other => self.vector(*other),
                    });
                }
                let made = self
                    .b
                    .gep(inst.raw.gep_type(), base, &indices, Some(inst.raw));
                return Ok(made);
            }
            Opcode::LLVMFPTrunc
                if inst.raw.operand(0).ty().kind() == Kind::LLVMDoubleTypeKind
                    && inst.ty.kind() == Kind::LLVMHalfTypeKind =>
            {
                let a = self.vector(operands[0]);
                return Ok(self.to_half(a));
            }
            Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMFPToUI
            | Opcode::LLVMFPToSI
            | Opcode::LLVMUIToFP
            | Opcode::LLVMSIToFP
            | Opcode::LLVMFPTrunc
            | Opcode::LLVMFPExt
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMBitCast => {
                let a = self.vector(operands[0]);
                self.b.cast(inst.op, a, ty)
            }
            _ if operands.len() == 2 => {
                let (a, b) = (self.vector(operands[0]), self.vector(operands[1]));
                self.b.binary(inst.op, a, b)
            }
            op => return Err(Refused::new(format!("{op:?}"))),
        };
        self.b.copy_flags(inst.raw, made);
        Ok(made)
    }

    fn member(&mut self, id: InstId) -> Result<(), Refused> {
        let inst = &self.f.insts[id];
        let [index] = inst.raw.indices()[..] else {
            return Err(Refused::new("a member of a member"));
        };
        let value = match self.repr(inst.operands[0]) {
            Repr::Members(members) => members[index as usize].clone(),
            Repr::Scalar(value, _) => Repr::Scalar(self.b.extract_value(value, index), 0),
            Repr::Vector(_) => return Err(Refused::new("a member of a vector")),
        };
        self.set(id, value);
        Ok(())
    }

    fn call(&mut self, id: InstId, mask: &Mask<'m>) -> Result<(), Refused> {
        let inst = &self.f.insts[id];
        let callee = inst.raw.callee();
        if callee.is_function()
            && let Some((key, point)) = self.points.find(&callee.name())
        {
            return self.point(id, *key, point, mask);
        }
        let kind = calls::callee(inst.raw);
        let operands = inst.operands.clone();
        let uniform = operands.iter().all(|o| self.is_uniform(*o));
        match kind {
            Callee::Nothing => Ok(()),
            Callee::Uniform | Callee::Pure if uniform => {
                let copy = self.repeat(id);
                if !inst.ty.is_void() {
                    self.set(id, Repr::Scalar(copy, 0));
                }
                Ok(())
            }
            Callee::Uniform => Err(Refused::new("operands that should be uniform")),
            Callee::Pure => {
                let b = self.b;
                let ty = self.vector_of(inst.ty);
                let raw = inst.raw;
                let made =
                    calls::elementwise(b, raw, ty, |index| self.vector(operands[index as usize]));
                match made {
                    Some(value) => {
                        self.set(id, Repr::Vector(value));
                        Ok(())
                    }
                    None => match self.function(id, mask) {
                        Some(value) => {
                            self.set(id, Repr::Vector(value));
                            Ok(())
                        }
                        None => self.each_lane(id, mask),
                    },
                }
            }
            Callee::Lanes => {
                let callee = inst.raw.callee();
                if callee.is_function() && callee.name().starts_with("ur.") {
                    return Err(Refused::new(format!("a call of {}", callee.name())));
                }
                self.each_lane(id, mask)
            }
        }
    }
}

impl<'m> Emitter<'_, 'm> {
    /// Calls the vector form of a mathematical function, if there is one.
    fn function(&mut self, id: InstId, mask: &Mask<'m>) -> Option<Value<'m>> {
        let inst = &self.f.insts[id];
        let callee = inst.raw.callee().name();
        let name = callee.strip_prefix(math::PREFIX)?;
        let definition = math::function(name, self.lanes, self.features)?;
        let operands = inst.operands.clone();
        let mut args: Vec<Value<'m>> = operands.iter().map(|o| self.vector(*o)).collect();
        args.push(mask.lanes);
        let params: Vec<Type<'m>> = args.iter().map(|a| a.ty()).collect();
        let result = self.vector_of(inst.ty);
        let ty = self.b.function_type(result, &params);
        let function = self.b.declare(&definition.name, ty)?;
        self.functions.push(definition);
        Some(self.b.call(ty, function, &args))
    }
}

/// Applies `with` to all parts of a value.
fn map<'m>(repr: &Repr<'m>, with: &impl Fn(Value<'m>) -> Value<'m>) -> Repr<'m> {
    match repr {
        Repr::Scalar(value, stride) => Repr::Scalar(with(*value), *stride),
        Repr::Vector(value) => Repr::Vector(with(*value)),
        Repr::Members(members) => Repr::Members(members.iter().map(|m| map(m, with)).collect()),
    }
}

//! The function to be vectorised: its instructions by number, its loops, and the order in which its
//! blocks run.
//!
//! Blocks are arranged in regions: the function's body is one, each loop's body another. Within a
//! region an inner loop counts as one node, and edges that leave the region or return to its start
//! end it; so a region is a graph without cycles, its nodes in an order in which every edge goes
//! forward.

use std::collections::HashMap;

use super::Refused;
use crate::llvm::edit::{Block, Opcode, Type, Value};

/// Number of an instruction.
pub type InstId = usize;
/// Number of a block.
pub type BlockId = usize;
/// Number of a region; 0 is the function's body.
pub type RegionId = usize;

/// What an instruction uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand<'m> {
    /// Another instruction's value.
    Inst(InstId),
    /// A parameter.
    Param(usize),
    /// A constant, a function, a variable.
    Constant(Value<'m>),
}

/// An instruction.
pub struct Inst<'m> {
    pub raw: Value<'m>,
    pub op: Opcode,
    pub ty: Type<'m>,
    /// Without the blocks of branches and phis.
    pub operands: Vec<Operand<'m>>,
    pub block: BlockId,
    pub users: Vec<InstId>,
}

/// A basic block.
pub struct BasicBlock<'m> {
    pub raw: Block<'m>,
    /// Its instructions, the terminator last.
    pub insts: std::ops::Range<InstId>,
    /// Without those that cannot be reached.
    pub preds: Vec<BlockId>,
    pub succs: Vec<BlockId>,
    /// Innermost region.
    pub region: RegionId,
}

/// An edge by its blocks.
pub type Edge = (BlockId, BlockId);

/// A node of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Block(BlockId),
    Loop(RegionId),
}

/// The function's body or a loop.
#[derive(Debug)]
pub struct Region {
    /// First block.
    pub header: BlockId,
    /// The one block with an edge back to the header; the function's body has none.
    pub latch: Option<BlockId>,
    /// The region around.
    pub parent: Option<RegionId>,
    /// Nodes in the order in which they run.
    pub nodes: Vec<Node>,
    /// Edges that leave the loop.
    pub exits: Vec<Edge>,
    /// For each node the one that all ways to it pass through last, by position in `nodes`; the
    /// first one's is itself.
    pub idom: Vec<usize>,
    /// Whether all ways from the node's `idom` within the region come to it.
    pub joins_all: Vec<bool>,
}

/// The function.
pub struct Function<'m> {
    pub insts: Vec<Inst<'m>>,
    pub blocks: Vec<BasicBlock<'m>>,
    pub regions: Vec<Region>,
}

impl<'m> Function<'m> {
    /// Reads a function. Its loops must be in LLVM's simple form: one latch, and exits that only the
    /// loop leads to.
    ///
    /// # Errors
    /// If it is of another form.
    pub fn read(function: Value<'m>) -> Result<Self, Refused> {
        let mut this = Self {
            insts: Vec::new(),
            blocks: Vec::new(),
            regions: Vec::new(),
        };
        this.read_blocks(function)?;
        this.find_loops()?;
        for region in 0..this.regions.len() {
            this.arrange(region)?;
        }
        Ok(this)
    }

    /// Reads the blocks that can be reached, in reverse postorder.
    fn read_blocks(&mut self, function: Value<'m>) -> Result<(), Refused> {
        let all = function.blocks();
        let contents: HashMap<Block<'m>, Vec<Value<'m>>> =
            all.iter().map(|b| (*b, b.instructions())).collect();
        let successors = |block: Block<'m>| -> Vec<Block<'m>> {
            contents[&block]
                .last()
                .map(|t| t.successors())
                .unwrap_or_default()
        };
        let mut order = Vec::new();
        let mut seen: std::collections::HashSet<Block<'m>> = [all[0]].into();
        let mut stack = vec![(all[0], successors(all[0]))];
        while let Some((block, left)) = stack.last_mut() {
            match left.pop() {
                Some(next) => {
                    if seen.insert(next) {
                        let after = successors(next);
                        stack.push((next, after));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        let numbers: HashMap<Block<'m>, BlockId> =
            order.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        let mut ids: HashMap<Value<'m>, InstId> = HashMap::new();
        for block in &order {
            let start = ids.len();
            for inst in &contents[block] {
                ids.insert(*inst, ids.len());
            }
            self.blocks.push(BasicBlock {
                raw: *block,
                insts: start..ids.len(),
                preds: Vec::new(),
                succs: Vec::new(),
                region: 0,
            });
        }
        let params: HashMap<Value<'m>, usize> = function
            .params()
            .into_iter()
            .enumerate()
            .map(|(i, p)| (p, i))
            .collect();
        for (number, block) in order.iter().enumerate() {
            for raw in &contents[block] {
                let op = raw.opcode();
                let values: Vec<Value<'m>> = match op {
                    Opcode::LLVMBr => raw.condition().into_iter().collect(),
                    Opcode::LLVMPHI => raw
                        .incoming()
                        .into_iter()
                        .filter(|(_, from)| numbers.contains_key(from))
                        .map(|(value, _)| value)
                        .collect(),
                    Opcode::LLVMCall => raw.call_args(),
                    _ => (0..raw.operand_count()).map(|i| raw.operand(i)).collect(),
                };
                let operands = values
                    .into_iter()
                    .map(|value| {
                        if let Some(id) = ids.get(&value) {
                            Ok(Operand::Inst(*id))
                        } else if let Some(index) = params.get(&value) {
                            Ok(Operand::Param(*index))
                        } else if value.is_constant() {
                            Ok(Operand::Constant(value))
                        } else {
                            Err(Refused::new("an operand that is no value"))
                        }
                    })
                    .collect::<Result<Vec<_>, _>>()?;
                let id = self.insts.len();
                self.insts.push(Inst {
                    raw: *raw,
                    op,
                    ty: raw.ty(),
                    operands,
                    block: number,
                    users: Vec::new(),
                });
                debug_assert_eq!(ids[raw], id);
            }
            for next in successors(*block) {
                let next = numbers[&next];
                if self.blocks[number].succs.contains(&next) {
                    return Err(Refused::new("two edges between two blocks"));
                }
                self.blocks[number].succs.push(next);
                self.blocks[next].preds.push(number);
            }
        }
        for id in 0..self.insts.len() {
            for operand in self.insts[id].operands.clone() {
                if let Operand::Inst(used) = operand {
                    self.insts[used].users.push(id);
                }
            }
        }
        Ok(())
    }

    /// Incoming values of a phi with the blocks they come from.
    pub fn incoming(&self, phi: InstId) -> Vec<(Operand<'m>, BlockId)> {
        let inst = &self.insts[phi];
        // Operands leave out blocks that cannot be reached, as `preds` does.
        let from: Vec<BlockId> = inst
            .raw
            .incoming()
            .into_iter()
            .filter_map(|(_, from)| self.blocks.iter().position(|b| b.raw == from))
            .collect();
        inst.operands.iter().copied().zip(from).collect()
    }

    /// The instruction that ends a block.
    pub fn terminator(&self, block: BlockId) -> &Inst<'m> {
        &self.insts[self.blocks[block].insts.end - 1]
    }

    /// Immediate dominators of all blocks, by the method of iterating in reverse postorder.
    fn dominators(&self) -> Vec<BlockId> {
        let count = self.blocks.len();
        let mut idom = vec![usize::MAX; count];
        idom[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for block in 1..count {
                let mut best = usize::MAX;
                for pred in &self.blocks[block].preds {
                    if idom[*pred] == usize::MAX {
                        continue;
                    }
                    best = if best == usize::MAX {
                        *pred
                    } else {
                        meet(&idom, best, *pred)
                    };
                }
                if idom[block] != best {
                    idom[block] = best;
                    changed = true;
                }
            }
        }
        idom
    }

    /// Finds natural loops and puts every block in its innermost region.
    fn find_loops(&mut self) -> Result<(), Refused> {
        let idom = self.dominators();
        let dominates = |a: BlockId, mut b: BlockId| {
            while b > a {
                b = idom[b];
            }
            a == b
        };
        self.regions.push(Region::new(0, None));
        // Outer loops have lower headers, so regions come before those they hold.
        for header in 0..self.blocks.len() {
            let mut latches = Vec::new();
            for pred in &self.blocks[header].preds {
                // In reverse postorder an edge that does not go forward closes a cycle.
                if *pred >= header {
                    if !dominates(header, *pred) {
                        return Err(Refused::new("a loop with two entries"));
                    }
                    latches.push(*pred);
                }
            }
            if latches.is_empty() {
                continue;
            }
            let [latch] = latches[..] else {
                return Err(Refused::new("a loop with two latches"));
            };
            let id = self.regions.len();
            let parent = self.blocks[header].region;
            self.regions.push(Region::new(header, Some(parent)));
            self.regions[id].latch = Some(latch);
            let mut stack = vec![latch];
            let mut inside = std::collections::HashSet::from([header]);
            while let Some(block) = stack.pop() {
                if inside.insert(block) {
                    stack.extend(&self.blocks[block].preds);
                }
            }
            for block in &inside {
                self.blocks[*block].region = id;
            }
            let mut inside: Vec<BlockId> = inside.into_iter().collect();
            inside.sort_unstable();
            for block in inside {
                for next in &self.blocks[block].succs {
                    // Blocks of inner loops come later to another region, never to an outer one.
                    if self.blocks[*next].region != id {
                        self.regions[id].exits.push((block, *next));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether `inner` is `outer` or lies in it.
    pub fn is_within(&self, inner: RegionId, outer: RegionId) -> bool {
        let mut region = Some(inner);
        while let Some(at) = region {
            if at == outer {
                return true;
            }
            region = self.regions[at].parent;
        }
        false
    }

    /// The node of `region` that a block is in.
    pub fn node_of(&self, region: RegionId, block: BlockId) -> Option<Node> {
        let mut at = self.blocks[block].region;
        if at == region {
            return Some(Node::Block(block));
        }
        loop {
            let parent = self.regions[at].parent?;
            if parent == region {
                return Some(Node::Loop(at));
            }
            at = parent;
        }
    }

    /// The block in which a node starts.
    pub fn first_block(&self, node: Node) -> BlockId {
        match node {
            Node::Block(block) => block,
            Node::Loop(region) => self.regions[region].header,
        }
    }

    /// Edges that leave a node.
    pub fn edges_from(&self, node: Node) -> Vec<Edge> {
        match node {
            Node::Block(block) => self.blocks[block]
                .succs
                .iter()
                .map(|s| (block, *s))
                .collect(),
            Node::Loop(region) => self.regions[region].exits.clone(),
        }
    }

    /// Edges that enter a node, without a loop's edge back.
    pub fn edges_into(&self, node: Node) -> Vec<Edge> {
        let first = self.first_block(node);
        let latch = match node {
            Node::Loop(region) => self.regions[region].latch,
            Node::Block(_) => None,
        };
        self.blocks[first]
            .preds
            .iter()
            .filter(|p| Some(**p) != latch)
            .map(|p| (*p, first))
            .collect()
    }

    /// Orders a region's nodes and finds out how they dominate each other.
    fn arrange(&mut self, region: RegionId) -> Result<(), Refused> {
        let mut nodes: Vec<Node> = Vec::new();
        for block in 0..self.blocks.len() {
            let node = match self.node_of(region, block) {
                Some(node) if self.is_within(self.blocks[block].region, region) => node,
                _ => continue,
            };
            if self.first_block(node) == block {
                nodes.push(node);
            }
        }
        // Depth first again, with inner loops as nodes: their blocks need not be neighbours in the
        // order of the blocks.
        let position: HashMap<Node, usize> =
            nodes.iter().enumerate().map(|(i, n)| (*n, i)).collect();
        let header = self.regions[region].header;
        let next: Vec<Vec<usize>> = nodes
            .iter()
            .map(|node| {
                let mut targets: Vec<usize> = self
                    .edges_from(*node)
                    .into_iter()
                    .filter(|(_, to)| *to != header || region == 0)
                    .filter_map(|(_, to)| self.node_of(region, to))
                    .filter_map(|n| position.get(&n).copied())
                    .collect();
                targets.dedup();
                targets
            })
            .collect();
        let mut order = Vec::new();
        let mut seen = vec![false; nodes.len()];
        if nodes.is_empty() {
            return Err(Refused::new("an empty region"));
        }
        seen[0] = true;
        let mut stack = vec![(0usize, next[0].clone())];
        while let Some((at, left)) = stack.last_mut() {
            match left.pop() {
                Some(to) => {
                    if !seen[to] {
                        seen[to] = true;
                        stack.push((to, next[to].clone()));
                    }
                }
                None => {
                    order.push(*at);
                    stack.pop();
                }
            }
        }
        order.reverse();
        let place: HashMap<usize, usize> = order.iter().enumerate().map(|(i, n)| (*n, i)).collect();
        let count = order.len();
        let succs: Vec<Vec<usize>> = order
            .iter()
            .map(|n| next[*n].iter().map(|t| place[t]).collect())
            .collect();
        let mut preds = vec![Vec::new(); count];
        for (from, targets) in succs.iter().enumerate() {
            for to in targets {
                if *to <= from {
                    return Err(Refused::new("a cycle that is no loop"));
                }
                preds[*to].push(from);
            }
        }
        let mut idom = vec![0; count];
        for at in 1..count {
            let mut all = preds[at].iter().copied();
            let first = all.next().unwrap_or(0);
            idom[at] = all.fold(first, |a, b| meet(&idom, a, b));
        }
        // The same backwards, with one more node at the end that all ends lead to.
        let mut ipdom = vec![count; count + 1];
        for at in (0..count).rev() {
            let leaves = succs[at].is_empty()
                || self.edges_from(nodes[order[at]]).iter().any(|(_, to)| {
                    (*to == header && region != 0) || {
                        !self.is_within(self.blocks[*to].region, region)
                    }
                });
            let mut all = succs[at].iter().copied().chain(leaves.then_some(count));
            let first = all.next().unwrap_or(count);
            ipdom[at] = all.fold(first, |mut a, mut b| {
                while a != b {
                    if a < b {
                        a = ipdom[a];
                    } else {
                        b = ipdom[b];
                    }
                }
                a
            });
        }
        let joins_all = (0..count)
            .map(|at| {
                let mut up = idom[at];
                while up < at {
                    up = ipdom[up];
                }
                up == at
            })
            .collect();
        let region = &mut self.regions[region];
        region.nodes = order.iter().map(|n| nodes[*n]).collect();
        region.idom = idom;
        region.joins_all = joins_all;
        Ok(())
    }
}

/// The closest common dominator: numbers of dominators are lower than those of what they dominate.
fn meet(idom: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = idom[a];
        } else {
            b = idom[b];
        }
    }
    a
}

impl Region {
    fn new(header: BlockId, parent: Option<RegionId>) -> Self {
        Self {
            header,
            latch: None,
            parent,
            nodes: Vec::new(),
            exits: Vec::new(),
            idom: Vec::new(),
            joins_all: Vec::new(),
        }
    }
}

//! The interpreter: what a kernel computes.
//!
//! All work-items of a work-group go through the program together. Each statement is carried out for
//! the work-items that are active; where ways part, each is taken by those that go there, and they
//! are together again behind the statement that parted them. Programs whose result would depend on
//! the order of work-items are refused.

mod eval;
mod group;
mod local;
#[cfg(test)]
mod tests;

use crate::ast::{Atomic, Case, Form, Function, Kernel, Level, MAX_GROUP, Scope, Stmt, Type};
use crate::launch::{self, Launch, Memory};
use local::Cells;

/// Bits of up to sixteen lanes.
pub type Lanes = [u64; 16];

/// Why a program was not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It breaks a rule.
    Invalid(&'static str),
    /// It takes too long.
    TooLong,
}

type Result<T> = std::result::Result<T, Stop>;

/// Where a work-item goes that left a block early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Jump {
    Stay,
    Break(usize),
    Continue(usize),
    Return,
}

/// The activation of a function, for all work-items of a group.
struct Frame<'k> {
    function: &'k Function,
    /// By parameter and work-item.
    params: Vec<Vec<Lanes>>,
    /// By variable and work-item.
    vars: Vec<Vec<Lanes>>,
    /// By array, work-item and element.
    arrays: Vec<Vec<Vec<Lanes>>>,
    /// By counter and work-item.
    counters: Vec<Vec<u64>>,
    jumps: Vec<Jump>,
    result: Vec<Lanes>,
}

/// A work-item's place.
struct Item {
    local: [u64; 3],
    global: [u64; 3],
    linear_global: u64,
}

/// The work-group that is run.
struct Group<'k> {
    kernel: &'k Kernel,
    launch: &'k Launch,
    memory: &'k mut Memory,
    number: [u64; 3],
    size: [u64; 3],
    items: Vec<Item>,
    cells: Vec<Cells>,
    /// Work-items of a full sub-group.
    width: usize,
    steps: &'k mut u64,
}

/// Runs `launch` of `kernel` on `memory` with sub-groups of `width` work-items; `limit` is the number
/// of statements that may be carried out.
///
/// # Errors
/// The kernel breaks a rule, or takes more steps.
pub fn run(
    kernel: &Kernel,
    launch: &Launch,
    memory: &mut Memory,
    width: usize,
    limit: u64,
) -> Result<()> {
    let counts = launch.group_counts();
    let mut steps = limit;
    for &(first, last) in &launch.ranges {
        for linear in first..last {
            let number = [
                linear % counts[0],
                linear / counts[0] % counts[1],
                linear / counts[0] / counts[1],
            ];
            Group::new(kernel, launch, memory, number, width, &mut steps).run()?;
        }
    }
    Ok(())
}

impl<'k> Group<'k> {
    fn new(
        kernel: &'k Kernel,
        launch: &'k Launch,
        memory: &'k mut Memory,
        number: [u64; 3],
        width: usize,
        steps: &'k mut u64,
    ) -> Group<'k> {
        let start = [0, 1, 2].map(|d| number[d] * launch.local[d]);
        let size = [0, 1, 2].map(|d| launch.local[d].min(launch.global[d] - start[d]));
        let mut items = Vec::new();
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    let local = [x, y, z];
                    let place = [0, 1, 2].map(|d| start[d] + local[d]);
                    let global = [0, 1, 2].map(|d| place[d] + launch.offset[d]);
                    let linear_global = place[2]
                        .wrapping_mul(launch.global[1])
                        .wrapping_add(place[1])
                        .wrapping_mul(launch.global[0])
                        .wrapping_add(place[0]);
                    items.push(Item {
                        local,
                        global,
                        linear_global,
                    });
                }
            }
        }
        let cells = kernel.local.iter().map(|_| Cells::new(MAX_GROUP)).collect();
        Group {
            kernel,
            launch,
            memory,
            number,
            size,
            items,
            cells,
            width,
            steps,
        }
    }

    fn run(&mut self) -> Result<()> {
        let kernel = self.kernel;
        let members = kernel.members.len();
        let count = self.items.len();
        let params = self.launch.values[members..]
            .iter()
            .map(|value| vec![to_lanes(value); count])
            .collect();
        let mut frame = Frame::new(&kernel.functions[0], params, Vec::new(), count);
        let all = (0..count).collect();
        self.block(&mut frame, &kernel.functions[0].body, all)?;
        Ok(())
    }

    /// Carries out statements for the work-items `active`, and gives those that reach the end.
    fn block(
        &mut self,
        frame: &mut Frame<'k>,
        stmts: &'k [Stmt],
        mut active: Vec<usize>,
    ) -> Result<Vec<usize>> {
        for stmt in stmts {
            if active.is_empty() {
                break;
            }
            let cost = active.len() as u64;
            *self.steps = self.steps.checked_sub(cost).ok_or(Stop::TooLong)?;
            active = self.stmt(frame, stmt, active)?;
        }
        Ok(active)
    }

    fn stmt(
        &mut self,
        frame: &mut Frame<'k>,
        stmt: &'k Stmt,
        active: Vec<usize>,
    ) -> Result<Vec<usize>> {
        match stmt {
            Stmt::Set(var, value) => {
                for &item in &active {
                    let value = self.eval(frame, value, item)?;
                    frame.vars[*var][item] = value;
                }
            }
            Stmt::SetLane(var, place, value) => {
                let lanes = u64::from(frame.function.vars[*var].lanes);
                for &item in &active {
                    let place = self.eval(frame, place, item)?[0] % lanes;
                    let value = self.eval(frame, value, item)?[0];
                    frame.vars[*var][item][place as usize] = value;
                }
            }
            Stmt::Private(array, index, value) => {
                for &item in &active {
                    let index = self.eval(frame, index, item)?[0];
                    let value = self.eval(frame, value, item)?;
                    let cells = &mut frame.arrays[*array][item];
                    let place = index as usize & (cells.len() - 1);
                    cells[place] = value;
                }
            }
            Stmt::Own(array, index, value) => {
                let elem = self.kernel.own[*array].elem;
                for &item in &active {
                    let index = self.eval(frame, index, item)?[0];
                    let value = self.eval(frame, value, item)?;
                    let at = self.own_place(*array, item, index);
                    launch::write(&mut self.memory.own[*array], at, elem, &value);
                }
            }
            Stmt::LocalOwn(array, value) => {
                for &item in &active {
                    let value = self.eval(frame, value, item)?[0];
                    self.cells[*array].write(item, value)?;
                }
            }
            Stmt::If(condition, then, otherwise) => {
                return self.branch(frame, condition, then, otherwise, active);
            }
            Stmt::SubGroupIf(condition, then, otherwise) => {
                let before = active.clone();
                let after = self.branch(frame, condition, then, otherwise, active)?;
                if after != before {
                    return Err(Stop::Invalid("a way out of a sub-group branch"));
                }
                self.whole_sub_groups(&after)?;
                return Ok(after);
            }
            Stmt::Switch(selector, cases, default) => {
                return self.switch(frame, selector, cases, default, active);
            }
            Stmt::Loop {
                counter,
                form,
                bound,
                mask,
                body,
            } => {
                let mut rounds = vec![0; self.items.len()];
                for &item in &active {
                    rounds[item] = self.eval(frame, bound, item)?[0] & u64::from(*mask);
                }
                return self.repeat(frame, *counter, *form, &rounds, body, active);
            }
            Stmt::Break(depth) => return Ok(frame.leave(&active, Jump::Break(*depth))),
            Stmt::Continue(depth) => return Ok(frame.leave(&active, Jump::Continue(*depth))),
            Stmt::Return(value) => {
                if let Some(value) = value {
                    for &item in &active {
                        frame.result[item] = self.eval(frame, value, item)?;
                    }
                }
                return Ok(frame.leave(&active, Jump::Return));
            }
            Stmt::Shared(wide, op, index, value) => {
                let ty = if *wide { Type::I64 } else { Type::I32 };
                let family = op
                    .family()
                    .ok_or(Stop::Invalid("an operation with an order"))?;
                for &item in &active {
                    let index = self.eval(frame, index, item)?[0] as usize % crate::ast::CELLS;
                    let value = self.eval(frame, value, item)?[0];
                    let at = (family * crate::ast::CELLS + index) * ty.size();
                    let memory = &mut self.memory.shared[usize::from(*wide)];
                    let mut lanes = launch::read(memory, at, ty);
                    lanes[0] = launch::atomic(*op, ty.scalar, lanes[0], value, 0);
                    launch::write(memory, at, ty, &lanes);
                }
            }
            Stmt::LocalAtomic(array, op, index, value) => {
                let scalar = self.kernel.local[*array].0;
                for &item in &active {
                    let index = self.eval(frame, index, item)?[0];
                    let value = self.eval(frame, value, item)?[0];
                    let place = (index % self.items.len() as u64) as usize;
                    self.cells[*array].atomic(place, *op, scalar, value)?;
                }
            }
            Stmt::OwnAtomic(var, array, op, index, value, comparator) => {
                let elem = self.kernel.own[*array].elem;
                for &item in &active {
                    let index = self.eval(frame, index, item)?[0];
                    let value = self.eval(frame, value, item)?[0];
                    let comparator = self.eval(frame, comparator, item)?[0];
                    let at = self.own_place(*array, item, index);
                    let memory = &mut self.memory.own[*array];
                    let mut lanes = launch::read(memory, at, elem);
                    let old = lanes;
                    lanes[0] = launch::atomic(*op, elem.scalar, old[0], value, comparator);
                    launch::write(memory, at, elem, &lanes);
                    if *op != Atomic::Store {
                        frame.vars[*var][item] = old;
                    }
                }
            }
            Stmt::Barrier(Scope::Group) => {
                self.whole_group(&active)?;
                self.cells.iter_mut().for_each(Cells::barrier);
            }
            Stmt::Barrier(Scope::SubGroup) => self.whole_sub_groups(&active)?,
            Stmt::Group(var, op, scope, value, index) => {
                self.group_op(frame, *var, *op, *scope, value, index.as_ref(), &active)?;
            }
            Stmt::Call {
                result,
                callee,
                args,
                arrays,
            } => self.call(frame, *result, *callee, args, arrays, &active)?,
        }
        Ok(active)
    }

    fn branch(
        &mut self,
        frame: &mut Frame<'k>,
        condition: &'k crate::ast::Expr,
        then: &'k [Stmt],
        otherwise: &'k [Stmt],
        active: Vec<usize>,
    ) -> Result<Vec<usize>> {
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for item in active {
            if self.eval(frame, condition, item)?[0] == 1 {
                yes.push(item);
            } else {
                no.push(item);
            }
        }
        let mut after = self.block(frame, then, yes)?;
        after.extend(self.block(frame, otherwise, no)?);
        after.sort_unstable();
        Ok(after)
    }

    fn switch(
        &mut self,
        frame: &mut Frame<'k>,
        selector: &'k crate::ast::Expr,
        cases: &'k [Case],
        default: &'k [Stmt],
        active: Vec<usize>,
    ) -> Result<Vec<usize>> {
        let mut ways = vec![Vec::new(); cases.len() + 1];
        for item in active {
            let value = self.eval(frame, selector, item)?[0];
            let way = cases.iter().position(|case| case.labels.contains(&value));
            ways[way.unwrap_or(cases.len())].push(item);
        }
        let mut after = Vec::new();
        let mut falling = Vec::new();
        for (case, way) in cases.iter().zip(&ways) {
            falling.extend(way);
            falling.sort_unstable();
            let end = self.block(frame, &case.body, std::mem::take(&mut falling))?;
            if case.falls_through {
                falling = end;
            } else {
                after.extend(end);
            }
        }
        falling.extend(&ways[cases.len()]);
        falling.sort_unstable();
        after.extend(self.block(frame, default, falling)?);
        after.sort_unstable();
        Ok(after)
    }

    fn repeat(
        &mut self,
        frame: &mut Frame<'k>,
        counter: usize,
        form: Form,
        rounds: &[u64],
        body: &'k [Stmt],
        active: Vec<usize>,
    ) -> Result<Vec<usize>> {
        let mut left = Vec::new();
        let mut inside = Vec::new();
        for item in active {
            frame.counters[counter][item] = 0;
            if form == Form::DoWhile || rounds[item] > 0 {
                inside.push(item);
            } else {
                left.push(item);
            }
        }
        while !inside.is_empty() {
            let cost = inside.len() as u64;
            *self.steps = self.steps.checked_sub(cost).ok_or(Stop::TooLong)?;
            self.block(frame, body, inside.clone())?;
            let mut next = Vec::new();
            for item in inside {
                let jump = std::mem::replace(&mut frame.jumps[item], Jump::Stay);
                match jump {
                    Jump::Stay | Jump::Continue(0) => {
                        frame.counters[counter][item] += 1;
                        if frame.counters[counter][item] < rounds[item] {
                            next.push(item);
                        } else {
                            left.push(item);
                        }
                    }
                    Jump::Break(0) => left.push(item),
                    Jump::Break(n) => frame.jumps[item] = Jump::Break(n - 1),
                    Jump::Continue(n) => frame.jumps[item] = Jump::Continue(n - 1),
                    Jump::Return => frame.jumps[item] = Jump::Return,
                }
            }
            inside = next;
        }
        left.sort_unstable();
        Ok(left)
    }

    fn call(
        &mut self,
        frame: &mut Frame<'k>,
        result: Option<usize>,
        callee: usize,
        args: &'k [crate::ast::Expr],
        arrays: &[usize],
        active: &[usize],
    ) -> Result<()> {
        let function = &self.kernel.functions[callee];
        match function.level {
            Level::Group => self.whole_group(active)?,
            Level::SubGroup => self.whole_sub_groups(active)?,
            Level::Item => {}
        }
        let count = self.items.len();
        let mut params = vec![vec![[0; 16]; count]; args.len()];
        for (param, arg) in params.iter_mut().zip(args) {
            for &item in active {
                param[item] = self.eval(frame, arg, item)?;
            }
        }
        let passed = arrays
            .iter()
            .map(|&array| std::mem::take(&mut frame.arrays[array]))
            .collect();
        let mut inner = Frame::new(function, params, passed, count);
        self.block(&mut inner, &function.body, active.to_vec())?;
        for (place, &array) in arrays.iter().enumerate() {
            frame.arrays[array] = std::mem::take(&mut inner.arrays[place]);
        }
        if let Some(var) = result {
            for &item in active {
                frame.vars[var][item] = inner.result[item];
            }
        }
        Ok(())
    }

    /// Byte offset of an element of a work-item's part.
    fn own_place(&self, array: usize, item: usize, index: u64) -> usize {
        let array = &self.kernel.own[array];
        let part = self.items[item].linear_global as usize * array.len;
        (part + (index as usize & (array.len - 1))) * array.elem.size()
    }

    fn whole_group(&self, active: &[usize]) -> Result<()> {
        if active.len() == self.items.len() {
            Ok(())
        } else {
            Err(Stop::Invalid("a barrier that some do not reach"))
        }
    }

    fn whole_sub_groups(&self, active: &[usize]) -> Result<()> {
        let start = |item: usize| item / self.width * self.width;
        for part in active.chunk_by(|a, b| start(*a) == start(*b)) {
            let first = start(part[0]);
            let size = self.width.min(self.items.len() - first);
            if part.len() != size {
                return Err(Stop::Invalid("a sub-group barrier that some do not reach"));
            }
        }
        Ok(())
    }
}

impl<'k> Frame<'k> {
    fn new(
        function: &'k Function,
        params: Vec<Vec<Lanes>>,
        mut arrays: Vec<Vec<Vec<Lanes>>>,
        count: usize,
    ) -> Frame<'k> {
        for array in &function.arrays[arrays.len()..] {
            let lanes = array.elem.lanes as usize;
            let cells: Vec<Lanes> = array.init.chunks(lanes).map(to_lanes).collect();
            arrays.push(vec![cells; count]);
        }
        Frame {
            function,
            params,
            vars: vec![vec![[0; 16]; count]; function.vars.len()],
            arrays,
            counters: vec![vec![0; count]; function.counters],
            jumps: vec![Jump::Stay; count],
            result: vec![[0; 16]; count],
        }
    }

    /// Notes that work-items go elsewhere; none stays.
    fn leave(&mut self, active: &[usize], jump: Jump) -> Vec<usize> {
        for &item in active {
            self.jumps[item] = jump;
        }
        Vec::new()
    }
}

fn to_lanes(values: &[u64]) -> Lanes {
    let mut lanes = [0; 16];
    lanes[..values.len()].copy_from_slice(values);
    lanes
}

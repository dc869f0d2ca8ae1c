//! Group and sub-group operations.
//!
//! An operation over the work-items of a group works in three steps that synchronisation separates:
//! every item stores its operands in its own input slot ([`SyncCall::pack`]), one pass over the
//! records of the group computes and fills the output slots of those that take part (the function
//! made by [`SyncCall::combine`]), and every item loads its result from its own output slot.
//!
//! Items take part when they wait at the same place: under divergent control flow the others are
//! left out. Sums run in the order of the items, so that they do not depend on how items are
//! scheduled.

mod combine;
mod local;

#[cfg(test)]
mod tests;

use crate::ir::{FunctionBuilder, ModuleBuilder, Type, Value};
use crate::item;
use crate::opencl_std::{Result, Unsupported};
use ur_spirv::spirv::{GroupOperation, Op};

pub use local::{is_local_op, local};

/// How a result is put together from the values of several items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after the instructions")]
pub enum Reduction {
    IAdd,
    FAdd,
    IMul,
    FMul,
    SMin,
    UMin,
    FMin,
    SMax,
    UMax,
    FMax,
    And,
    Or,
    Xor,
}

impl Reduction {
    /// Whether it is of floats, whose order counts.
    pub fn is_of_floats(self) -> bool {
        matches!(self, Self::FAdd | Self::FMul | Self::FMin | Self::FMax)
    }
}

/// How far a reduction reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Everyone gets the result of all.
    All,
    /// Items get the result of those up to themselves.
    Inclusive,
    /// Items get the result of those before them.
    Exclusive,
    /// Everyone gets the result of their cluster of that many.
    Cluster(u64),
}

/// Where an item takes its value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The item with that number.
    Index,
    /// The item whose number differs in those bits.
    Xor,
    /// So many items below.
    Up,
    /// So many items above.
    Down,
    /// So many items above, counting round within clusters; 0 for the whole group.
    Rotate(u64),
    /// The item with that number among its four.
    Quad,
    /// The horizontal, vertical or diagonal neighbour among its four.
    QuadSwap,
    /// The first item that takes part.
    First,
    /// So many items below, the last ones of the other vector below the first.
    UpInto,
    /// So many items above, the first ones of the other vector above the last.
    DownInto,
}

/// What a group operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The values are combined.
    Reduce(Reduction, Reach),
    /// Items get each other's values.
    Move(Source),
    /// Whether all have the same value.
    AllEqual,
    /// The items' bits, as 128 of them.
    Ballot,
    /// Whether an item is the first one.
    Elect,
}

/// Which operands come first in an instruction's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The first word is the id of the scope.
    pub scope: bool,
    /// The next word is a literal [`GroupOperation`].
    pub operation: bool,
}

/// The shape of a group operation, with or without synchronisation. All words that follow are ids
/// of values.
pub fn shape(op: Op) -> Shape {
    use Op as O;
    let scope = !matches!(
        op,
        O::SubgroupShuffleINTEL
            | O::SubgroupShuffleDownINTEL
            | O::SubgroupShuffleUpINTEL
            | O::SubgroupShuffleXorINTEL
            | O::SubgroupBlockReadINTEL
            | O::SubgroupBlockWriteINTEL
            | O::SubgroupBallotKHR
            | O::SubgroupFirstInvocationKHR
            | O::SubgroupReadInvocationKHR
            | O::SubgroupAllKHR
            | O::SubgroupAnyKHR
            | O::SubgroupAllEqualKHR
    );
    Shape {
        scope,
        operation: reduction(op).is_some() || op == O::GroupNonUniformBallotBitCount,
    }
}

/// Whether `op` is a group operation for which items wait for each other.
pub fn is_group_op(op: Op) -> bool {
    use Op as O;
    reduction(op).is_some()
        || source(op).is_some()
        || matches!(
            op,
            O::GroupAll
                | O::GroupAny
                | O::GroupNonUniformAll
                | O::GroupNonUniformAny
                | O::GroupNonUniformAllEqual
                | O::GroupNonUniformElect
                | O::GroupNonUniformBallot
                | O::SubgroupBallotKHR
                | O::SubgroupAllKHR
                | O::SubgroupAnyKHR
                | O::SubgroupAllEqualKHR
        )
}

/// The reduction of an instruction that names its reach.
fn reduction(op: Op) -> Option<Reduction> {
    use Op as O;
    Some(match op {
        O::GroupIAdd | O::GroupNonUniformIAdd => Reduction::IAdd,
        O::GroupFAdd | O::GroupNonUniformFAdd => Reduction::FAdd,
        O::GroupIMulKHR | O::GroupNonUniformIMul => Reduction::IMul,
        O::GroupFMulKHR | O::GroupNonUniformFMul => Reduction::FMul,
        O::GroupSMin | O::GroupNonUniformSMin => Reduction::SMin,
        O::GroupUMin | O::GroupNonUniformUMin => Reduction::UMin,
        O::GroupFMin | O::GroupNonUniformFMin => Reduction::FMin,
        O::GroupSMax | O::GroupNonUniformSMax => Reduction::SMax,
        O::GroupUMax | O::GroupNonUniformUMax => Reduction::UMax,
        O::GroupFMax | O::GroupNonUniformFMax => Reduction::FMax,
        O::GroupBitwiseAndKHR
        | O::GroupLogicalAndKHR
        | O::GroupNonUniformBitwiseAnd
        | O::GroupNonUniformLogicalAnd => Reduction::And,
        O::GroupBitwiseOrKHR
        | O::GroupLogicalOrKHR
        | O::GroupNonUniformBitwiseOr
        | O::GroupNonUniformLogicalOr => Reduction::Or,
        O::GroupBitwiseXorKHR
        | O::GroupLogicalXorKHR
        | O::GroupNonUniformBitwiseXor
        | O::GroupNonUniformLogicalXor => Reduction::Xor,
        _ => return None,
    })
}

/// Where an instruction that moves values takes them from.
fn source(op: Op) -> Option<Source> {
    use Op as O;
    Some(match op {
        O::GroupBroadcast
        | O::GroupNonUniformBroadcast
        | O::GroupNonUniformShuffle
        | O::SubgroupShuffleINTEL
        | O::SubgroupReadInvocationKHR => Source::Index,
        O::GroupNonUniformBroadcastFirst | O::SubgroupFirstInvocationKHR => Source::First,
        O::GroupNonUniformShuffleXor | O::SubgroupShuffleXorINTEL => Source::Xor,
        O::GroupNonUniformShuffleUp => Source::Up,
        O::GroupNonUniformShuffleDown => Source::Down,
        O::GroupNonUniformRotateKHR => Source::Rotate(0),
        O::GroupNonUniformQuadBroadcast => Source::Quad,
        O::GroupNonUniformQuadSwap => Source::QuadSwap,
        O::SubgroupShuffleUpINTEL => Source::UpInto,
        O::SubgroupShuffleDownINTEL => Source::DownInto,
        _ => return None,
    })
}

/// A synchronising operation at one place of a kernel.
#[derive(Clone, Debug)]
pub struct SyncCall {
    /// Name that tells operation, scope and type: `ur.sg.reduce.iadd.i32`.
    pub name: String,
    /// Whether the sub-group takes part, else the work-group.
    pub sub_group: bool,
    /// Type of the input slot's content.
    pub input: Type,
    /// Type of the result, and of the output slot's content.
    pub output: Type,
    /// What is done.
    pub kind: Kind,
    /// Work-items in a full sub-group.
    width: u32,
    /// Whether sub-groups, not work-items, do this.
    between: bool,
}

impl SyncCall {
    /// Describes instruction `op`. `scope` is the value of its scope operand and `operation` its
    /// literal, if [`shape`] says it has them; `args` are the values that follow; `width` is the
    /// number of work-items in a full sub-group.
    ///
    /// # Errors
    /// [`Unsupported`] for other scopes than work-group and sub-group, for cluster sizes that are not
    /// constant powers of two, and for reductions that do not exist.
    pub fn new(
        op: Op,
        scope: Option<u64>,
        operation: Option<u32>,
        result: &Type,
        args: &[Value],
        width: u32,
    ) -> Result<SyncCall> {
        let sub_group = match scope {
            None | Some(3) => true,
            Some(2) => false,
            Some(other) => return Err(Unsupported(format!("{op:?} in scope {other}"))),
        };
        let kind = kind(op, operation, args)?;
        let value = || {
            args.first()
                .map(|a| a.ty.clone())
                .ok_or_else(|| Unsupported(format!("{op:?} without operands")))
        };
        let input = match kind {
            Kind::Elect => Type::I1,
            Kind::Move(Source::First) | Kind::Reduce(..) | Kind::AllEqual | Kind::Ballot => {
                value()?
            }
            Kind::Move(Source::UpInto | Source::DownInto) => {
                Type::structure(&[value()?, value()?, Type::I64])
            }
            Kind::Move(_) => Type::structure(&[value()?, Type::I64]),
        };
        let wanted = match kind {
            Kind::Move(Source::UpInto | Source::DownInto) => 3,
            Kind::Move(Source::First) => 1,
            Kind::Move(_) => 2,
            Kind::Elect => 0,
            _ => 1,
        };
        if args.len() < wanted {
            return Err(Unsupported(format!("{op:?} with {} operands", args.len())));
        }
        let scope = if sub_group { "sg" } else { "wg" };
        let name = format!("ur.{scope}.{}.{}", kind.name(), mangled(&input, args));
        Ok(SyncCall {
            name,
            sub_group,
            input,
            output: result.clone(),
            kind,
            width,
            between: false,
        })
    }

    /// Bytes that a slot needs.
    pub fn slot_size(&self) -> u64 {
        self.input.size().max(self.output.size())
    }

    /// Emits what goes into the item's input slot, from the operands given to [`SyncCall::new`].
    /// `group` is the group record.
    pub fn pack(&self, fb: &mut FunctionBuilder, group: &Value, args: &[Value]) -> Value {
        match self.kind {
            Kind::Elect => Value::bool(true),
            Kind::Move(Source::First) => args[0].clone(),
            Kind::Move(source) => {
                let pair = matches!(source, Source::UpInto | Source::DownInto);
                let values = if pair { 2 } else { 1 };
                let mut all = Value::undef(&self.input);
                for (i, value) in args[..values].iter().enumerate() {
                    all = fb.insert_value(&all, value, &[i as u32]);
                }
                let index = linear(fb, group, &args[values]);
                fb.insert_value(&all, &index, &[values as u32])
            }
            _ => args[0].clone(),
        }
    }

    /// Emits the operands for a vectorised kernel: the values, then the index as a 64-bit number where
    /// there is one. `group` is the group record.
    pub fn operands(&self, fb: &mut FunctionBuilder, group: &Value, args: &[Value]) -> Vec<Value> {
        match self.kind {
            Kind::Elect => Vec::new(),
            Kind::Move(Source::First) => vec![args[0].clone()],
            Kind::Move(source) => {
                let pair = matches!(source, Source::UpInto | Source::DownInto);
                let values = if pair { 2 } else { 1 };
                let index = linear(fb, group, &args[values]);
                args[..values].iter().cloned().chain([index]).collect()
            }
            _ => vec![args[0].clone()],
        }
    }

    /// What the sub-groups of a work-group do with one value each, when each of them has combined the
    /// values of its own lanes; nothing if it is not done in that way.
    pub fn between_sub_groups(&self) -> Option<SyncCall> {
        let kind = match self.kind {
            Kind::Reduce(reduction, Reach::All) => Kind::Reduce(reduction, Reach::All),
            Kind::Reduce(reduction, Reach::Inclusive | Reach::Exclusive) => {
                Kind::Reduce(reduction, Reach::Exclusive)
            }
            Kind::Move(Source::Index) => Kind::Move(Source::Index),
            _ => return None,
        };
        (!self.output.is_vector()).then(|| SyncCall {
            name: format!("ur.between.{}.{}", kind.name(), self.input.mangled()),
            kind,
            between: true,
            ..self.clone()
        })
    }

    /// Defines the function that computes the results, unless it is there, and returns its name.
    ///
    /// Its type is `void (ptr records, i64 stride, i64 count, i32 key)`: it walks the `count` item
    /// records from `records` on, `stride` bytes apart, and serves those whose key equals `key`.
    /// `slot` is the size of a slot: the input slot stands at [`item::item::SLOTS`], the output slot
    /// behind it.
    pub fn combine(&self, module: &ModuleBuilder, slot: u64) -> String {
        let name = format!("ur.combine.{}.{}.{slot}", self.name, self.width);
        if !module.is_defined(&name) {
            combine::define(self, module, &name, slot);
        }
        name
    }
}

/// Types in the name of a call.
fn mangled(input: &Type, args: &[Value]) -> String {
    match args.first() {
        Some(value) => value.ty.mangled(),
        None => input.mangled(),
    }
}

/// An index as a 64-bit number; a local id with several dimensions becomes the number of the item in
/// its work-group.
fn linear(fb: &mut FunctionBuilder, group: &Value, index: &Value) -> Value {
    let lanes = index.ty.lanes();
    let mut total = Value::i64(0);
    for dim in (0..lanes).rev() {
        let id = fb.lane(index, dim);
        let id = fb.int_cast(&id, &Type::I64, false);
        if dim + 1 == lanes {
            total = id;
        } else {
            let size = item::load(
                fb,
                group,
                item::group::SIZE + 8 * i64::from(dim),
                &Type::I64,
            );
            let above = fb.binary("mul", &total, &size);
            total = fb.binary("add", &above, &id);
        }
    }
    total
}

/// What an instruction does.
fn kind(op: Op, operation: Option<u32>, args: &[Value]) -> Result<Kind> {
    use Op as O;
    let cluster = || -> Result<u64> {
        args.get(1)
            .filter(|v| v.is_constant())
            .and_then(|v| v.text.parse::<u64>().ok())
            .filter(|n| n.is_power_of_two())
            .ok_or_else(|| Unsupported(format!("{op:?} with such a cluster size")))
    };
    if let Some(reduction) = reduction(op) {
        let reach = match operation.and_then(GroupOperation::from_u32) {
            Some(GroupOperation::Reduce) => Reach::All,
            Some(GroupOperation::InclusiveScan) => Reach::Inclusive,
            Some(GroupOperation::ExclusiveScan) => Reach::Exclusive,
            Some(GroupOperation::ClusteredReduce) => Reach::Cluster(cluster()?),
            other => return Err(Unsupported(format!("{op:?} with {other:?}"))),
        };
        return Ok(Kind::Reduce(reduction, reach));
    }
    if let Some(source) = source(op) {
        if let (Source::Rotate(_), Some(size)) = (source, args.get(2)) {
            let size = size
                .text
                .parse::<u64>()
                .ok()
                .filter(|n| n.is_power_of_two())
                .ok_or_else(|| Unsupported(format!("{op:?} with such a cluster size")))?;
            return Ok(Kind::Move(Source::Rotate(size)));
        }
        return Ok(Kind::Move(source));
    }
    Ok(match op {
        O::GroupAll | O::GroupNonUniformAll | O::SubgroupAllKHR => {
            Kind::Reduce(Reduction::And, Reach::All)
        }
        O::GroupAny | O::GroupNonUniformAny | O::SubgroupAnyKHR => {
            Kind::Reduce(Reduction::Or, Reach::All)
        }
        O::GroupNonUniformAllEqual | O::SubgroupAllEqualKHR => Kind::AllEqual,
        O::GroupNonUniformElect => Kind::Elect,
        O::GroupNonUniformBallot | O::SubgroupBallotKHR => Kind::Ballot,
        _ => return Err(Unsupported(format!("{op:?}"))),
    })
}

impl Kind {
    /// The kind as part of a name.
    fn name(self) -> String {
        let lower = |text: String| text.to_lowercase();
        match self {
            Kind::Reduce(r, Reach::All) => lower(format!("reduce.{r:?}")),
            Kind::Reduce(r, Reach::Inclusive) => lower(format!("iscan.{r:?}")),
            Kind::Reduce(r, Reach::Exclusive) => lower(format!("xscan.{r:?}")),
            Kind::Reduce(r, Reach::Cluster(n)) => lower(format!("cluster{n}.{r:?}")),
            Kind::Move(Source::Index) => "shuffle".into(),
            Kind::Move(Source::Rotate(n)) => format!("rotate{n}"),
            Kind::Move(source) => lower(format!("shuffle_{source:?}")),
            Kind::AllEqual => "all_equal".into(),
            Kind::Ballot => "ballot".into(),
            Kind::Elect => "elect".into(),
        }
    }
}

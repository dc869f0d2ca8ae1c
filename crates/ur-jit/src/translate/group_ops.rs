//! Operations on the values of a whole work-group or sub-group.

use ur_spirv::Inst;

use crate::error::{Error, Result};
use crate::group::{self, SyncCall};
use crate::ir::{Type, Value};
use crate::item;

use super::function::Body;
use super::sync::Waits;
use super::{Lowering, Point};

/// Slots are aligned to this and no more.
const SLOT_ALIGN: u64 = 16;

/// The parts of a group operation's words.
struct Words {
    scope: Option<u64>,
    operation: Option<u32>,
    args: Vec<Value>,
}

impl Body<'_, '_> {
    fn group_words(&mut self, inst: &Inst) -> Result<Words> {
        let shape = group::shape(inst.op);
        let mut next = 0;
        let scope = if shape.scope {
            next += 1;
            let scope = self.t.spv.constant_bits(inst.arg(0));
            Some(scope.ok_or_else(|| Error::unsupported("a scope that is not constant"))?)
        } else {
            None
        };
        let operation = shape.operation.then(|| {
            next += 1;
            inst.arg(next - 1)
        });
        let args = inst
            .args_from(next)
            .iter()
            .map(|arg| self.value(*arg))
            .collect::<Result<Vec<_>>>()?;
        Ok(Words {
            scope,
            operation,
            args,
        })
    }

    /// A group operation that a work-item carries out alone.
    pub fn local_group_operation(&mut self, inst: &Inst) -> Result<()> {
        let ty = if inst.ty == 0 {
            Type::Void
        } else {
            self.result_ty(inst)?
        };
        let words = self.group_words(inst)?;
        let item_record = self.item.clone();
        let width = self.t.sub_group_size;
        let value = group::local(
            &mut self.fb,
            &item_record,
            inst.op,
            words.operation,
            &ty,
            &words.args,
            width,
        )
        .map_err(|e| Error::unsupported(e.0))?;
        self.set(inst, value);
        Ok(())
    }

    /// A group operation for which the work-items wait for each other: each leaves its operand in
    /// its record and finds its result there.
    pub fn group_operation(&mut self, inst: &Inst) -> Result<()> {
        let ty = self.result_ty(inst)?;
        let words = self.group_words(inst)?;
        let call = SyncCall::new(
            inst.op,
            words.scope,
            words.operation,
            &ty,
            &words.args,
            self.t.sub_group_size,
        )
        .map_err(|e| Error::unsupported(e.0))?;
        let group_record = self.group.clone();
        if self.t.lowering == Lowering::Vector {
            let args = call.operands(&mut self.fb, &group_record, &words.args);
            let waits = if call.sub_group {
                Waits::SubGroup
            } else {
                Waits::Group
            };
            let output = call.output.clone();
            self.t.needed_slot = self.t.needed_slot.max(call.slot_size());
            let value = self.point(waits, Point::Operation(call), &output, &args);
            self.set(inst, value);
            return Ok(());
        }
        let packed = call.pack(&mut self.fb, &group_record, &words.args);
        let value = match self.t.lowering {
            Lowering::Placeholder | Lowering::Vector => {
                self.placeholder(&call.name, &call.output, &[packed])
            }
            Lowering::Coroutine => {
                let slot = i128::from(self.t.slot);
                self.t.needed_slot = self.t.needed_slot.max(call.slot_size());
                let waits = if call.sub_group {
                    Waits::SubGroup
                } else {
                    Waits::Group
                };
                let output = call.output.clone();
                let key = self.next_key(waits);
                self.t.calls.push((key, call));
                let slots = Value::i64(item::item::SLOTS);
                let item_record = self.item.clone();
                let input = self.fb.ptr_add(&item_record, &slots);
                self.fb
                    .store(&packed, &input, packed.ty.align().min(SLOT_ALIGN));
                self.suspend(key);
                let behind = Value::int(&Type::I64, i128::from(item::item::SLOTS) + slot);
                let place = self.fb.ptr_add(&item_record, &behind);
                self.fb
                    .load(&output, &place, output.align().min(SLOT_ALIGN))
            }
        };
        self.set(inst, value);
        Ok(())
    }
}

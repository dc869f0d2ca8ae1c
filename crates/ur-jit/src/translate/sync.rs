//! Synchronisation points: barriers, group operations and asynchronous copies.

use ur_spirv::Inst;
use ur_spirv::spirv::{Op, Scope};

use crate::atomic;
use crate::error::{Error, Result};
use crate::ir::{Type, Value};
use crate::item;

use super::function::Body;
use super::{KERNEL, Lowering, Point, point_name};

/// Set in the key of a work-item that waits for its whole work-group; the rest of a key is the
/// number of the synchronisation point.
pub const KEY_GROUP: u32 = 0x4000_0000;

/// Set in the key of a work-item that waits for its sub-group. Below are those that only let the
/// others of the sub-group go first, and never keep one that waits from being waited for.
pub const KEY_SUB_GROUP: u32 = 0x2000_0000;

/// Whom a work-item waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// Its work-group.
    Group,
    /// Its sub-group.
    SubGroup,
}

impl Body<'_, '_> {
    /// A synchronisation point.
    pub fn synchronise(&mut self, inst: &Inst) -> Result<()> {
        match inst.op {
            Op::ControlBarrier | Op::ControlBarrierWaitINTEL => {
                // The work-items of a group run on one thread, so only an order that other groups
                // are to see takes a fence.
                let semantics = self.value(inst.arg(2))?;
                let seen_outside = self.scope(inst.arg(1)).is_err();
                if seen_outside {
                    atomic::fence(&mut self.fb, &semantics);
                }
                if let Some(waits) = self.scope(inst.arg(0))? {
                    self.barrier(waits);
                    if seen_outside {
                        atomic::fence(&mut self.fb, &semantics);
                    }
                }
                Ok(())
            }
            Op::GroupAsyncCopy => self.async_copy(inst),
            Op::GroupWaitEvents => {
                if let Some(waits) = self.scope(inst.arg(0))? {
                    self.barrier(waits);
                }
                Ok(())
            }
            _ => self.group_operation(inst),
        }
    }

    /// Whom an execution scope makes wait; nobody if it is the work-item alone.
    pub fn scope(&self, id: u32) -> Result<Option<Waits>> {
        let number = self
            .t
            .spv
            .constant_bits(id)
            .and_then(|bits| u32::try_from(bits).ok())
            .ok_or_else(|| Error::unsupported("a scope that is not constant"))?;
        match Scope::from_u32(number) {
            Some(Scope::Workgroup) => Ok(Some(Waits::Group)),
            Some(Scope::Subgroup) => Ok(Some(Waits::SubGroup)),
            Some(Scope::Invocation) => Ok(None),
            other => Err(Error::unsupported(format!(
                "waiting for the scope {}",
                other.map_or_else(|| number.to_string(), |scope| format!("{scope:?}"))
            ))),
        }
    }

    /// Waits until all others of the scope are here.
    pub fn barrier(&mut self, waits: Waits) {
        match self.t.lowering {
            Lowering::Placeholder => {
                let name = match waits {
                    Waits::Group => "ur.wg.barrier",
                    Waits::SubGroup => "ur.sg.barrier",
                };
                self.placeholder(name, &Type::Void, &[]);
            }
            Lowering::Coroutine => {
                let key = self.next_key(waits);
                self.suspend(key);
            }
            Lowering::Vector => {
                let point = match waits {
                    Waits::Group => Point::GroupBarrier,
                    Waits::SubGroup => Point::SubGroupBarrier,
                };
                self.point(waits, point, &Type::Void, &[]);
            }
        }
    }

    /// A synchronisation point for the vectoriser.
    pub fn point(&mut self, waits: Waits, point: Point, result: &Type, args: &[Value]) -> Value {
        self.t.sub_groups |= waits == Waits::SubGroup;
        let key = self.next_key(waits);
        self.t.points.push((key, point));
        self.placeholder(&point_name(key), result, args)
    }

    /// Calls a declared function that stands for a synchronisation point, in a block of its own.
    pub fn placeholder(&mut self, name: &str, result: &Type, args: &[Value]) -> Value {
        let sync = self.fb.block("sync");
        self.fb.br(sync);
        self.fb.switch_to(sync);
        let value = self
            .fb
            .call_attributes(name, result, args, "convergent nounwind");
        let after = self.fb.block("after");
        self.fb.br(after);
        self.fb.switch_to(after);
        value
    }

    /// Number of the next synchronisation point. Points are numbered in program order, and the
    /// lowest goes first where work-items stand at several: those behind in a loop catch up.
    pub fn next_key(&mut self, waits: Waits) -> u32 {
        self.t.syncs += 1;
        match waits {
            Waits::Group => KEY_GROUP | self.t.syncs,
            Waits::SubGroup => {
                self.t.sub_group_sync = true;
                KEY_SUB_GROUP | self.t.syncs
            }
        }
    }

    /// Lets the others of the sub-group go as far as this point or the next one where they wait.
    pub fn yield_to_sub_group(&mut self) {
        self.t.sub_group_sync = true;
        self.t.yields += 1;
        let key = self.t.yields;
        self.suspend(key);
    }

    /// Makes the kernel's function a coroutine.
    ///
    /// Called without memory for its state, the function stores the state's size through its first
    /// parameter instead.
    pub fn begin_coroutine(&mut self) {
        debug_assert_eq!(self.fb.name(), KERNEL);
        // Inlined, LLVM could think that the state is the driver's own affair.
        self.fb.attribute("noinline presplitcoroutine");
        let frame = self.fb.param(3);
        let null = Value::zero(&Type::PTR);
        let align = Value::int(&Type::I32, i128::from(item::RECORD_ALIGN));
        let id = self.fb.call(
            "llvm.coro.id",
            &Type::Token,
            &[align, null.clone(), null.clone(), null.clone()],
        );
        let (report, start) = (self.fb.block("report"), self.fb.block("start"));
        let none = self.fb.icmp("eq", &frame, &null);
        self.fb.cond_br(&none, report, start);
        self.fb.switch_to(report);
        let size = self.fb.call("llvm.coro.size.i64", &Type::I64, &[]);
        let place = self.item.clone();
        self.fb.store(&size, &place, 8);
        self.fb.ret(Some(&null));
        self.fb.switch_to(start);
        let handle = self.fb.call("llvm.coro.begin", &Type::PTR, &[id, frame]);
        let leave = self.fb.block("leave");
        self.fb.switch_to(leave);
        let none = Value::new(&Type::Token, "none");
        self.fb.call(
            "llvm.coro.end",
            &Type::I1,
            &[handle.clone(), Value::bool(false), none],
        );
        self.fb.ret(Some(&handle));
        self.fb.switch_to(start);
        self.leave = Some(leave);
    }

    /// Lets the work-item wait at the point `key`.
    pub fn suspend(&mut self, key: u32) {
        let Some(leave) = self.leave else {
            return;
        };
        let item_record = self.item.clone();
        let key = Value::int(&Type::I32, i128::from(key));
        item::store(&mut self.fb, &item_record, item::item::KEY, &key);
        let none = Value::new(&Type::Token, "none");
        let outcome = self
            .fb
            .call("llvm.coro.suspend", &Type::I8, &[none, Value::bool(false)]);
        let resume = self.fb.block("resume");
        let (go_on, stop) = (Value::int(&Type::I8, 0), Value::int(&Type::I8, 1));
        self.fb
            .switch(&outcome, leave, &[(go_on, resume), (stop, leave)]);
        self.fb.switch_to(resume);
    }

    /// Ends the kernel's function.
    pub fn finish(mut self) {
        match self.leave {
            Some(leave) => {
                let item_record = self.item.clone();
                item::store(&mut self.fb, &item_record, item::item::KEY, &Value::i32(0));
                self.fb.br(leave);
            }
            None => self.fb.ret(None),
        }
        self.fb.finish();
    }

    /// A copy that the whole group makes together, each work-item taking every n-th element. It is
    /// complete once all have been here, which the wait sees to.
    fn async_copy(&mut self, inst: &Inst) -> Result<()> {
        if self.scope(inst.arg(0))? != Some(Waits::Group) {
            return Err(Error::unsupported(
                "an asynchronous copy not by a work-group",
            ));
        }
        let (to, from) = (self.value(inst.arg(1))?, self.value(inst.arg(2))?);
        let (count, stride) = (self.value(inst.arg(3))?, self.value(inst.arg(4))?);
        let spv = self.t.spv;
        let storage = |id: u32| match spv.type_of(id) {
            ur_spirv::Type::Pointer { storage, pointee } => Some((*storage, *pointee)),
            _ => None,
        };
        let (Some((to_storage, pointee)), Some(_)) = (storage(inst.arg(1)), storage(inst.arg(2)))
        else {
            return Err(Error::internal("an asynchronous copy between no pointers"));
        };
        let layout = spv
            .layout(pointee)
            .ok_or_else(|| Error::unsupported("an asynchronous copy of no size"))?;
        let size = i64::try_from(layout.size).unwrap_or(i64::MAX);
        // The stride counts elements of whichever side is global.
        let to_is_local = to_storage == ur_spirv::spirv::StorageClass::Workgroup;
        let count = self.fb.int_cast(&count, &Type::I64, false);
        let stride = self.fb.int_cast(&stride, &Type::I64, false);
        let (item_record, group_record) = (self.item.clone(), self.group.clone());
        let first = item::load(&mut self.fb, &item_record, item::item::LINEAR, &Type::I64);
        let step = item::load(&mut self.fb, &group_record, item::group::COUNT, &Type::I64);

        let (head, inner, done) = (
            self.fb.block("copy"),
            self.fb.block("element"),
            self.fb.block("copied"),
        );
        let before = self.fb.current();
        self.fb.br(head);
        self.fb.switch_to(head);
        let index = self.fb.phi(&Type::I64);
        self.fb.add_incoming(&index, &first, before);
        let more = self.fb.icmp("ult", &index.value, &count);
        self.fb.cond_br(&more, inner, done);
        self.fb.switch_to(inner);
        let strided = self.fb.binary("mul", &index.value, &stride);
        let bytes = Value::i64(size);
        let near = self.fb.binary("mul", &index.value, &bytes);
        let far = self.fb.binary("mul", &strided, &bytes);
        let (to_offset, from_offset) = if to_is_local {
            (near, far)
        } else {
            (far, near)
        };
        let to = self.fb.ptr_add(&to, &to_offset);
        let from = self.fb.ptr_add(&from, &from_offset);
        self.copy(&to, &from, &bytes, layout.align, false);
        let next = self.fb.binary("add", &index.value, &step);
        let latch = self.fb.current();
        self.fb.add_incoming(&index, &next, latch);
        self.fb.br(head);
        self.fb.switch_to(done);
        let ty = self.result_ty(inst)?;
        self.set(inst, Value::zero(&ty));
        Ok(())
    }
}

//! The built-in input variables: ids, sizes and sub-group facts.

use ur_spirv::spirv::BuiltIn;
use ur_spirv::{Id, Inst};

use crate::error::{Error, Result};
use crate::ir::{Type, Value};
use crate::item::{self, group, launch};

use super::function::Body;

impl Body<'_, '_> {
    /// The value of a load straight from a built-in variable; nothing for other loads.
    pub fn load_builtin(&mut self, inst: &Inst) -> Result<Option<Value>> {
        let Some(builtin) = self.t.spv.global(inst.arg(0)).and_then(|g| g.builtin) else {
            return Ok(None);
        };
        let ty = self.result_ty(inst)?;
        self.builtin(builtin, &ty).map(Some)
    }

    /// Memory that holds a built-in variable's value, for whatever else is done with its address.
    pub fn builtin_in_memory(&mut self, id: Id) -> Result<Value> {
        let spv = self.t.spv;
        let global = spv
            .global(id)
            .ok_or_else(|| Error::internal("a variable is missing"))?;
        let Some(builtin) = global.builtin else {
            return Err(Error::unsupported(
                "an input variable that is no built-in one",
            ));
        };
        let ty = self.t.ty(global.pointee)?;
        let value = self.builtin(builtin, &ty)?;
        let copy = self.fb.alloca(&ty, 1, ty.align());
        self.fb.store(&value, &copy, ty.align());
        Ok(copy)
    }

    /// Value of a built-in variable as type `ty`.
    fn builtin(&mut self, builtin: BuiltIn, ty: &Type) -> Result<Value> {
        if let Some(mask) = self.lane_mask(builtin) {
            return Ok(self.fb.bitcast(&mask, ty));
        }
        if ty.is_vector() {
            let mut lanes = Vec::new();
            for dim in 0..i64::from(ty.lanes()) {
                let lane = if dim < 3 {
                    self.per_dimension(builtin, dim)?
                } else {
                    Value::i64(0)
                };
                lanes.push(self.fb.int_cast(&lane, &ty.scalar(), false));
            }
            return Ok(self.fb.from_lanes(ty, &lanes));
        }
        let value = self.scalar_builtin(builtin)?;
        Ok(self.fb.int_cast(&value, ty, false))
    }

    /// A mask of the work-items of the sub-group that stand in some relation to this one, as 128 bits.
    fn lane_mask(&mut self, builtin: BuiltIn) -> Option<Value> {
        use BuiltIn as B;
        if !matches!(
            builtin,
            B::SubgroupEqMask
                | B::SubgroupGeMask
                | B::SubgroupGtMask
                | B::SubgroupLeMask
                | B::SubgroupLtMask
        ) {
            return None;
        }
        self.t.sub_groups = true;
        let record = self.item.clone();
        let wide = Type::Int(128);
        let fb = &mut self.fb;
        let lane = item::load(fb, &record, item::item::LANE, &Type::I32);
        let size = item::load(fb, &record, item::item::SUB_GROUP_SIZE, &Type::I32);
        let (lane, size) = (
            fb.int_cast(&lane, &wide, false),
            fb.int_cast(&size, &wide, false),
        );
        let one = Value::int(&wide, 1);
        let own = fb.binary("shl", &one, &lane);
        let below = fb.binary("sub", &own, &one);
        let upto = fb.binary("or", &own, &below);
        let above = fb.binary("shl", &one, &size);
        let all = fb.binary("sub", &above, &one);
        let without = match builtin {
            B::SubgroupEqMask => return Some(own),
            B::SubgroupLeMask => return Some(upto),
            B::SubgroupLtMask => return Some(below),
            B::SubgroupGeMask => below,
            _ => upto,
        };
        Some(fb.binary("xor", &all, &without))
    }

    /// One dimension of a built-in variable that has three.
    fn per_dimension(&mut self, builtin: BuiltIn, dim: i64) -> Result<Value> {
        let (item_record, group_record) = (self.item.clone(), self.group.clone());
        let fb = &mut self.fb;
        Ok(match builtin {
            BuiltIn::GlobalInvocationId => item::global_id(fb, &item_record, &group_record, dim),
            BuiltIn::LocalInvocationId => {
                item::load(fb, &item_record, item::item::LOCAL_ID + 8 * dim, &Type::I64)
            }
            BuiltIn::WorkgroupId => {
                item::load(fb, &group_record, group::GROUP_ID + 8 * dim, &Type::I64)
            }
            BuiltIn::WorkgroupSize => {
                item::load(fb, &group_record, group::SIZE + 8 * dim, &Type::I64)
            }
            BuiltIn::EnqueuedWorkgroupSize => {
                item::launch_field(fb, &group_record, launch::LOCAL_SIZE, dim)
            }
            BuiltIn::NumWorkgroups => {
                item::launch_field(fb, &group_record, launch::GROUP_COUNT, dim)
            }
            BuiltIn::GlobalSize => item::launch_field(fb, &group_record, launch::GLOBAL_SIZE, dim),
            BuiltIn::GlobalOffset => {
                item::launch_field(fb, &group_record, launch::GLOBAL_OFFSET, dim)
            }
            other => return Err(Error::unsupported(format!("the built-in {other:?}"))),
        })
    }

    fn scalar_builtin(&mut self, builtin: BuiltIn) -> Result<Value> {
        let (item_record, group_record) = (self.item.clone(), self.group.clone());
        let lanes = self.t.sub_group_size;
        self.t.sub_groups |= matches!(
            builtin,
            BuiltIn::SubgroupLocalInvocationId
                | BuiltIn::SubgroupId
                | BuiltIn::SubgroupSize
                | BuiltIn::SubgroupMaxSize
                | BuiltIn::NumSubgroups
                | BuiltIn::NumEnqueuedSubgroups
        );
        let fb = &mut self.fb;
        Ok(match builtin {
            BuiltIn::WorkDim => {
                let launch = item::load(fb, &group_record, group::LAUNCH, &Type::PTR);
                item::load(fb, &launch, launch::WORK_DIM, &Type::I32)
            }
            BuiltIn::LocalInvocationIndex => {
                item::load(fb, &item_record, item::item::LINEAR, &Type::I64)
            }
            BuiltIn::GlobalLinearId => {
                let mut linear = Value::i64(0);
                for dim in (0..3).rev() {
                    let id = item::global_id(fb, &item_record, &group_record, dim);
                    let offset = item::launch_field(fb, &group_record, launch::GLOBAL_OFFSET, dim);
                    let size = item::launch_field(fb, &group_record, launch::GLOBAL_SIZE, dim);
                    let id = fb.binary("sub", &id, &offset);
                    let scaled = fb.binary("mul", &linear, &size);
                    linear = fb.binary("add", &scaled, &id);
                }
                linear
            }
            BuiltIn::SubgroupLocalInvocationId => {
                item::load(fb, &item_record, item::item::LANE, &Type::I32)
            }
            BuiltIn::SubgroupId => item::load(fb, &item_record, item::item::SUB_GROUP, &Type::I32),
            BuiltIn::SubgroupSize => {
                item::load(fb, &item_record, item::item::SUB_GROUP_SIZE, &Type::I32)
            }
            BuiltIn::SubgroupMaxSize => Value::int(&Type::I32, i128::from(lanes)),
            BuiltIn::NumSubgroups => item::load(fb, &group_record, group::SUB_GROUPS, &Type::I32),
            BuiltIn::NumEnqueuedSubgroups => {
                let mut count = Value::i64(1);
                for dim in 0..3 {
                    let size = item::launch_field(fb, &group_record, launch::LOCAL_SIZE, dim);
                    count = fb.binary("mul", &count, &size);
                }
                let up = fb.binary("add", &count, &Value::i64(i64::from(lanes) - 1));
                fb.binary("udiv", &up, &Value::i64(i64::from(lanes)))
            }
            other => return self.per_dimension(other, 0),
        })
    }
}

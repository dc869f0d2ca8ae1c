//! Vectors and aggregates in registers.

use ur_spirv::Inst;
use ur_spirv::spirv::Op;

use crate::error::{Error, Result};
use crate::ir::{Type, Value};

use super::function::Body;

impl Body<'_, '_> {
    /// Composite instructions.
    pub fn composite(&mut self, inst: &Inst) -> Result<bool> {
        let value = match inst.op {
            Op::CompositeConstruct => {
                let ty = self.result_ty(inst)?;
                let parts = inst
                    .args
                    .iter()
                    .map(|part| self.value(*part))
                    .collect::<Result<Vec<_>>>()?;
                self.aggregate(&ty, &parts)?
            }
            Op::CompositeExtract => {
                let whole = self.value(inst.arg(0))?;
                self.extract(&whole, inst.args_from(1))?
            }
            Op::CompositeInsert => {
                let (part, whole) = (self.value(inst.arg(0))?, self.value(inst.arg(1))?);
                self.insert(&whole, &part, inst.args_from(2))?
            }
            Op::VectorExtractDynamic => {
                let (vector, index) = (self.value(inst.arg(0))?, self.value(inst.arg(1))?);
                let index = self.lane_index(&vector, &index);
                self.fb.extract_element(&vector, &index)
            }
            Op::VectorInsertDynamic => {
                let (vector, part) = (self.value(inst.arg(0))?, self.value(inst.arg(1))?);
                let index = self.value(inst.arg(2))?;
                let index = self.lane_index(&vector, &index);
                self.fb.insert_element(&vector, &part, &index)
            }
            Op::VectorShuffle => {
                let (a, b) = (self.value(inst.arg(0))?, self.value(inst.arg(1))?);
                self.vector_shuffle(&a, &b, inst.args_from(2))?
            }
            _ => return Ok(false),
        };
        self.set(inst, value);
        Ok(true)
    }

    /// An index that surely names a lane, so that a wrong one gives some lane and nothing worse.
    fn lane_index(&mut self, vector: &Value, index: &Value) -> Value {
        let index = self.fb.int_cast(index, &Type::I32, false);
        let lanes = vector.ty.lanes();
        let last = Value::int(&Type::I32, i128::from(lanes.saturating_sub(1)));
        if lanes.is_power_of_two() {
            self.fb.binary("and", &index, &last)
        } else {
            self.fb.intrinsic_same("umin", &[index, last])
        }
    }

    /// A composite made of its parts; for a vector, parts may be vectors themselves.
    pub fn aggregate(&mut self, ty: &Type, parts: &[Value]) -> Result<Value> {
        let mut whole = Value::poison(ty);
        if !ty.is_vector() {
            for (index, part) in parts.iter().enumerate() {
                whole = self.fb.insert_value(&whole, part, &[index as u32]);
            }
            return Ok(whole);
        }
        let mut lanes = Vec::with_capacity(ty.lanes() as usize);
        for part in parts {
            for lane in 0..part.ty.lanes() {
                lanes.push(self.fb.lane(part, lane));
            }
        }
        if lanes.len() != ty.lanes() as usize {
            return Err(Error::internal("a vector of the wrong number of parts"));
        }
        Ok(self.fb.from_lanes(ty, &lanes))
    }

    /// The part of a composite that a path of literals names.
    fn extract(&mut self, whole: &Value, path: &[u32]) -> Result<Value> {
        let mut value = whole.clone();
        for index in path {
            value = if value.ty.is_vector() {
                self.fb.lane(&value, *index)
            } else if value.ty.member(u64::from(*index)).is_some() {
                self.fb.extract_value(&value, &[*index])
            } else {
                return Err(Error::internal("a part that does not exist"));
            };
        }
        Ok(value)
    }

    /// A composite with the part that a path of literals names replaced.
    fn insert(&mut self, whole: &Value, part: &Value, path: &[u32]) -> Result<Value> {
        let Some((index, rest)) = path.split_first() else {
            return Ok(part.clone());
        };
        if whole.ty.is_vector() {
            let lane = Value::int(&Type::I32, i128::from(*index));
            return Ok(self.fb.insert_element(whole, part, &lane));
        }
        let inner = self.extract(whole, &[*index])?;
        let inner = self.insert(&inner, part, rest)?;
        Ok(self.fb.insert_value(whole, &inner, &[*index]))
    }

    /// Lanes chosen from two vectors, which may differ in length.
    fn vector_shuffle(&mut self, a: &Value, b: &Value, lanes: &[u32]) -> Result<Value> {
        let width = a.ty.lanes().max(b.ty.lanes());
        let first = self.widen(a, width);
        let second = self.widen(b, width);
        let lanes: Vec<Option<u32>> = lanes
            .iter()
            .map(|lane| match *lane {
                u32::MAX => None,
                n if n < a.ty.lanes() => Some(n),
                n => Some(n - a.ty.lanes() + width),
            })
            .collect();
        Ok(self.fb.shuffle(&first, &second, &lanes))
    }

    /// A vector with lanes added that nobody reads.
    fn widen(&mut self, vector: &Value, width: u32) -> Value {
        let lanes = vector.ty.lanes();
        if lanes == width {
            return vector.clone();
        }
        let mask: Vec<Option<u32>> = (0..width).map(|n| (n < lanes).then_some(n)).collect();
        let none = Value::poison(&vector.ty);
        self.fb.shuffle(vector, &none, &mask)
    }
}

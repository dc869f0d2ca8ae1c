//! Operand types of the `OpenCL.std` instructions.

use super::shape::{Elem, Shape, shape_of};
use crate::decode::Raw;
use crate::model::{Inst, Module};
use crate::types::Type;
use crate::{Error, Id, Result};
use rspirv::spirv::{Op, OpenclStd100Op as C, StorageClass};

/// Checks the types of an `OpExtInst` of `OpenCL.std`. Its ids were checked before.
pub fn check(module: &Module, inst: &Inst) -> Result<()> {
    let Some(op) = C::from_u32(inst.arg(1)) else {
        return Err(Error::unsupported(
            inst.offset,
            format!("unknown OpenCL.std instruction {}", inst.arg(1)),
        ));
    };
    let it = Extended { module, inst, op };
    if let Some(result) = it.float_with_others() {
        return result;
    }
    if let Some(result) = it.data() {
        return result;
    }
    // What is left computes element by element on values like the result.
    let number = op as u32;
    let integers = matches!(number, 141..=170 | 201..=204);
    let result = it.result()?;
    it.rule(
        match result.elem {
            Elem::Int(_) => integers,
            Elem::Float(_) => !integers,
            _ => false,
        },
        "the result is of the wrong kind",
    )?;
    it.like_result(0, inst.args_from(2).len())
}

struct Extended<'a> {
    module: &'a Module,
    inst: &'a Inst,
    op: C,
}

impl Extended<'_> {
    /// Float functions with operands or results of another kind.
    fn float_with_others(&self) -> Option<Result<()>> {
        Some(match self.op {
            C::frexp | C::lgamma_r => self.like_float(1).and_then(|()| self.int_pointer(1)),
            C::remquo => self.like_float(2).and_then(|()| self.int_pointer(2)),
            C::fract | C::modf | C::sincos => self
                .like_float(1)
                .and_then(|()| self.pointer_to(1, self.inst.ty)),
            C::ldexp | C::pown | C::rootn => self.like_float(1).and_then(|()| self.ints(1)),
            C::ilogb => self.ilogb(),
            C::nan => self.nan(),
            C::distance | C::fast_distance => self.measure(2),
            C::length | C::fast_length => self.measure(1),
            C::cross => self.cross(),
            _ => return None,
        })
    }

    /// Loads, stores, shuffles, selections, output.
    fn data(&self) -> Option<Result<()>> {
        Some(match self.op {
            C::u_upsample | C::s_upsample => self.upsample(),
            C::vloadn => self.vector_load(false),
            C::vload_half | C::vload_halfn | C::vloada_halfn => self.vector_load(true),
            C::vstoren => self.vector_store(false),
            C::vstore_half
            | C::vstore_half_r
            | C::vstore_halfn
            | C::vstore_halfn_r
            | C::vstorea_halfn
            | C::vstorea_halfn_r => self.vector_store(true),
            C::shuffle => self.shuffle(1),
            C::shuffle2 => self.shuffle(2),
            C::printf => self.pointer(0).and_then(|(storage, _)| {
                let relaxed = "SPV_EXT_relaxed_printf_string_address_space";
                self.rule(
                    storage == StorageClass::UniformConstant
                        || self.module.extensions.iter().any(|name| name == relaxed),
                    "the format is not in constant memory",
                )
            }),
            C::prefetch => self.pointer(0).and_then(|_| self.integer(1)),
            C::bitselect => self.numbers(3),
            C::select => self.numbers(2).and_then(|()| self.ints(2)),
            _ => return None,
        })
    }

    fn invalid(&self, rule: &str) -> Error {
        let raw = Raw {
            op: Op::ExtInst,
            words: &[],
            offset: self.inst.offset,
        };
        raw.invalid(format!("{:?}: {rule}", self.op))
    }

    fn rule(&self, holds: bool, rule: &str) -> Result<()> {
        if holds {
            Ok(())
        } else {
            Err(self.invalid(rule))
        }
    }

    fn result(&self) -> Result<Shape> {
        shape_of(self.module, self.inst.ty)
            .ok_or_else(|| self.invalid("the result is neither scalar nor vector"))
    }

    /// Type id of operand `n` of the function.
    fn ty(&self, n: usize) -> Id {
        self.module.type_id_of(self.inst.arg(n + 2))
    }

    fn shape(&self, n: usize) -> Result<Shape> {
        shape_of(self.module, self.ty(n))
            .ok_or_else(|| self.invalid("an operand is neither scalar nor vector"))
    }

    fn pointer(&self, n: usize) -> Result<(StorageClass, Id)> {
        match *self.module.ty(self.ty(n)) {
            Type::Pointer { storage, pointee } => Ok((storage, pointee)),
            _ => Err(self.invalid("an operand is no pointer")),
        }
    }

    fn integer(&self, n: usize) -> Result<()> {
        self.rule(
            self.module.ty(self.ty(n)).is_int(),
            "an operand is no integer",
        )
    }

    /// `count` operands from `first` on are like the result.
    fn like_result(&self, first: usize, count: usize) -> Result<()> {
        let result = self.result()?;
        for n in first..first + count {
            self.rule(
                self.shape(n)? == result,
                "an operand is not like the result",
            )?;
        }
        Ok(())
    }

    /// Result and the first `count` operands are alike and floats.
    fn like_float(&self, count: usize) -> Result<()> {
        self.rule(
            matches!(self.result()?.elem, Elem::Float(_)),
            "the result is no float",
        )?;
        self.like_result(0, count)
    }

    /// Result and the first `count` operands are alike and numbers.
    fn numbers(&self, count: usize) -> Result<()> {
        self.rule(
            matches!(self.result()?.elem, Elem::Float(_) | Elem::Int(_)),
            "the result is no number",
        )?;
        self.like_result(0, count)
    }

    /// Operand `n` has one integer for each element of the result.
    fn ints(&self, n: usize) -> Result<()> {
        let shape = self.shape(n)?;
        self.rule(
            matches!(shape.elem, Elem::Int(_)) && shape.lanes == self.result()?.lanes,
            "an operand has not one integer for each element",
        )
    }

    /// Operand `n` points to values of type `ty` that can be written.
    fn pointer_to(&self, n: usize, ty: Id) -> Result<()> {
        let (storage, pointee) = self.pointer(n)?;
        self.rule(
            pointee == ty && is_writable(storage),
            "the pointer is not to a place for the other result",
        )
    }

    /// Operand `n` points to a 32-bit integer for each element of the result.
    fn int_pointer(&self, n: usize) -> Result<()> {
        let (storage, pointee) = self.pointer(n)?;
        let wanted = Shape {
            elem: Elem::Int(32),
            lanes: self.result()?.lanes,
        };
        self.rule(
            shape_of(self.module, pointee) == Some(wanted) && is_writable(storage),
            "the pointer is not to a place for the other result",
        )
    }

    fn ilogb(&self) -> Result<()> {
        let (result, x) = (self.result()?, self.shape(0)?);
        self.rule(
            result.elem == Elem::Int(32)
                && matches!(x.elem, Elem::Float(_))
                && x.lanes == result.lanes,
            "takes floats and gives 32-bit integers",
        )
    }

    fn nan(&self) -> Result<()> {
        let (result, code) = (self.result()?, self.shape(0)?);
        let fits = match (result.elem, code.elem) {
            (Elem::Float(a), Elem::Int(b)) => a == b && result.lanes == code.lanes,
            _ => false,
        };
        self.rule(fits, "takes integers and gives floats of their size")
    }

    /// A scalar from `count` float vectors.
    fn measure(&self, count: usize) -> Result<()> {
        let (result, first) = (self.result()?, self.shape(0)?);
        self.rule(
            matches!(result.elem, Elem::Float(_))
                && result.lanes == 1
                && first.elem == result.elem
                && (count == 1 || self.shape(1)? == first),
            "takes float vectors and gives an element",
        )
    }

    fn cross(&self) -> Result<()> {
        self.like_float(2)?;
        self.rule(
            matches!(self.result()?.lanes, 3 | 4),
            "works on three or four elements",
        )
    }

    fn upsample(&self) -> Result<()> {
        let (result, high, low) = (self.result()?, self.shape(0)?, self.shape(1)?);
        let fits = match (result.elem, high.elem) {
            (Elem::Int(wide), Elem::Int(narrow)) => wide == 2 * narrow,
            _ => false,
        };
        self.rule(
            fits && high == low && high.lanes == result.lanes,
            "takes two integers and gives one of twice the size",
        )
    }

    /// Whether `ty` is what vector loads and stores in memory find for values of `value`'s elements.
    fn element_fits(&self, ty: Id, value: Shape, half: bool) -> bool {
        let Some(Shape { elem, lanes: 1 }) = shape_of(self.module, ty) else {
            return false;
        };
        if half {
            elem == Elem::Float(16) && matches!(value.elem, Elem::Float(_))
        } else {
            elem == value.elem && matches!(elem, Elem::Float(_) | Elem::Int(_))
        }
    }

    /// Offset, pointer, and for vectors the number of elements as a literal.
    fn vector_load(&self, half: bool) -> Result<()> {
        let result = self.result()?;
        self.integer(0)?;
        let (_, pointee) = self.pointer(1)?;
        self.rule(
            self.element_fits(pointee, result, half),
            "the pointer is not to elements of the result",
        )?;
        let lanes = match self.op {
            C::vload_half => 1,
            _ => self.inst.arg(4),
        };
        self.rule(
            lanes == result.lanes,
            "the result has another number of elements",
        )
    }

    /// Data, offset, pointer.
    fn vector_store(&self, half: bool) -> Result<()> {
        let data = self.shape(0)?;
        self.integer(1)?;
        let (storage, pointee) = self.pointer(2)?;
        self.rule(
            self.element_fits(pointee, data, half) && is_writable(storage),
            "the pointer is not to a place for the data",
        )?;
        self.rule(
            *self.module.ty(self.inst.ty) == Type::Void,
            "the result is not void",
        )
    }

    /// `count` vectors, then a mask as long as the result.
    fn shuffle(&self, count: usize) -> Result<()> {
        let (result, first, mask) = (self.result()?, self.shape(0)?, self.shape(count)?);
        self.rule(
            matches!(mask.elem, Elem::Int(_))
                && mask.lanes == result.lanes
                && first.elem == result.elem
                && first.lanes > 1
                && (count == 1 || self.shape(1)? == first),
            "the vectors and the mask do not fit the result",
        )
    }
}

fn is_writable(storage: StorageClass) -> bool {
    !matches!(storage, StorageClass::UniformConstant | StorageClass::Input)
}

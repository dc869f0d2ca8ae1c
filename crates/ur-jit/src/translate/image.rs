//! Images and samplers. An image is the address of its descriptor, a sampler its packed number, and
//! both together a structure of the two. Functions of the runtime do the reading and writing.

use ur_jit_abi::{Addressing, SamplerBits};
use ur_spirv::spirv::Op;
use ur_spirv::{Constant, Id, Inst, Type as Spv};

use crate::error::{Error, Result};
use crate::ir::{Type, Value};

use super::function::Body;

/// What LLVM may assume of a function that reads an image.
const READS: &str = "nounwind willreturn memory(read)";

/// The same of one that writes one.
const WRITES: &str = "nounwind willreturn";

/// Register type of an image together with a sampler.
pub fn sampled_type() -> Type {
    Type::structure(&[Type::PTR, Type::I64])
}

/// The number that stands for a sampler constant.
pub fn sampler(constant: &Constant) -> Option<SamplerBits> {
    match *constant {
        Constant::Sampler {
            addressing,
            normalized,
            linear,
        } => {
            let addressing = match addressing {
                1 => Addressing::ClampToEdge,
                2 => Addressing::Clamp,
                3 => Addressing::Repeat,
                4 => Addressing::MirroredRepeat,
                _ => Addressing::None,
            };
            Some(SamplerBits::new(addressing, normalized, linear))
        }
        _ => None,
    }
}

impl Body<'_, '_> {
    /// Image instructions.
    pub fn image(&mut self, inst: &Inst) -> Result<bool> {
        let value = match inst.op {
            Op::SampledImage => {
                let (image, sampler) = (self.value(inst.arg(0))?, self.value(inst.arg(1))?);
                let both = Value::undef(&sampled_type());
                let both = self.fb.insert_value(&both, &image, &[0]);
                self.fb.insert_value(&both, &sampler, &[1])
            }
            Op::Image => {
                let both = self.value(inst.arg(0))?;
                self.fb.extract_value(&both, &[0])
            }
            Op::ImageSampleExplicitLod => {
                let both = self.value(inst.arg(0))?;
                let image = self.fb.extract_value(&both, &[0]);
                let sampler = self.fb.extract_value(&both, &[1]);
                let Spv::SampledImage { image: ty } = *self.t.spv.type_of(inst.arg(0)) else {
                    return Err(Error::internal("a sample of no sampled image"));
                };
                let coords = self.coordinates(ty, inst.arg(1))?;
                let whole = coords.first().is_some_and(|coord| coord.ty.is_int());
                let name = if whole {
                    "ur_jit_image_sample_at"
                } else {
                    "ur_jit_image_sample"
                };
                self.texel(inst, name, &[&[image, sampler][..], &coords].concat())?
            }
            Op::ImageRead | Op::ImageFetch => {
                let image = self.value(inst.arg(0))?;
                let coords = self.coordinates(self.t.spv.type_id_of(inst.arg(0)), inst.arg(1))?;
                // A read without a sampler is one with the plainest.
                let sampler = SamplerBits::new(Addressing::None, false, false);
                let sampler = Value::int(&Type::I64, sampler.0.into());
                let args = [&[image, sampler][..], &coords].concat();
                self.texel(inst, "ur_jit_image_sample_at", &args)?
            }
            Op::ImageWrite => {
                self.image_write(inst)?;
                return Ok(true);
            }
            Op::ImageQuerySizeLod | Op::ImageQuerySize => self.image_size(inst)?,
            Op::ImageQueryFormat | Op::ImageQueryOrder => {
                let image = self.value(inst.arg(0))?;
                let name = if inst.op == Op::ImageQueryFormat {
                    "ur_jit_image_format"
                } else {
                    "ur_jit_image_order"
                };
                self.fb.call_attributes(name, &Type::I32, &[image], READS)
            }
            // Images have no others than the first.
            Op::ImageQueryLevels => Value::i32(1),
            _ => return Ok(false),
        };
        self.set(inst, value);
        Ok(true)
    }

    /// Three coordinates: those that images of type `image` have, and zeros.
    fn coordinates(&mut self, image: Id, coords: Id) -> Result<Vec<Value>> {
        let coords = self.value(coords)?;
        let count = self.t.spv.ty(image).coordinates();
        let scalar = coords.ty.scalar();
        Ok((0..3)
            .map(|axis| {
                if axis < count {
                    self.fb.lane(&coords, axis)
                } else {
                    Value::zero(&scalar)
                }
            })
            .collect())
    }

    /// Calls the function that gives a texel, and gives it the type of the result.
    fn texel(&mut self, inst: &Inst, name: &str, args: &[Value]) -> Result<Value> {
        let ty = self.result_ty(inst)?;
        let (name, scalar) = if ty.is_int() {
            (format!("{name}_i"), Type::I32)
        } else {
            (name.to_owned(), Type::Float)
        };
        let four = Type::vector(&scalar, 4);
        let texel = self.fb.call_attributes(&name, &four, args, READS);
        if !ty.is_vector() {
            let first = self.fb.lane(&texel, 0);
            return Ok(self.converted(&first, &ty));
        }
        Ok(self.converted(&texel, &ty))
    }

    /// Floats as floats of another size; integers are of one size only.
    fn converted(&mut self, value: &Value, ty: &Type) -> Value {
        if ty.is_int() {
            value.clone()
        } else {
            self.fb.float_cast(value, ty)
        }
    }

    fn image_write(&mut self, inst: &Inst) -> Result<()> {
        let image = self.value(inst.arg(0))?;
        let coords = self.coordinates(self.t.spv.type_id_of(inst.arg(0)), inst.arg(1))?;
        let texel = self.value(inst.arg(2))?;
        let (name, scalar) = if texel.ty.is_int() {
            ("ur_jit_image_write_i", Type::I32)
        } else {
            ("ur_jit_image_write", Type::Float)
        };
        let texel = self.converted(&texel, &texel.ty.with_scalar(&scalar));
        let four = Type::vector(&scalar, 4);
        let texel = if texel.ty.is_vector() {
            texel
        } else {
            self.fb.splat(&four, &texel)
        };
        let args = [&[image][..], &coords, &[texel]].concat();
        self.fb.call_attributes(name, &Type::Void, &args, WRITES);
        Ok(())
    }

    /// Width, height, depth and number of layers, as far as the image has them.
    fn image_size(&mut self, inst: &Inst) -> Result<Value> {
        let image = self.value(inst.arg(0))?;
        let ty = self.result_ty(inst)?;
        let extents: Vec<_> = (0..ty.lanes())
            .map(|axis| {
                let axis = Value::int(&Type::I32, axis.into());
                let args = [image.clone(), axis];
                let name = "ur_jit_image_extent";
                let extent = self.fb.call_attributes(name, &Type::I32, &args, READS);
                self.fb.int_cast(&extent, &ty.scalar(), false)
            })
            .collect();
        Ok(self.fb.from_lanes(&ty, &extents))
    }
}

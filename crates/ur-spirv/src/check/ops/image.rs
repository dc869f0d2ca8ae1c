//! Images and samplers.

use super::Checked;
use crate::Result;
use crate::check::shape::{Elem, Shape, shape_of};
use crate::types::Type;
use crate::{Id, model::Inst};
use rspirv::spirv::{AccessQualifier, ImageOperands, Op};

pub fn check(it: &Checked<'_>) -> Result<bool> {
    use Op as O;
    match it.inst.op {
        O::SampledImage => {
            let image = sampled(it, it.inst.ty, "the result")?;
            it.rule(it.ty(0) == image, "operand 0 is not the result's image")?;
            it.rule(
                *it.module.type_of(it.inst.arg(1)) == Type::Sampler,
                "operand 1 is no sampler",
            )?;
        }
        O::Image => {
            let image = sampled(it, it.ty(0), "operand 0")?;
            it.rule(it.inst.ty == image, "the result is not operand 0's image")?;
        }
        O::ImageSampleExplicitLod => {
            let image = sampled(it, it.ty(0), "operand 0")?;
            access(it, image, AccessQualifier::WriteOnly)?;
            coordinates(it, image, true)?;
            texel(it, it.inst.ty, "the result")?;
            let given = operands(it, 2)?;
            it.rule(
                given.intersects(ImageOperands::LOD | ImageOperands::GRAD),
                "neither a level nor gradients are given",
            )?;
        }
        O::ImageRead | O::ImageFetch => {
            let image = it.ty(0);
            access(it, image, AccessQualifier::WriteOnly)?;
            coordinates(it, image, false)?;
            texel(it, it.inst.ty, "the result")?;
            operands(it, 2)?;
        }
        O::ImageWrite => {
            let image = it.ty(0);
            access(it, image, AccessQualifier::ReadOnly)?;
            coordinates(it, image, false)?;
            texel(it, it.ty(2), "operand 2")?;
            operands(it, 3)?;
        }
        O::ImageQuerySizeLod | O::ImageQuerySize => {
            let image = it.module.ty(it.ty(0));
            let needed = image.coordinates();
            it.rule(needed > 0, "operand 0 is no image")?;
            let result = it.result()?;
            it.rule(
                matches!(result.elem, Elem::Int(_)) && result.lanes == needed,
                "the result has not one integer for each extent",
            )?;
            if it.inst.op == O::ImageQuerySizeLod {
                it.integer(1)?;
            }
        }
        O::ImageQueryFormat | O::ImageQueryOrder | O::ImageQueryLevels => {
            it.rule(
                it.module.ty(it.ty(0)).coordinates() > 0,
                "operand 0 is no image",
            )?;
            it.rule(
                *it.module.ty(it.inst.ty) == Type::Int { width: 32 },
                "the result is no 32-bit integer",
            )?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// The image type of a sampled image type.
fn sampled(it: &Checked<'_>, ty: Id, what: &str) -> Result<Id> {
    match *it.module.ty(ty) {
        Type::SampledImage { image } => Ok(image),
        _ => Err(it.invalid(format!("{what} is no sampled image"))),
    }
}

/// The type is an image's, and not one that may only be accessed as `excluded`.
fn access(it: &Checked<'_>, image: Id, excluded: AccessQualifier) -> Result<()> {
    match it.module.ty(image) {
        Type::Image { access, .. } => {
            it.rule(*access != excluded, &format!("the image is {excluded:?}"))
        }
        _ => Err(it.invalid("operand 0 is no image")),
    }
}

/// Operand 1 has a number for each coordinate; it may have more.
fn coordinates(it: &Checked<'_>, image: Id, sampled: bool) -> Result<()> {
    let shape = it.shape(1)?;
    it.rule(
        shape.elem == Elem::Int(32) || sampled && shape.elem == Elem::Float(32),
        "the coordinates are of the wrong kind",
    )?;
    it.rule(
        shape.lanes >= it.module.ty(image).coordinates(),
        "the image has more coordinates",
    )
}

/// A texel: four numbers, or one of a depth image.
fn texel(it: &Checked<'_>, ty: Id, what: &str) -> Result<()> {
    let fits = matches!(
        shape_of(it.module, ty),
        Some(Shape {
            elem: Elem::Int(32) | Elem::Float(16 | 32),
            lanes: 1 | 4,
        })
    );
    it.rule(fits, &format!("{what} is no texel"))
}

/// The image operands in words from `first` on, all of them understood.
fn operands(it: &Checked<'_>, first: usize) -> Result<ImageOperands> {
    let allowed = ImageOperands::LOD
        | ImageOperands::GRAD
        | ImageOperands::NON_PRIVATE_TEXEL
        | ImageOperands::VOLATILE_TEXEL
        | ImageOperands::SIGN_EXTEND
        | ImageOperands::ZERO_EXTEND
        | ImageOperands::NONTEMPORAL;
    let given = mask(it.inst, first);
    if !allowed.contains(given) {
        return Err(it.unsupported(format!("image operands {given:?}")));
    }
    if let (true, Some(level)) = (
        given.contains(ImageOperands::LOD),
        it.inst.args.get(first + 1),
    ) {
        let number = shape_of(it.module, it.module.type_id_of(*level));
        it.rule(
            matches!(
                number,
                Some(Shape {
                    elem: Elem::Int(_) | Elem::Float(_),
                    lanes: 1,
                })
            ),
            "the level is no number",
        )?;
    }
    Ok(given)
}

fn mask(inst: &Inst, at: usize) -> ImageOperands {
    ImageOperands::from_bits_truncate(inst.arg(at))
}

//! Samplers.

use crate::call::{Raw, call, code, made, tell};
use crate::cl::*;
use crate::world::{Body, Kind};
use std::ffi::c_void;

/// A sampler.
#[derive(Debug)]
pub struct Sampler {
    context: usize,
    normalized: cl_bool,
    addressing: cl_uint,
    filter: cl_uint,
}

/// Makes a sampler.
pub unsafe extern "C" fn clCreateSampler(
    context: cl_context,
    normalized: cl_bool,
    addressing: cl_uint,
    filter: cl_uint,
    place: *mut cl_int,
) -> cl_sampler {
    let result = call("clCreateSampler", |world| {
        let context = context.to_native();
        let platform = world.platform_of(context, Kind::Context)?;
        let sampler = Sampler {
            context,
            normalized,
            addressing,
            filter,
        };
        Ok(world.add(platform, Body::Sampler(sampler), vec![context]))
    });
    // SAFETY: as the caller says.
    unsafe { made(place, result, cl_sampler::from_native) }
}

/// Answers a question about a sampler.
pub unsafe extern "C" fn clGetSamplerInfo(
    sampler: cl_sampler,
    name: cl_uint,
    size: usize,
    value: *mut c_void,
    told: *mut usize,
) -> cl_int {
    code(call("clGetSamplerInfo", |world| {
        let sampler = world.sampler(sampler.to_native())?;
        let answer = match name {
            CL_SAMPLER_CONTEXT => sampler.context.raw(),
            CL_SAMPLER_NORMALIZED_COORDS => sampler.normalized.raw(),
            CL_SAMPLER_ADDRESSING_MODE => sampler.addressing.raw(),
            CL_SAMPLER_FILTER_MODE => sampler.filter.raw(),
            _ => return Err(CL_INVALID_VALUE),
        };
        // SAFETY: as the caller says.
        unsafe { tell(&answer, size, value, told) }
    }))
}

/// Adds a reference.
pub unsafe extern "C" fn clRetainSampler(sampler: cl_sampler) -> cl_int {
    code(call("clRetainSampler", |world| {
        world.retain(sampler.to_native(), Kind::Sampler)
    }))
}

/// Gives a reference up.
pub unsafe extern "C" fn clReleaseSampler(sampler: cl_sampler) -> cl_int {
    code(call("clReleaseSampler", |world| {
        world.release(sampler.to_native(), Kind::Sampler)
    }))
}

//! Samplers.

use crate::OpenCl;
use crate::cl::{self, Functions, Owned, check, query};
use crate::context::Context;
use ur_adapter::{Error, Handle, Info, Object, Result, SamplerFns};
use ur_api::*;

/// What a sampler handle names.
#[derive(Debug)]
pub struct Sampler {
    /// First, so that it goes before its context.
    native: Owned<cl::cl_sampler>,
    context: Handle<Context>,
    normalized: bool,
    addressing: ur_sampler_addressing_mode_t,
    filter: ur_sampler_filter_mode_t,
}

impl Sampler {
    /// OpenCL's own handle.
    pub fn native(&self) -> cl::cl_sampler {
        self.native.get()
    }
}

/// The API's and OpenCL's ways to read beyond an image.
const ADDRESSING: [(ur_sampler_addressing_mode_t, cl::cl_uint); 5] = [
    (UR_SAMPLER_ADDRESSING_MODE_NONE, cl::CL_ADDRESS_NONE),
    (
        UR_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE,
        cl::CL_ADDRESS_CLAMP_TO_EDGE,
    ),
    (UR_SAMPLER_ADDRESSING_MODE_CLAMP, cl::CL_ADDRESS_CLAMP),
    (UR_SAMPLER_ADDRESSING_MODE_REPEAT, cl::CL_ADDRESS_REPEAT),
    (
        UR_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT,
        cl::CL_ADDRESS_MIRRORED_REPEAT,
    ),
];

/// The API's and OpenCL's ways to read between texels.
const FILTERS: [(ur_sampler_filter_mode_t, cl::cl_uint); 2] = [
    (UR_SAMPLER_FILTER_MODE_NEAREST, cl::CL_FILTER_NEAREST),
    (UR_SAMPLER_FILTER_MODE_LINEAR, cl::CL_FILTER_LINEAR),
];

/// A value that the driver has about a sampler.
fn value<T: query::Answer>(
    api: &Functions,
    native: cl::cl_sampler,
    name: cl::cl_uint,
) -> Result<T> {
    query::value(|size, value, told| {
        // SAFETY: a live sampler; the places are as `query` says.
        unsafe { (api.clGetSamplerInfo)(native, name, size, value, told) }
    })
}

impl SamplerFns for OpenCl {
    fn sampler_create(
        context: &Object<Context>,
        desc: &ur_sampler_desc_t,
    ) -> Result<Handle<Sampler>> {
        let unknown = || Error::code(UR_RESULT_ERROR_INVALID_ENUMERATION);
        let addressing = ADDRESSING.iter().find(|one| one.0 == desc.addressingMode);
        let addressing = addressing.ok_or_else(unknown)?;
        let filter = FILTERS.iter().find(|one| one.0 == desc.filterMode);
        let filter = filter.ok_or_else(unknown)?;
        let api = context.api();
        let mut code = 0;
        // SAFETY: a live context; the code's place is ours.
        let native = unsafe {
            (api.clCreateSampler)(
                context.native(),
                cl::cl_bool::from(desc.normalizedCoords),
                addressing.1,
                filter.1,
                &raw mut code,
            )
        };
        check(code)?;
        Handle::new(Sampler {
            // SAFETY: made for this call.
            native: unsafe { Owned::new(api, native) },
            context: context.handle(),
            normalized: desc.normalizedCoords,
            addressing: addressing.0,
            filter: filter.0,
        })
    }

    fn sampler_get_info(
        sampler: &Object<Sampler>,
        prop_name: ur_sampler_info_t,
        info: &mut Info<'_>,
    ) -> Result {
        match prop_name {
            UR_SAMPLER_INFO_CONTEXT => info.handle(&*sampler.context),
            UR_SAMPLER_INFO_NORMALIZED_COORDS => info.bool(sampler.normalized),
            UR_SAMPLER_INFO_ADDRESSING_MODE => info.value(sampler.addressing.0),
            UR_SAMPLER_INFO_FILTER_MODE => info.value(sampler.filter.0),
            _ => Err(Error::unsupported_query()),
        }
    }

    fn sampler_get_native_handle(sampler: &Object<Sampler>) -> Result<ur_native_handle_t> {
        sampler.context.pending().note_others();
        Ok(sampler.native().to_native())
    }

    fn sampler_create_with_native_handle(
        native_sampler: ur_native_handle_t,
        context: &Object<Context>,
        properties: Option<&ur_sampler_native_properties_t>,
    ) -> Result<Handle<Sampler>> {
        let api = context.api();
        let native = cl::cl_sampler::from_native(native_sampler);
        if native.is_null() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_SAMPLER));
        }
        let of: cl::cl_context = value(api, native, cl::CL_SAMPLER_CONTEXT)?;
        if of != context.native() {
            return Err(Error::code(UR_RESULT_ERROR_INVALID_CONTEXT));
        }
        let normalized: cl::cl_bool = value(api, native, cl::CL_SAMPLER_NORMALIZED_COORDS)?;
        let mode: cl::cl_uint = value(api, native, cl::CL_SAMPLER_ADDRESSING_MODE)?;
        let addressing = ADDRESSING.iter().find(|one| one.1 == mode);
        let mode: cl::cl_uint = value(api, native, cl::CL_SAMPLER_FILTER_MODE)?;
        let filter = FILTERS.iter().find(|one| one.1 == mode);
        let (Some(addressing), Some(filter)) = (addressing, filter) else {
            return Err(Error::new(
                UR_RESULT_ERROR_INVALID_SAMPLER,
                "a sampler of a kind that the API does not have",
            ));
        };
        let given = properties.is_some_and(|properties| properties.isNativeHandleOwned);
        Handle::new(Sampler {
            // SAFETY: a live sampler; the program says whether its reference is ours.
            native: unsafe { Owned::of_native(api, native, given) }?,
            context: context.handle(),
            normalized: normalized != cl::CL_FALSE,
            addressing: addressing.0,
            filter: filter.0,
        })
    }
}

//! Images and samplers.

use crate::case;
use crate::kernels::{kernel, launch, module, set, values};
use crate::support::*;
use ze_fake::command_list::*;
use ze_fake::image::*;
use ze_fake::kernel::*;
use ze_fake::module::*;
use ze_fake::sampler::*;
use ze_fake::ze::*;

/// A description of an image of four floats.
fn floats(type_: u32, width: u64, height: u32) -> ze_image_desc_t {
    let mut desc = ze_image_desc_t::new();
    desc.flags = ZE_IMAGE_FLAG_KERNEL_WRITE;
    desc.type_ = type_;
    desc.format = ze_image_format_t {
        layout: ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32,
        type_: ZE_IMAGE_FORMAT_TYPE_FLOAT,
        x: ZE_IMAGE_FORMAT_SWIZZLE_R,
        y: ZE_IMAGE_FORMAT_SWIZZLE_G,
        z: ZE_IMAGE_FORMAT_SWIZZLE_B,
        w: ZE_IMAGE_FORMAT_SWIZZLE_A,
    };
    (desc.width, desc.height) = (width, height);
    desc
}

fn image(fake: &Fake, desc: &ze_image_desc_t) -> ze_image_handle_t {
    let mut image = ze_image_handle_t::NULL;
    good(unsafe { zeImageCreate(fake.context, fake.device(), desc, &mut image) });
    image
}

case! {
    /// Regions are copied to and from memory and from image to image.
    copies, "1.15", |fake| {
        let desc = floats(ZE_IMAGE_TYPE_2D, 3, 4);
        let images = [(); 2].map(|()| image(fake, &desc));
        let texels: Vec<[f32; 4]> = (0..12).map(|place| [place as f32; 4]).collect();
        let mut out = [[0f32; 4]; 12];
        let list = fake.immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        let (all, none) = (std::ptr::null(), std::ptr::null());
        let region = ze_image_region_t {
            originX: 1, originY: 2, originZ: 0, width: 2, height: 2, depth: 1,
        };
        unsafe {
            let (from, to) = (texels.as_ptr().cast(), out.as_mut_ptr().cast());
            good(zeCommandListAppendImageCopyFromMemory(list, images[0], from, all, NONE, 0, none));
            good(zeCommandListAppendImageCopy(list, images[1], images[0], NONE, 0, none));
            let origin = ze_image_region_t { originX: 0, originY: 0, ..region };
            good(zeCommandListAppendImageCopyRegion(
                list, images[1], images[0], &origin, &region, NONE, 0, none,
            ));
            good(zeCommandListAppendImageCopyToMemory(list, to, images[1], all, NONE, 0, none));
            good(zeCommandListHostSynchronize(list, u64::MAX));
        }
        let out: Vec<_> = out.iter().map(|texel| texel[3]).collect();
        assert_eq!(out, [7., 8., 2., 10., 11., 5., 6., 7., 8., 9., 10., 11.]);
        let mut rows = [[0f32; 4]; 8];
        unsafe {
            let to = rows.as_mut_ptr().cast();
            good(zeCommandListAppendImageCopyToMemoryExt(
                list, to, images[0], &region, 64, 0, NONE, 0, none,
            ));
            good(zeCommandListHostSynchronize(list, u64::MAX));
            let far = ze_image_region_t { originX: 2, ..region };
            let result = zeCommandListAppendImageCopyToMemory(
                list, to, images[0], &far, NONE, 0, none,
            );
            assert_eq!(result, ZE_RESULT_ERROR_INVALID_ARGUMENT);
        }
        fault("leaves the image");
        let rows = rows.map(|texel| texel[0]);
        assert_eq!(rows, [7., 8., 0., 0., 10., 11., 0., 0.]);
        for image in images {
            good(unsafe { zeImageDestroy(image) });
        }
        good(unsafe { zeCommandListDestroy(list) });
        fake.end();
    }
}

case! {
    /// Kernels sample images; one of another shape is no argument.
    sampling, "1.15", |fake| {
        let desc = floats(ZE_IMAGE_TYPE_2D, 2, 1);
        let own = image(fake, &desc);
        let other = image(fake, &floats(ZE_IMAGE_TYPE_1D, 2, 0));
        let mut sampler_desc = ze_sampler_desc_t::new();
        sampler_desc.addressMode = ZE_SAMPLER_ADDRESS_MODE_CLAMP;
        sampler_desc.filterMode = ZE_SAMPLER_FILTER_MODE_LINEAR;
        let mut sampler = ze_sampler_handle_t::NULL;
        let (context, device) = (fake.context, fake.device());
        good(unsafe { zeSamplerCreate(context, device, &sampler_desc, &mut sampler) });
        let module = module(fake, "images");
        let kernel = kernel(module, "sample_2d");
        let at = values::<[f32; 4]>(fake, 3);
        at.copy_from_slice(&[[0.5, 0.5, 0., 0.], [1., 0.5, 0., 0.], [9., 0.5, 0., 0.]]);
        let out = values::<[f32; 4]>(fake, 3);
        let texels = [[1f32, 2., 3., 4.], [3f32, 4., 5., 6.]];
        let list = fake.immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        let (all, none) = (std::ptr::null(), std::ptr::null());
        good(unsafe {
            let from = texels.as_ptr().cast();
            zeCommandListAppendImageCopyFromMemory(list, own, from, all, NONE, 0, none)
        });
        let place = (&raw const other).cast();
        let result = unsafe { zeKernelSetArgumentValue(kernel, 0, 8, place) };
        assert_eq!(result, ZE_RESULT_ERROR_INVALID_ARGUMENT);
        set(kernel, 0, own);
        set(kernel, 1, sampler);
        set(kernel, 2, at.as_ptr());
        set(kernel, 3, out.as_mut_ptr());
        good(launch(list, kernel, 3));
        good(unsafe { zeCommandListHostSynchronize(list, u64::MAX) });
        assert_eq!(out, [[1., 2., 3., 4.], [2., 3., 4., 5.], [3., 4., 5., 6.]]);
        good(unsafe { zeCommandListDestroy(list) });
        good(unsafe { zeKernelDestroy(kernel) });
        good(unsafe { zeModuleDestroy(module) });
        good(unsafe { zeSamplerDestroy(sampler) });
        for image in [own, other] {
            good(unsafe { zeImageDestroy(image) });
        }
        fake.free(at.as_mut_ptr().cast());
        fake.free(out.as_mut_ptr().cast());
        fake.end();
    }
}

case! {
    /// What images cannot be, and drivers without them.
    refusals, "1.15;1.0 -images", |fake| {
        let mut desc = floats(ZE_IMAGE_TYPE_3D, 4096, 1);
        let mut image = ze_image_handle_t::NULL;
        let (context, device) = (fake.context, fake.device());
        let mut make = |desc: &ze_image_desc_t| unsafe {
            zeImageCreate(context, device, desc, &mut image)
        };
        assert_eq!(make(&desc), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        desc.format.layout = ZE_IMAGE_FORMAT_LAYOUT_4_4_4_4;
        assert_eq!(make(&desc), ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
        desc.type_ = 9;
        desc.format.layout = ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32;
        assert_eq!(make(&desc), ZE_RESULT_ERROR_INVALID_ENUMERATION);
        fake.end();
    }
}

case! {
    /// A view has the texels of the image, with another meaning.
    views, "1.15", |fake| {
        let desc = floats(ZE_IMAGE_TYPE_2D, 2, 2);
        let own = image(fake, &desc);
        let mut other = desc;
        other.format.type_ = ZE_IMAGE_FORMAT_TYPE_UINT;
        let mut view = ze_image_handle_t::NULL;
        let (context, device) = (fake.context, fake.device());
        let mut make = |desc: &ze_image_desc_t| unsafe {
            zeImageViewCreateExt(context, device, desc, own, &mut view)
        };
        let small = floats(ZE_IMAGE_TYPE_2D, 1, 2);
        assert_eq!(make(&small), ZE_RESULT_ERROR_INVALID_ARGUMENT);
        good(make(&other));
        let list = fake.immediate(ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
        let (texels, mut out) = ([[1f32; 4]; 4], [[0u32; 4]; 4]);
        let (all, none) = (std::ptr::null(), std::ptr::null());
        unsafe {
            let (from, to) = (texels.as_ptr().cast(), out.as_mut_ptr().cast());
            good(zeCommandListAppendImageCopyFromMemory(list, own, from, all, NONE, 0, none));
            good(zeCommandListAppendImageCopyToMemory(list, to, view, all, NONE, 0, none));
            good(zeCommandListHostSynchronize(list, u64::MAX));
        }
        assert_eq!(out, [[1f32.to_bits(); 4]; 4]);
        assert_eq!(unsafe { zeImageDestroy(own) }, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
        fault("Image");
        for image in [view, own] {
            good(unsafe { zeImageDestroy(image) });
        }
        good(unsafe { zeCommandListDestroy(list) });
        fake.end();
    }
}

//! Objects that are larger than the device has them, on a driver that does not look.

use crate::driver::{Driver, EVERYTHING};
use crate::support::*;
use crate::{case, ur};
use std::ptr::null_mut;
use ur_api::*;

/// What the driver says of itself.
const BYTES: usize = 1 << 30;
const TEXELS: usize = 2048;

case! { buffers_beyond_the_device_s_are_refused, EVERYTHING, |driver: &Driver| {
    let context = Context::new().expect("a context");
    let refused = Some(UR_RESULT_ERROR_INVALID_BUFFER_SIZE);
    assert_eq!(context.buffer(BYTES + 1).err(), refused);
    assert_eq!(context.buffer(usize::MAX).err(), refused);
    // The driver was not asked.
    assert_eq!(driver.calls("clCreateBuffer"), 0);
    context.buffer(BYTES).expect("a buffer");
} }

/// Makes an image with these numbers of texels and layers.
fn image(context: &Context, kind: ur_mem_type_t, extent: [usize; 3], layers: usize) -> Result<Mem> {
    let format = ur_image_format_t {
        channelOrder: UR_IMAGE_CHANNEL_ORDER_RGBA,
        channelType: UR_IMAGE_CHANNEL_TYPE_UNORM_INT8,
    };
    let desc = ur_image_desc_t {
        stype: UR_STRUCTURE_TYPE_IMAGE_DESC,
        r#type: kind,
        width: extent[0],
        height: extent[1],
        depth: extent[2],
        arraySize: layers,
        ..Default::default()
    };
    let mut raw = null_mut();
    ur!(Mem.pfnImageCreate(context.0, 0, &format, &desc, null_mut(), &mut raw))?;
    Ok(Mem(raw))
}

case! { images_beyond_the_device_s_are_refused, EVERYTHING, |driver: &Driver| {
    let context = Context::new().expect("a context");
    let kinds = [
        (UR_MEM_TYPE_IMAGE1D, 1, false),
        (UR_MEM_TYPE_IMAGE2D, 2, false),
        (UR_MEM_TYPE_IMAGE3D, 3, false),
        (UR_MEM_TYPE_IMAGE1D_ARRAY, 1, true),
        (UR_MEM_TYPE_IMAGE2D_ARRAY, 2, true),
    ];
    let mut made = 0;
    for (kind, dimensions, layered) in kinds {
        for at in 0..dimensions {
            let mut extent = [1; 3];
            extent[at] = TEXELS;
            drop(image(&context, kind, extent, layered.into()).expect("an image"));
            made += 1;
            extent[at] += 1;
            let refused = Some(UR_RESULT_ERROR_INVALID_IMAGE_SIZE);
            assert_eq!(image(&context, kind, extent, 1).err(), refused, "{kind} {at}");
        }
        // Only images with layers look at how many there are.
        let many = image(&context, kind, [1; 3], TEXELS + 1);
        assert_eq!(many.is_err(), layered, "{kind}");
        made += u64::from(!layered);
    }
    assert_eq!(driver.calls("clCreateImage"), made);
} }

//! Objects and work-groups that are larger than the device has them, on a driver that does not look.

use crate::driver::{Driver, EVERYTHING};
use crate::support::*;
use crate::{case, ur};
use std::ptr::{null, null_mut};
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

case! { recorded_work_groups_beyond_the_device_s_are_refused, EVERYTHING, |driver: &Driver| {
    let context = Context::new().expect("a context");
    let kernel = context.built().expect("a program").kernel(c"none").expect("a kernel");
    let desc = ur_exp_command_buffer_desc_t {
        isInOrder: true.into(),
        isUpdatable: true.into(),
        ..Default::default()
    };
    let mut buffer = null_mut();
    ur!(CommandBufferExp.pfnCreateExp(context.0, device(), &desc, &mut buffer))
        .expect("a command buffer");
    // The largest group of the device has 64 work-items, in whichever dimension.
    let append = |local: [usize; 3], command: *mut ur_exp_command_buffer_command_handle_t| {
        let (none, global) = (null_mut(), [64; 3]);
        ur!(CommandBufferExp.pfnAppendKernelLaunchExp(
            buffer, kernel.0, 3, none, global.as_ptr(), local.as_ptr(), 0, none.cast(), 0, null(),
            0, null(), none.cast(), none.cast(), command,
        ))
    };
    let refused = [
        ([65, 1, 1], UR_RESULT_ERROR_INVALID_WORK_ITEM_SIZE),
        ([1, 1, 65], UR_RESULT_ERROR_INVALID_WORK_ITEM_SIZE),
        ([16, 4, 2], UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE),
    ];
    for (local, code) in refused {
        assert_eq!(append(local, null_mut()), Err(code), "{local:?}");
    }
    assert_eq!(driver.calls("clCommandNDRangeKernelKHR"), 0);
    let mut command = null_mut();
    append([16, 2, 2], &mut command).expect("a launch");
    ur!(CommandBufferExp.pfnFinalizeExp(buffer)).expect("an end");
    for (local, code) in refused {
        let mut local = local;
        let change = ur_exp_command_buffer_update_kernel_launch_desc_t {
            stype: UR_STRUCTURE_TYPE_EXP_COMMAND_BUFFER_UPDATE_KERNEL_LAUNCH_DESC,
            hCommand: command,
            newWorkDim: 3,
            pNewLocalWorkSize: local.as_mut_ptr(),
            ..Default::default()
        };
        let changed = ur!(CommandBufferExp.pfnUpdateKernelLaunchExp(buffer, 1, &change));
        assert_eq!(changed, Err(code), "{local:?}");
    }
    assert_eq!(driver.calls("clUpdateMutableCommandsKHR"), 0);
    ur!(CommandBufferExp.pfnReleaseExp(buffer)).expect("a release");
} }

// Images of every dimensionality, sampled, read and written by lists of coordinates.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable

// IMAGE: the type; F and I: float and integer coordinates out of a vector of four.
#define KERNELS(name, IMAGE, F, I)                                                                 \
    kernel void sample_##name(read_only IMAGE image, sampler_t sampler,                            \
                              global const float4 *at, global float4 *out)                         \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = read_imagef(image, sampler, at[i].F);                                             \
    }                                                                                              \
    kernel void sample_i_##name(read_only IMAGE image, sampler_t sampler,                          \
                                global const float4 *at, global int4 *out)                         \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = read_imagei(image, sampler, at[i].F);                                             \
    }                                                                                              \
    kernel void sample_ui_##name(read_only IMAGE image, sampler_t sampler,                         \
                                 global const float4 *at, global uint4 *out)                       \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = read_imageui(image, sampler, at[i].F);                                            \
    }                                                                                              \
    kernel void sample_at_##name(read_only IMAGE image, sampler_t sampler, global const int4 *at,  \
                                 global float4 *out)                                               \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = read_imagef(image, sampler, at[i].I);                                             \
    }                                                                                              \
    kernel void sample_at_i_##name(read_only IMAGE image, sampler_t sampler, global const int4 *at, \
                                   global int4 *out)                                               \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = read_imagei(image, sampler, at[i].I);                                             \
    }                                                                                              \
    kernel void read_##name(read_only IMAGE image, global const int4 *at, global float4 *out)      \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = read_imagef(image, at[i].I);                                                      \
    }                                                                                              \
    kernel void read_i_##name(read_only IMAGE image, global const int4 *at, global int4 *out)      \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = read_imagei(image, at[i].I);                                                      \
    }                                                                                              \
    kernel void write_##name(write_only IMAGE image, global const int4 *at,                        \
                             global const float4 *values)                                          \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        write_imagef(image, at[i].I, values[i]);                                                   \
    }                                                                                              \
    kernel void write_i_##name(write_only IMAGE image, global const int4 *at,                      \
                               global const int4 *values)                                          \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        write_imagei(image, at[i].I, values[i]);                                                   \
    }                                                                                              \
    kernel void write_ui_##name(write_only IMAGE image, global const int4 *at,                     \
                                global const uint4 *values)                                        \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        write_imageui(image, at[i].I, values[i]);                                                  \
    }

KERNELS(1d, image1d_t, x, x)
KERNELS(1d_array, image1d_array_t, xy, xy)
KERNELS(2d, image2d_t, xy, xy)
KERNELS(2d_array, image2d_array_t, xyzw, xyzw)
KERNELS(3d, image3d_t, xyzw, xyzw)

kernel void query(read_only image1d_t a, read_only image1d_array_t b, read_only image2d_t c,
                  read_only image2d_array_t d, read_only image3d_t e, global int *out)
{
    out[0] = get_image_width(a);
    out[1] = get_image_channel_data_type(a);
    out[2] = get_image_channel_order(a);
    out[3] = get_image_width(b);
    out[4] = get_image_array_size(b);
    out[5] = get_image_width(c);
    out[6] = get_image_height(c);
    out[7] = get_image_dim(c).x;
    out[8] = get_image_dim(c).y;
    out[9] = get_image_width(d);
    out[10] = get_image_height(d);
    out[11] = get_image_array_size(d);
    out[12] = get_image_width(e);
    out[13] = get_image_height(e);
    out[14] = get_image_depth(e);
    out[15] = get_image_dim(e).z;
    out[16] = get_image_channel_data_type(e);
    out[17] = get_image_channel_order(e);
}

// A buffer's image is one of a single dimension.
kernel void buffer(read_only image1d_buffer_t from, write_only image1d_buffer_t to)
{
    int x = get_global_id(0);
    write_imagef(to, get_image_width(to) - 1 - x, read_imagef(from, x));
}

kernel void half_texels(read_only image2d_t from, write_only image2d_t to, sampler_t sampler,
                        global half4 *out)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    half4 texel = read_imageh(from, sampler, at);
    out[at.y * get_global_size(0) + at.x] = texel;
    write_imageh(to, at, texel * (half)2);
}

kernel void in_place(read_write image2d_t image, float add)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 texel = read_imagef(image, at);
    write_imagef(image, at, texel + add);
    // A work-item sees what it wrote itself behind a fence.
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    write_imagef(image, at, read_imagef(image, at) * 2.0f);
}

constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t repeating = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
constant sampler_t mirroring =
    CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;
constant sampler_t edge =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

__attribute__((noinline)) float4 pick(read_only image2d_t image, sampler_t sampler, float2 at)
{
    return read_imagef(image, sampler, at);
}

// Samplers in the program; and images and samplers that live across a barrier.
kernel void literals(read_only image2d_t image, sampler_t given, global const float4 *at,
                     global float4 *out, local float4 *shared)
{
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    shared[l] = pick(image, given, at[i].xy);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[5 * i] = shared[n - 1 - l];
    out[5 * i + 1] = pick(image, nearest, at[i].xy);
    out[5 * i + 2] = pick(image, repeating, at[i].xy);
    out[5 * i + 3] = read_imagef(image, mirroring, at[i].xy);
    out[5 * i + 4] = read_imagef(image, edge, at[i].xy);
}

/* Kernels with an argument of each type by value; each writes the bytes that it was given. */

#include "take.h"

TAKE(char, char)
TAKE(short, short)
TAKE(int, int)
TAKE(long, long)
TAKE(float, float)
TAKE(char2, char2)
TAKE(char4, char4)
TAKE(char16, char16)
TAKE(short2, short2)
TAKE(short8, short8)
TAKE(int2, int2)
TAKE(int4, int4)
TAKE(int8, int8)
TAKE(int16, int16)
TAKE(long2, long2)
TAKE(long4, long4)
TAKE(long8, long8)
TAKE(long16, long16)
TAKE(float2, float2)
TAKE(float4, float4)
TAKE(float8, float8)
TAKE(float16, float16)

TAKE_BYTES(1)
TAKE_BYTES(2)
TAKE_BYTES(3)
TAKE_BYTES(5)
TAKE_BYTES(7)
TAKE_BYTES(8)
TAKE_BYTES(12)
TAKE_BYTES(16)
TAKE_BYTES(31)
TAKE_BYTES(64)
TAKE_BYTES(100)
TAKE_BYTES(255)
TAKE_BYTES(256)
TAKE_BYTES(512)

/* Two pieces of local memory: neither may be a part of the other. */
__kernel void two_locals(__local uint *first, __local uint *second, uint firsts, uint seconds,
                         __global uint *out) {
    size_t id = get_local_id(0), size = get_local_size(0);
    for (size_t at = id; at < firsts; at += size)
        first[at] = 1;
    for (size_t at = id; at < seconds; at += size)
        second[at] = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        uint sum = 0;
        for (uint at = 0; at < firsts; at++)
            sum += first[at];
        for (uint at = 0; at < seconds; at++)
            sum += second[at] * 1000;
        out[get_group_id(0)] = sum;
    }
}

/* What is at addresses in memory that is no argument itself. */
__kernel void indirect(__global uint *__global *table, __global uint *out) {
    size_t id = get_global_id(0);
    out[id] = table[id][0];
}

__kernel void no_arguments(void) {
}

/* Whether the address is null. */
__kernel void is_null(__global uint *maybe, __global uint *out) {
    out[0] = maybe == 0;
}

/* Adds its number of work-items to a counter. */
__kernel void count(__global volatile uint *counter) {
    atomic_inc(counter);
}

/* Work-items of work-groups: the group's number and the place in it. */
__kernel void groups(__global uint *out) {
    out[get_global_id(0)] = (uint)(get_group_id(0) * 10000 + get_local_id(0));
}

/* The texel of an image at a place. */
__kernel void sample(read_only image2d_t image, sampler_t how, float x, float y,
                     __global float4 *out) {
    out[0] = read_imagef(image, how, (float2)(x, y));
}

__kernel void texels(read_only image2d_t from, write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, at, read_imageui(from, at) + 1);
}

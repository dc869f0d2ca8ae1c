/* Kernels that most suites need. Each work-item writes one element, at its global id. */

__kernel void fill(__global uint *out, uint value) {
    out[get_global_id(0)] = value;
}

__kernel void ids(__global uint *out) {
    size_t row = get_global_size(0);
    size_t plane = row * get_global_size(1);
    size_t at = (get_global_id(0) - get_global_offset(0)) +
                (get_global_id(1) - get_global_offset(1)) * row +
                (get_global_id(2) - get_global_offset(2)) * plane;
    out[at] = (uint)(get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_global_id(2));
}

__kernel void copy(__global const uint *in, __global uint *out) {
    size_t at = get_global_id(0);
    out[at] = in[at];
}

__kernel void increment(__global uint *data) {
    data[get_global_id(0)] += 1;
}

/* out = a + b * factor */
__kernel void saxpy(__global const float *a, __global const float *b, float factor,
                    __global float *out) {
    size_t at = get_global_id(0);
    out[at] = a[at] + b[at] * factor;
}

/* Each work-group writes the sum of its elements; scratch has one element for each work-item. */
__kernel void group_sum(__global const uint *in, __local uint *scratch, __global uint *out) {
    size_t id = get_local_id(0);
    scratch[id] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (id < step)
            scratch[id] += scratch[id + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        out[get_group_id(0)] = scratch[0];
}

/* Sizes as the work-items see them. */
__kernel void sizes(__global ulong *out) {
    if (get_global_id(0) != get_global_offset(0) || get_global_id(1) != get_global_offset(1) ||
        get_global_id(2) != get_global_offset(2))
        return;
    for (uint d = 0; d < 3; d++) {
        out[d] = get_global_size(d);
        out[3 + d] = get_local_size(d);
        out[6 + d] = get_num_groups(d);
        out[9 + d] = get_global_offset(d);
    }
    out[12] = get_work_dim();
}

typedef struct {
    char small;
    long large;
    float4 wide;
} record;

__kernel void by_value(record in, __global float *out) {
    out[0] = in.small;
    out[1] = in.large;
    out[2] = in.wide.x;
    out[3] = in.wide.w;
}

__attribute__((reqd_work_group_size(8, 4, 2))) __kernel void fixed_size(__global uint *out) {
    out[get_global_id(0)] = 1;
}

/* Runs until somebody else sets the gate. */
__kernel void wait_for(__global volatile uint *gate) {
    while (*gate == 0)
        ;
}

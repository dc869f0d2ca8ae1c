// Sum of each work-group through a fixed local array; the loop holds a barrier. Local size 64.
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void reduce_fixed(global const int *in, global int *out) {
    local int part[64];
    uint l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 32; step > 0; step >>= 1) {
        if (l < step)
            part[l] += part[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}

// The same for any local size, through local memory that the host provides.
kernel void reduce_any(global const int *in, global int *out, local int *part, uint n) {
    size_t i = get_global_id(0), l = get_local_id(0);
    part[l] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t live = get_local_size(0); live > 1;) {
        size_t half_live = (live + 1) / 2;
        if (l + half_live < live)
            part[l] += part[l + half_live];
        barrier(CLK_LOCAL_MEM_FENCE);
        live = half_live;
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}

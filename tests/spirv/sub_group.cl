#pragma OPENCL EXTENSION cl_khr_subgroups : enable

// Reductions and scans over the sub-group.
kernel void collectives(global const int *in, global int *out) {
    size_t i = get_global_id(0);
    int x = in[i];
    global int *o = out + 6 * i;
    o[0] = sub_group_reduce_add(x);
    o[1] = sub_group_reduce_max(x);
    o[2] = sub_group_scan_inclusive_add(x);
    o[3] = sub_group_scan_exclusive_add(x);
    o[4] = sub_group_broadcast(x, 0);
    o[5] = (sub_group_any(x > 5) << 1) | sub_group_all(x > 5);
}

// Who am I?
kernel void identity(global uint *out) {
    size_t i = get_global_id(0);
    global uint *o = out + 5 * i;
    o[0] = get_sub_group_size();
    o[1] = get_max_sub_group_size();
    o[2] = get_num_sub_groups();
    o[3] = get_sub_group_id();
    o[4] = get_sub_group_local_id();
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
}

// The same over the work-group.
kernel void work_group(global const int *in, global int *out) {
    size_t i = get_global_id(0);
    int x = in[i];
    out[4 * i] = work_group_reduce_add(x);
    out[4 * i + 1] = work_group_scan_inclusive_max(x);
    out[4 * i + 2] = work_group_broadcast(x, get_local_size(0) - 1);
    out[4 * i + 3] = work_group_all(x > 0);
}

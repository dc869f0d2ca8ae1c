// The work-group functions of OpenCL 2, which SYCL's group algorithms become.

#define GROUP 256

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
reduce_group(global float *sums, global const float *in)
{
    float sum = work_group_reduce_add(in[get_global_id(0)]);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = sum;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
scan_group(global uint *out, global const uint *in)
{
    size_t i = get_global_id(0);
    out[i] = work_group_scan_inclusive_add(in[i]);
}

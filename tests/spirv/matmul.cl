// Tiled matrix product with two local arguments; square tiles of the local size.
kernel void matmul(global const float *a, global const float *b, global float *c, int n,
                   local float *tile_a, local float *tile_b) {
    int t = (int)get_local_size(0);
    int lx = (int)get_local_id(0), ly = (int)get_local_id(1);
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k += t) {
        tile_a[ly * t + lx] = a[y * n + k + lx];
        tile_b[ly * t + lx] = b[(k + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < t; ++j)
            sum += tile_a[ly * t + j] * tile_b[j * t + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

// Every size and id that a work-item can ask for.
kernel void ids(global ulong *out) {
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
           z = get_global_id(2) - get_global_offset(2);
    global ulong *o = out + 7 * ((z * get_global_size(1) + y) * get_global_size(0) + x);
    o[0] = get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_global_id(2);
    o[1] = get_local_id(0) + 1000 * get_local_id(1) + 1000000 * get_local_id(2);
    o[2] = get_group_id(0) + 1000 * get_group_id(1) + 1000000 * get_group_id(2);
    o[3] = get_local_size(0) + 1000 * get_local_size(1) + 1000000 * get_local_size(2);
    o[4] = get_num_groups(0) + 1000 * get_num_groups(1) + 1000000 * get_num_groups(2);
    o[5] = get_global_offset(0) + 1000 * get_global_offset(1) + 1000000 * get_global_offset(2);
    o[6] = get_work_dim();
}

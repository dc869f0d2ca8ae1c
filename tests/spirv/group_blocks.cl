// Clustered reductions, and blocks that a sub-group reads and writes together.
kernel void clusters(global const int *in, global int *out) {
    size_t i = get_global_linear_id();
    int x = in[i];
    global int *o = out + 5 * i;
    o[0] = sub_group_clustered_reduce_add(x, 4);
    o[1] = sub_group_clustered_reduce_max(x, 2);
    o[2] = sub_group_clustered_reduce_xor(x, 8);
    o[3] = sub_group_clustered_reduce_add(x, 1);
    o[4] = 0;
    if (x & 1)
        o[4] = sub_group_clustered_reduce_min(x, 4);
}

uint __attribute__((overloadable)) intel_sub_group_block_read(const global uint *from);
uint4 __attribute__((overloadable)) intel_sub_group_block_read4(const global uint *from);
void __attribute__((overloadable)) intel_sub_group_block_write(global uint *to, uint x);
void __attribute__((overloadable)) intel_sub_group_block_write4(global uint *to, uint4 x);

// One sub-group takes a block of four elements for each of its work-items.
kernel void blocks(global const uint *in, global uint *out, global uint *one) {
    size_t start = get_sub_group_id() * get_max_sub_group_size();
    uint4 four = intel_sub_group_block_read4(in + 4 * start);
    intel_sub_group_block_write4(out + 4 * start, four * 2 + get_sub_group_local_id());
    intel_sub_group_block_write(one + start, intel_sub_group_block_read(in + start) + 7);
}

// Steps of a generator of numbers, as many as it takes to be noticed.
static uint steps(uint x, uint count) {
    for (uint i = 0; i < count; ++i) {
        x ^= x << 13;
        x ^= x >> 17;
        if (x & 1)
            x += i;
        x ^= x << 5;
    }
    return x;
}

// Work-items that run one after the other see who came before them. Those that are lanes of a vector all
// see the same one. To be run with a single work-group.
kernel void neighbours(global uint *last, global uint *seen, global uint *out, uint count) {
    uint i = get_global_id(0);
    out[i] = steps(i + 1, count);
    seen[i] = *last;
    *last = i;
}

// The sum of each work-group; at most 256 work-items.
kernel void group_sums(global uint *out, uint count) {
    local uint part[256];
    uint l = get_local_id(0), n = get_local_size(0);
    part[l] = steps(get_global_id(0) + 7, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = 0; i < n; ++i)
        sum += part[(i + l) % n];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum;
}

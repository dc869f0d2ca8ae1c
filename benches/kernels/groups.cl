// Work-groups whose work-items work together.

#define GROUP 256

// The sum of each work-group, by halves.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
reduce(global float *sums, global const float *in)
{
    local float parts[GROUP];
    size_t id = get_local_id(0);
    parts[id] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (id < half_size)
            parts[id] += parts[id + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        sums[get_group_id(0)] = parts[0];
}

// Running sums of each work-group, in steps that double.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
scan(global uint *out, global const uint *in)
{
    local uint parts[2][GROUP];
    size_t id = get_local_id(0);
    uint from = 0;
    parts[0][id] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < GROUP; step *= 2) {
        uint value = parts[from][id];
        if (id >= step)
            value += parts[from][id - step];
        from = 1 - from;
        parts[from][id] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = parts[from][id];
}

#define BINS 256
#define EACH 16

// Counts in local memory, added up at the end.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
histogram_local(global uint *bins, global const uint *in)
{
    local uint counts[BINS];
    size_t id = get_local_id(0);
    counts[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t first = get_group_id(0) * (GROUP * EACH) + id;
    for (uint i = 0; i < EACH; i++)
        atomic_inc(&counts[in[first + i * GROUP] % BINS]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[id], counts[id]);
}

// Counts in global memory.
kernel void histogram_global(global uint *bins, global const uint *in)
{
    atomic_inc(&bins[in[get_global_id(0)] % BINS]);
}

// One step of a bitonic sort: each work-item puts one pair in order.
kernel void bitonic(global uint *data, uint distance, uint run)
{
    uint i = get_global_id(0);
    uint low = 2 * i - (i & (distance - 1));
    uint high = low + distance;
    uint a = data[low], b = data[high];
    bool up = (low & run) == 0;
    data[low] = up ? min(a, b) : max(a, b);
    data[high] = up ? max(a, b) : min(a, b);
}

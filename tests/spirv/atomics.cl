#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

// Histogram of values modulo 16, in global memory.
kernel void histogram(global const uint *in, global uint *bins) {
    atomic_inc(&bins[in[get_global_id(0)] % 16]);
}

// One cell per operation.
kernel void all_operations(global int *cell, global uint *unsigned_cell, global ulong *wide) {
    int i = (int)get_global_id(0);
    atomic_add(&cell[0], i);
    atomic_sub(&cell[1], i);
    atomic_min(&cell[2], -i);
    atomic_max(&cell[3], i);
    atomic_or(&cell[4], 1 << (i & 31));
    atomic_xor(&cell[5], i);
    atomic_and(&cell[6], ~(1 << (i & 31)));
    atomic_dec(&cell[7]);
    atomic_min(&unsigned_cell[0], 0xffffffffu - i);
    atomic_max(&unsigned_cell[1], 0x80000000u + i);
    atom_add(&wide[0], (ulong)i << 32);
}

// A float sum by compare and exchange: a loop that spins.
kernel void float_sum(global const float *in, volatile global int *sum) {
    float mine = in[get_global_id(0)];
    int seen = *sum, wanted;
    do {
        wanted = seen;
        seen = atomic_cmpxchg(sum, wanted, as_int(as_float(wanted) + mine));
    } while (seen != wanted);
}

// A counter in local memory hands out places.
kernel void local_counter(global uint *out) {
    local uint next;
    if (get_local_id(0) == 0)
        next = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint place = atomic_inc(&next);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0) * get_local_size(0) + place] = next;
}

// A program that lacks a barrier: the first work-item reads what the others wrote. It works where
// the work-items of a sub-group run in step.
kernel void sum(global const uint *in, global uint *out, local uint *seen) {
    const uint item = get_local_id(0);
    seen[item] = in[get_global_id(0)];
    if (item == 0 && in[0] != 0) {
        uint total = 0;
        for (uint i = 0; i < get_local_size(0); ++i) {
            total += seen[i];
        }
        seen[0] = total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = seen[0] + item;
}

// The same in a function that has no barrier of its own, and with the number chosen by a condition.
__attribute__((noinline)) void gather(local uint *seen, global const uint *in) {
    const uint item = in[0] != 0 ? get_local_id(0) : 0;
    seen[item] = in[get_global_id(0)];
    if (item == 0) {
        uint total = 0;
        for (uint i = 0; i < get_local_size(0); ++i) {
            total += seen[i];
        }
        seen[0] = total;
    }
}

kernel void called(global const uint *in, global uint *out, local uint *seen) {
    gather(seen, in);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = seen[0] + (uint)get_local_id(0);
}

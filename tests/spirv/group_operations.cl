#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Scans and reductions of one type over the sub-group and the work-group.
#define OVER(T) \
    kernel void over_##T(global const T *in, global T *out) { \
        size_t i = get_global_linear_id(); \
        T x = in[i]; \
        global T *o = out + 12 * i; \
        o[0] = sub_group_reduce_add(x); \
        o[1] = sub_group_reduce_min(x); \
        o[2] = sub_group_reduce_max(x); \
        o[3] = sub_group_scan_inclusive_add(x); \
        o[4] = sub_group_scan_exclusive_min(x); \
        o[5] = sub_group_scan_inclusive_max(x); \
        o[6] = work_group_reduce_add(x); \
        o[7] = work_group_reduce_min(x); \
        o[8] = work_group_scan_exclusive_add(x); \
        o[9] = work_group_scan_inclusive_add(x); \
        o[10] = work_group_scan_exclusive_max(x); \
        o[11] = work_group_scan_inclusive_min(x); \
    }

OVER(int)
OVER(uint)
OVER(long)
OVER(ulong)
OVER(half)
OVER(float)
OVER(double)

// Values move between the work-items of a sub-group.
kernel void shuffles(global const int *in, global int *out) {
    size_t i = get_global_linear_id();
    int x = in[i];
    uint lane = get_sub_group_local_id(), size = get_sub_group_size();
    global int *o = out + 6 * i;
    o[0] = sub_group_shuffle(x, size - 1 - lane);
    o[1] = sub_group_shuffle_xor(x, 1);
    o[2] = sub_group_shuffle_up(x, 1);
    o[3] = sub_group_shuffle_down(x, 2);
    o[4] = sub_group_broadcast(x, size / 2);
    o[5] = sub_group_shuffle(x, (lane * 7 + 3) % size);
}

int __attribute__((overloadable)) intel_sub_group_shuffle(int x, uint lane);
int __attribute__((overloadable)) intel_sub_group_shuffle_xor(int x, uint mask);
int __attribute__((overloadable)) intel_sub_group_shuffle_up(int before, int x, uint by);
int __attribute__((overloadable)) intel_sub_group_shuffle_down(int x, int after, uint by);

kernel void intel_shuffles(global const int *in, global int *out) {
    size_t i = get_global_linear_id();
    int x = in[i];
    uint lane = get_sub_group_local_id(), size = get_sub_group_size();
    global int *o = out + 4 * i;
    o[0] = intel_sub_group_shuffle(x, size - 1 - lane);
    o[1] = intel_sub_group_shuffle_xor(x, 1);
    o[2] = intel_sub_group_shuffle_up(x, x + 1000, 1);
    o[3] = intel_sub_group_shuffle_down(x, x + 1000, 1);
}

// Votes, some of them among those that take one side of a branch.
kernel void votes(global const int *in, global uint *out) {
    size_t i = get_global_linear_id();
    int x = in[i];
    global uint *o = out + 12 * i;
    uint4 b = sub_group_ballot(x > 50);
    o[0] = b.x;
    o[1] = b.y;
    o[2] = sub_group_ballot_bit_count(b);
    o[3] = sub_group_ballot_inclusive_scan(b);
    o[4] = sub_group_ballot_exclusive_scan(b);
    o[5] = sub_group_ballot_find_lsb(b);
    o[6] = sub_group_ballot_find_msb(b);
    o[7] = sub_group_inverse_ballot(b);
    o[8] = sub_group_non_uniform_any(x > 90) * 2 + sub_group_non_uniform_all(x > 5);
    o[9] = o[10] = o[11] = 0;
    if (x & 1) {
        o[9] = sub_group_elect();
        o[10] = sub_group_non_uniform_reduce_add(x);
        o[11] = sub_group_broadcast_first(x);
    } else {
        o[10] = sub_group_non_uniform_scan_inclusive_add(x);
        o[11] = sub_group_non_uniform_scan_exclusive_max(x);
    }
}

// The loop reads ids, and so the work-items' record, behind an operation of the work-group.
kernel void ids_in_a_loop(global uint *least, global long *met, global const char *times) {
    uint value = work_group_reduce_min(5u);
    uint rounds = times[13] & 3;
    for (uint i = 0; i < rounds; ++i)
        atom_min(met, (long)get_global_linear_id());
    least[get_global_linear_id()] = value;
}

// Functions that stay functions: pointers to private and local memory, structures returned, a
// barrier inside of a function.
struct Pair {
    int low;
    int high;
};

__attribute__((noinline)) struct Pair split(int x) {
    struct Pair p = {x & 0xffff, x >> 16};
    return p;
}

__attribute__((noinline)) void bump(int *value, int by) { *value += by; }

__attribute__((noinline)) int exchange(local int *board, int mine, size_t from) {
    board[get_local_id(0)] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    int theirs = board[from];
    barrier(CLK_LOCAL_MEM_FENCE);
    return theirs;
}

__attribute__((noinline)) int sum_to(global const int *data, int n) {
    int total = 0;
    for (int i = 0; i < n; ++i)
        total += data[i];
    return total;
}

kernel void call(global const int *in, global int *out, local int *board) {
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    struct Pair p = split(in[i]);
    int x = p.low;
    bump(&x, p.high);
    x += exchange(board, x, (l + 1) % n);
    out[i] = x + sum_to(in, (int)(i % 5));
}

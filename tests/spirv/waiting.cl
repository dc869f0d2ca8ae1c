// Barriers where control flow makes them hard.

// A loop that the whole group leaves after a number of rounds found in memory.
kernel void uniform_exit(global int *data, global const int *rounds, local int *board) {
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    int value = data[i];
    for (int r = 0;; ++r) {
        board[l] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (r == rounds[get_group_id(0)])
            break;
        value += board[(l + 1) % n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    data[i] = value;
}

// Work-items beyond a bound return before the barriers that the others go through.
kernel void early_return(global int *data, uint bound, local int *board) {
    size_t i = get_global_id(0), l = get_local_id(0);
    if (l >= bound)
        return;
    board[l] = data[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (uint k = 0; k < bound; ++k)
        sum += board[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[i] = sum;
}

// A barrier in one arm of a branch that the whole group takes or not, within nested loops.
kernel void nested(global int *data, local int *board) {
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    int value = data[i];
    for (int a = 0; a < 3; ++a) {
        if ((get_group_id(0) + a) % 2 == 0) {
            for (int b = 0; b <= a; ++b) {
                board[l] = value;
                barrier(CLK_LOCAL_MEM_FENCE);
                value = value * 3 + board[n - 1 - l];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        } else {
            value -= 7;
        }
    }
    data[i] = value;
}

// A large private array that lives across barriers.
kernel void private_array(global int *out, local int *board) {
    size_t l = get_local_id(0), n = get_local_size(0);
    int mine[40];
    double8 wide = (double8)(l);
    for (int k = 0; k < 40; ++k)
        mine[k] = (int)l * k;
    board[l] = mine[l % 40];
    barrier(CLK_LOCAL_MEM_FENCE);
    mine[board[(l + 1) % n] % 40 & 31] += 1000;
    wide += (double8)(board[0] + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = 0; k < 40; ++k)
        sum += mine[k];
    out[get_global_id(0)] = sum + (int)wide.s5;
}

// Asynchronous copies in and out, with strides.
kernel void copies(global const int *in, global int *out, local int *a, local int *b) {
    size_t n = get_local_size(0), l = get_local_id(0);
    size_t base = get_group_id(0) * n * 3;
    event_t e = async_work_group_copy(a, in + base, 2 * n, 0);
    e = async_work_group_strided_copy(b, in + base, n, 3, e);
    wait_group_events(1, &e);
    int mine = a[2 * n - 1 - l] + b[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out + get_group_id(0) * n * 2, a, n, 2, 0);
    wait_group_events(1, &e);
}

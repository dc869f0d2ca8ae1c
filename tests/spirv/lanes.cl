// What work-items do that run as lanes of vectors. Every kernel reads `in` of `n` numbers and writes
// four numbers of `out` for each work-item.

// Lanes leave a loop at different times and places, and two loops at once.
kernel void exits(global const int *in, global int *out, int n)
{
    size_t i = get_global_id(0);
    int x = in[i % n], steps = 0, where = 0;
    for (int a = 0; a < 20; a++) {
        for (int b = 0; b < 7; b++) {
            steps++;
            if ((x ^ (a * b)) % 11 == 3) {
                where = 1;
                goto found;
            }
            if ((x + b) % 13 == a) {
                where = 2;
                break;
            }
            if (x == a * 5 + b)
                return;
        }
        x = x / 2 + a;
        if (x < -50)
            break;
    }
found:
    out[4 * i] = x;
    out[4 * i + 1] = steps;
    out[4 * i + 2] = where;
    out[4 * i + 3] = steps * 3 - where;
}

// Uniform loops and branches around divergent ones, with values carried through both.
kernel void mixed(global const int *in, global int *out, int n)
{
    size_t i = get_global_id(0);
    int x = in[i % n], sum = 0, last = -1;
    for (int a = 0; a < n % 9 + 2; a++) {
        if ((a + n) & 2) {
            sum += in[a % n];
            if (x > a)
                last = a;
        } else if (x & a) {
            sum -= a;
        } else {
            int left = x & 7;
            while (left-- > 0)
                sum = sum * 3 ^ left * a;
        }
    }
    out[4 * i] = sum;
    out[4 * i + 1] = last;
    out[4 * i + 2] = n & 2 ? sum : x;
    out[4 * i + 3] = (short)(sum * 3) + (uchar)x;
}

// Divisions by what differs, of all widths.
kernel void divisions(global const int *in, global int *out, int n)
{
    size_t i = get_global_id(0);
    int x = in[i % n], y = in[(i * 7 + 3) % n] | 1;
    long wide = (long)x << 21, other = (long)y << (x & 15);
    out[4 * i] = x / y + x % y;
    out[4 * i + 1] = (uint)x / (uint)y ^ (uint)x % (uint)y;
    out[4 * i + 2] = (int)(wide / other) + (int)(wide % other);
    out[4 * i + 3] = (int)((ulong)wide / (ulong)other) ^ (short)x / (short)y ^ (uchar)x % (uchar)(y | 1);
}

// Neighbours, every third, backwards, anywhere, and private memory.
kernel void places(global const int *in, global int *out, int n)
{
    int i = get_global_id(0);
    int mine[8];
    for (int k = 0; k < 8; k++)
        mine[k] = in[(i + k) % n];
    mine[in[i % n] & 7] += 5;
    int back = n - 1 - i % n;
    short narrow = ((global const short *)in)[i % n];
    char least = ((global const char *)in)[i % n * 3];
    out[4 * i] = mine[in[(i + 1) % n] & 7] + in[back];
    out[4 * i + 1] = i > 2 ? in[(i - 3) % n] : -7;
    out[4 * i + 2] = narrow * 3 + least;
    out[4 * i + 3] = mine[i & 7] + (int)(((global const long *)in)[i % n / 2] >> 20);
}

// Choices by number, and lanes that are there no more.
kernel void choices(global const int *in, global int *out, int n)
{
    size_t i = get_global_id(0);
    int x = in[i % n];
    if (x % 5 == 4)
        return;
    switch (x & 7) {
    case 0: x += 3; break;
    case 1: x *= 5; // on to the next
    case 2: x ^= 0x55; break;
    case 5: x = -x; break;
    case 6: return;
    default: x >>= 1;
    }
    float f = x * 0.37f;
    out[4 * i] = x;
    out[4 * i + 1] = as_int(f > 3.0f ? sqrt(f) : f * f);
    out[4 * i + 2] = convert_int_sat(f * 1e8f);
    out[4 * i + 3] = popcount(x) + clz(x) + mul_hi(x, 77777);
}

// Work-items that meet in loops, and numbers that all of them change.
kernel void meetings(global const int *in, global int *out, int n, local int *shared,
                     global int *counters)
{
    size_t i = get_global_id(0);
    int l = get_local_id(0), size = get_local_size(0), x = in[i % n];
    shared[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < size; step *= 2) {
        int other = l >= step ? shared[l - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        shared[l] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    atomic_add(&counters[0], x);
    atomic_max(&counters[1], x);
    atomic_min(&counters[2], x);
    atomic_or(&counters[3], x);
    atomic_inc(&counters[4 + (x & 3)]);
    if (x & 1)
        atomic_xor(&counters[8], x);
    out[4 * i] = shared[l];
    out[4 * i + 1] = shared[size - 1];
    out[4 * i + 2] = shared[(l + 1) % size];
    out[4 * i + 3] = x;
}

// Three dimensions.
kernel void space(global const int *in, global int *out, int n)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    int v = in[(x + 3 * y + 5 * z) % n];
    out[4 * i] = v + (int)get_local_id(1);
    out[4 * i + 1] = get_group_id(2) * 100 + get_local_id(0);
    out[4 * i + 2] = y & 1 ? in[x % n] : in[y % n];
    out[4 * i + 3] = (int)get_local_size(0) * 10 + (int)get_num_groups(1);
}

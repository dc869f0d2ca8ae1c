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

// Numbers that grow from work-item to work-item, compared with others that do or do not.
kernel void comparisons(global const int *in, global int *out, int n)
{
    size_t i = get_global_id(0);
    int k = (int)i;
    uint u = (uint)i;
    size_t many = (size_t)n / 2;
    int few = n / 3;
    uint bits = 0;
    bits |= (uint)(i < many) << 0;
    bits |= (uint)(i <= many) << 1;
    bits |= (uint)(i > many) << 2;
    bits |= (uint)(i >= many) << 3;
    bits |= (uint)(i == many) << 4;
    bits |= (uint)(i != many) << 5;
    bits |= (uint)((long)i < (long)many - 40) << 6;
    bits |= (uint)((long)i >= (long)many - 4) << 7;
    bits |= (uint)(i * 6 == many) << 8;
    bits |= (uint)(i - 4 == many) << 9;
    bits |= (uint)(many - i == 2) << 10;
    bits |= (uint)(i - 1 < many) << 11;
    bits |= (uint)(i < get_global_size(0) - many) << 12;
    uint more = 0;
    more |= (uint)(k < few) << 0;
    more |= (uint)(k <= few) << 1;
    more |= (uint)(k > few) << 2;
    more |= (uint)(k >= few) << 3;
    more |= (uint)(k - 5 < few) << 4;
    more |= (uint)(k * 3 - 40 <= few) << 5;
    more |= (uint)(2 * k >= n) << 6;
    more |= (uint)(few - k > 7) << 7;
    more |= (uint)(7 - 2 * k < -few) << 8;
    more |= (uint)(u * 5u == (uint)n + 1u) << 9;
    more |= (uint)(u < (uint)few) << 10;
    more |= (uint)(u - 3u < (uint)few) << 11;
    more |= (uint)((uchar)i < (uchar)40) << 12;
    more |= (uint)((short)(k * 512) < (short)(few * 16)) << 13;
    more |= (uint)((uchar)(i * 4) == (uchar)n) << 14;
    more |= (uint)(3 * k < 2 * k + few) << 15;
    more |= (uint)(k + INT_MAX - 300 > INT_MAX - 290) << 16;
    int inner = -1;
    // The first work-items are not there when the difference is made.
    if (k > 4) {
        uint past = (uint)(k - 5);
        inner = past < (uint)few ? 1 : 0;
        if (i - 5 <= many)
            inner += 2;
        if (in[i % n] & 1 && k - 6 >= few - 3)
            inner += 4;
    }
    out[4 * i] = (int)bits;
    out[4 * i + 1] = (int)more;
    out[4 * i + 2] = inner;
    out[4 * i + 3] = k == in[0] ? 1 : k == few + 2 ? 2 : 3;
}

// Bytes and short integers side by side, forwards and backwards, for some work-items only.
kernel void narrow(global const int *in, global int *out, int n)
{
    size_t i = get_global_id(0), count = get_global_size(0);
    global const uchar *bytes = (global const uchar *)in;
    global const ushort *shorts = (global const ushort *)in;
    uchar b = 1, c = 2;
    ushort s = 3, t = 4;
    if (i < 4 * (size_t)n) {
        b = bytes[i];
        c = bytes[4 * n - 1 - i];
        if (b & 1)
            c ^= bytes[i + 1];
    }
    if (i < 2 * (size_t)n) {
        s = shorts[i];
        t = shorts[2 * n - 1 - i];
    }
    // Parts of the results are for bytes, then for short integers, then for integers.
    global uchar *b_out = (global uchar *)out;
    global ushort *s_out = (global ushort *)(out + count);
    b_out[i] = b;
    if (c & 2)
        b_out[2 * count - 1 - i] = c;
    s_out[i] = s;
    if (t & 4)
        s_out[2 * count - 1 - i] = t;
    if (i != count / 2) {
        out[2 * count + i] = b * c;
        out[4 * count - 1 - i] = s - t;
    }
}

// Ids against bounds: all lanes go one way, or some do.
kernel void guards(global const int *in, global int *out, int n)
{
    size_t x = get_global_id(0), l = get_local_id(0);
    size_t row = get_global_id(2) * get_global_size(1) + get_global_id(1);
    size_t i = row * get_global_size(0) + x;
    int a = in[x % n], b = 1, c = 0, d = -5;
    if (x < (size_t)n) {
        a += in[x];
        for (int k = 0; k < (a & 3); k++)
            b += in[k] ^ a;
    }
    if ((long)x > (long)n - 20) {
        c = in[x & 7] + b;
    } else {
        c = a - 3;
        d = in[l & 7];
    }
    if (l >= 4)
        b += in[(l - 4) & 15];
    if (x == 5)
        d = in[b & 7];
    if (x != 8)
        a ^= in[c & 7];
    if ((long)l <= (long)n - 100)
        a += in[d & 7];
    if (x + 40 <= (size_t)n) {
        out[4 * i] = a;
        out[4 * i + 1] = b;
    } else {
        out[4 * i + 1] = a;
        out[4 * i] = b - in[l & 3];
    }
    out[4 * i + 2] = c;
    out[4 * i + 3] = d;
}

// What lives across barriers: an array, a condition, numbers; barriers in a loop that the work-group
// leaves by what it finds, and under a condition.
kernel void phases(global const int *in, global int *out, int n, local int *shared,
                   global int *counters)
{
    size_t i = get_global_id(0);
    int l = get_local_id(0), size = get_local_size(0), x = in[i % n], round = 0;
    int own[8];
    for (int k = 0; k < 8; k++)
        own[k] = x * k + l;
    bool odd = x & 1;
    float f = x * 0.5f;
    shared[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (true) {
        own[shared[(l + round) % size] & 7] += round;
        int found = shared[round % size];
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((round > 3 && (found & 1)) || round == 12)
            break;
        if (odd)
            shared[l] += own[(l + round) & 7];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (round & 1) {
            f += shared[(l + 3) % size];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        round++;
    }
    out[4 * i] = own[x & 7];
    out[4 * i + 1] = round;
    out[4 * i + 2] = (int)f;
    out[4 * i + 3] = odd ? own[round & 7] : shared[l];
    atomic_add(&counters[round & 15], l);
}

// Work-items that wait at different barriers, by 64.
kernel void apart(global const int *in, global int *out, int n, local int *shared,
                  global int *counters)
{
    size_t i = get_global_id(0);
    int l = get_local_id(0), x = in[i % n];
    shared[l] = x;
    if (l / 64 % 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        x += shared[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        shared[l] = x * 3;
    } else {
        shared[l] ^= 5;
        barrier(CLK_LOCAL_MEM_FENCE);
        x -= shared[l ^ 2];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[4 * i] = x + shared[l ^ 3];
    out[4 * i + 1] = shared[l];
    atomic_inc(&counters[x & 15]);
}

// An extension before a loop for what stands in the loop, in memory of each work-item.
kernel void hoisted(global const int *in, global int *out, int n)
{
    size_t i = get_global_id(0);
    int x = in[i % n];
    long own[4] = {1, 2, 3, 4};
    for (int k = 0; k < (x & 7); k++)
        own[(x + k) & 3] = popcount((uchar)(x >> 3));
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = (int)own[k];
}

// Neighbours in memory under conditions that hold for the first lanes, the last ones, one, or all but
// one, alone and after another: what goes on is put together behind them.
kernel void neighbours(global const int *in, global int *out, int n, local int *shared,
                       global int *counters)
{
    size_t i = get_global_id(0);
    int l = get_local_id(0), size = get_local_size(0), v = in[i % n];
    size_t id = get_local_id(0), bound = n;
    shared[id] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    int a = v, b = v, c = -1, d = 0;
    if (id >= 5)
        a += shared[id - 5];
    if (id < 7)
        a ^= shared[id] + 1;
    else
        b -= a;
    if (l == 3)
        b = shared[l] * 3;
    if (l != 4)
        c = shared[l] - a;
    if (id + 1 < size)
        d = shared[id + 1];
    if (id >= bound)
        d -= shared[id - bound];
    if (v & 1)
        if (id > 1)
            c += shared[id - 2];
    if (id < bound && l > 2)
        b += shared[id];
    for (uint step = 1; step < size; step *= 2) {
        int more = 0;
        if (id >= step)
            more = shared[id - step];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id >= step)
            shared[id] += more;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    d ^= shared[id];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id >= 4)
        shared[id - 4] = a;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[4 * i] = a + shared[id];
    out[4 * i + 1] = b;
    out[4 * i + 2] = c;
    out[4 * i + 3] = d;
    if (l == size - 1)
        counters[0] = size;
}

// A loop that waits for its own results, round after round.
kernel void chain(global const int *in, global int *out, int n)
{
    size_t i = get_global_id(0);
    float x = in[n - 1] + (int)i;
    for (int k = 0; k < n; k++)
        x = fma(x, 0.75f, 1.5f);
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = as_int(x) + k;
}

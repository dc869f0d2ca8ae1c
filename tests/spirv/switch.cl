// Dense, sparse and 64-bit switches, with cases that fall through.
kernel void switches(global const int *in, global const long *wide, global int *out) {
    size_t i = get_global_id(0);
    int r = 0;
    switch (in[i]) {
    case 0: r = 10; break;
    case 1: r = 21; // falls through
    case 2: r += 5; break;
    case 3: r = in[(i + 1) % 4]; break;
    case 4: r = 77; break;
    case -1: r = 99; break;
    case 1000000: r = -1; break;
    default: r = in[i] * 2;
    }
    switch (wide[i]) {
    case 0x100000000L: r += 1000; out[2 * i] = r; return;
    case -0x100000000L: r += 2000; break;
    case 3: r ^= 0x55; break;
    }
    out[2 * i] = r;
    out[2 * i + 1] = 1;
}

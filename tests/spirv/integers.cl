// Integer functions and conversions, narrow and wide.
kernel void functions(global const int *a, global const int *b, global int *out) {
    size_t i = get_global_id(0);
    int x = a[i], y = b[i];
    global int *o = out + 14 * i;
    o[0] = mul_hi(x, y);
    o[1] = add_sat(x, y);
    o[2] = sub_sat(x, y);
    o[3] = rotate(x, y);
    o[4] = (int)clz(x);
    o[5] = (int)popcount(x);
    o[6] = hadd(x, y);
    o[7] = rhadd(x, y);
    o[8] = (int)abs_diff(x, y);
    o[9] = clamp(x, -100, 100);
    o[10] = mad24(x & 0xfff, y & 0xfff, 3);
    o[11] = max(x, y) - min(x, y);
    o[12] = upsample((short)x, (ushort)y);
    o[13] = y != 0 && !(x == INT_MIN && y == -1) ? x / y * 1000 + x % y : 0;
}

kernel void conversions(global const int *in, global char *c, global ushort *s, global long *l) {
    size_t i = get_global_id(0);
    c[i] = convert_char_sat(in[i]);
    s[i] = convert_ushort_sat(in[i]);
    l[i] = (long)in[i] * (uint)in[i];
    l[i] += (char)in[i] + (uchar)in[i];
}

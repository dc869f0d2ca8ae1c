// Vectors of every width, swizzles, comparisons, loads and stores off their alignment.
kernel void swizzle(global const float4 *in, global float4 *out) {
    size_t i = get_global_id(0);
    float4 v = in[i];
    v.xy += v.wz;
    out[i] = select(v.wzyx, v * 2.0f, v > (float4)(0.0f));
}

kernel void three(global const float *in, global float *out, global float3 *aligned) {
    size_t i = get_global_id(0);
    float3 v = vload3(i, in);
    aligned[i] = v + (float3)(1, 2, 3);
    vstore3(cross(v, aligned[i]), i, out);
}

kernel void wide(global const uchar16 *bytes, global short8 *shorts, global long2 *longs) {
    size_t i = get_global_id(0);
    uchar16 b = bytes[i];
    shorts[i] = convert_short8(b.lo) - convert_short8(b.hi);
    longs[i] = (long2)(b.s0, b.sf) << (long2)(40, 8);
    uchar16 mask = (uchar16)(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    shorts[i].s0 += shuffle(b, mask).s3;
}

// An element chosen at run time.
kernel void dynamic_index(global const int4 *in, global const uint *which, global int *out) {
    size_t i = get_global_id(0);
    int4 v = in[i];
    ((int *)&v)[which[i] & 3] += 100;
    out[i] = v.x + v.y + v.z + v.w + v[which[i] & 3];
}

kernel void geometry(global const float4 *a, global const float4 *b, global float *out) {
    size_t i = get_global_id(0);
    out[i] = dot(a[i], b[i]) + length(a[i]) + distance(a[i], b[i]) + normalize(b[i]).x;
}

// Text of every kind of value.
kernel void print(global const int *in, global int *status) {
    size_t i = get_global_id(0);
    float4 v = (float4)(in[i], 0.5f, -1.0f, 1e10f);
    status[i] = printf("%d %u|%5.2f|%v4hlg|%s %c %hhd %lx %%\n", in[i], in[i], v.y, v, "text",
                       'A' + in[i] % 26, (char)in[i], (long)in[i] << 32);
}

// Uses what link_library defines.
typedef struct {
    int value;
    float4 weight;
} item;

extern constant int table[3];
int lookup(item x, global int *count);
// The definition has another type of pointer.
int reinterpret(global float *from);

kernel void use(global const int *in, global int *out, global int *count) {
    size_t i = get_global_id(0);
    item x = {in[i], (float4)(i)};
    out[i] = lookup(x, count) + table[i % 3] + reinterpret((global float *)(in + i));
}

// Uses what link_library defines.
typedef struct {
    int value;
    float4 weight;
} item;

extern constant int table[3];
int lookup(item x, global int *count);

kernel void use(global const int *in, global int *out, global int *count) {
    size_t i = get_global_id(0);
    item x = {in[i], (float4)(i)};
    out[i] = lookup(x, count) + table[i % 3];
}

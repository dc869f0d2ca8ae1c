// Defines what link_main uses.
typedef struct {
    int value;
    float4 weight;
} item;

constant int table[3] = {100, 200, 300};

int lookup(item x, global int *count) {
    atomic_inc(count);
    return x.value * 1000 + (int)x.weight.y + (int)get_global_size(0);
}

int reinterpret(global int *from) {
    return *from * 2;
}

kernel void library_kernel(global int *out) {
    item x = {5, (float4)(7)};
    *out = lookup(x, out);
}

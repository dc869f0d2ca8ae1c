// Structures by value: nested, with padding, with an array, packed.
struct Inner {
    char tag;
    double weight;
};

struct Params {
    int scale;
    struct Inner inner[2];
    float3 shift;
    short tail;
};

struct __attribute__((packed)) Tight {
    char a;
    int b;
    short c;
};

kernel void by_value(struct Params p, global float *out) {
    size_t i = get_global_id(0);
    struct Inner chosen = p.inner[i & 1];
    out[i] = (float)(p.scale * chosen.weight) + p.shift.z + chosen.tag + p.tail;
}

kernel void packed(struct Tight t, global int *out, global struct Tight *copy) {
    size_t i = get_global_id(0);
    out[i] = t.a * 10000 + t.b * 100 + t.c;
    copy[i] = t;
}

// Layout as the device sees it.
kernel void layout(global uint *out) {
    out[0] = sizeof(struct Params);
    out[1] = __builtin_offsetof(struct Params, inner);
    out[2] = __builtin_offsetof(struct Params, shift);
    out[3] = __builtin_offsetof(struct Params, tail);
    out[4] = sizeof(struct Tight);
    out[5] = sizeof(float3);
}

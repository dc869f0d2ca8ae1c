// c[i] = a[i] + b[i]: the smallest kernel that does something.
kernel void vector_add(global const float *a, global const float *b, global float *c) {
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}

// The same with a bound, so that the global size may be rounded up.
kernel void vector_add_n(global const int *restrict a, global const int *restrict b,
                         global int *restrict c, uint n) {
    size_t i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}

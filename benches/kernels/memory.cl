// Kernels that move data: what the memory can do is their limit.

kernel void empty(void) {}

kernel void triad(global float *a, global const float *b, global const float *c, float scale)
{
    size_t i = get_global_id(0);
    a[i] = fma(scale, c[i], b[i]);
}

kernel void copy(global float *a, global const float *b)
{
    size_t i = get_global_id(0);
    a[i] = b[i];
}

// Arithmetic in registers and caches.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define STEPS 512

kernel void fma_f32(global float *data, float factor, float addend)
{
    size_t i = get_global_id(0);
    float x = data[i];
    for (int step = 0; step < STEPS; step++)
        x = fma(x, factor, addend);
    data[i] = x;
}

kernel void fma_f64(global double *data, double factor, double addend)
{
    size_t i = get_global_id(0);
    double x = data[i];
    for (int step = 0; step < STEPS; step++)
        x = fma(x, factor, addend);
    data[i] = x;
}

// Acceleration of each body by all; the mass is in w.
kernel void nbody(global float4 *out, global const float4 *bodies, uint count)
{
    size_t i = get_global_id(0);
    float4 own = bodies[i];
    float x = 0.0f, y = 0.0f, z = 0.0f;
    for (uint j = 0; j < count; j++) {
        float4 other = bodies[j];
        float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
        float square = fma(dx, dx, fma(dy, dy, fma(dz, dz, 1e-3f)));
        float inverse = rsqrt(square);
        float pull = other.w * inverse * inverse * inverse;
        x = fma(pull, dx, x);
        y = fma(pull, dy, y);
        z = fma(pull, dz, z);
    }
    out[i] = (float4)(x, y, z, 0.0f);
}

// Rounds of a 64-bit mixing function.
kernel void hash64(global ulong *data)
{
    size_t i = get_global_id(0);
    ulong h = data[i];
    for (int round = 0; round < 16; round++) {
        h ^= h >> 31;
        h *= 0x9e3779b97f4a7c15UL;
        h += 0x632be59bd9b4e019UL;
        h = rotate(h, 27UL);
    }
    data[i] = h;
}

kernel void matmul_naive(global float *c, global const float *a, global const float *b, uint size)
{
    size_t column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (uint k = 0; k < size; k++)
        sum = fma(a[row * size + k], b[k * size + column], sum);
    c[row * size + column] = sum;
}

#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
matmul_tiled(global float *c, global const float *a, global const float *b, uint size)
{
    local float left[TILE][TILE], right[TILE][TILE];
    size_t column = get_global_id(0), row = get_global_id(1);
    size_t x = get_local_id(0), y = get_local_id(1);
    float sum = 0.0f;
    for (uint tile = 0; tile < size; tile += TILE) {
        left[y][x] = a[row * size + tile + x];
        right[y][x] = b[(tile + y) * size + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum = fma(left[y][k], right[k][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * size + column] = sum;
}

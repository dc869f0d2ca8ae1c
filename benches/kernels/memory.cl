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

// The mean of a cell and its neighbours; the border stays as it is.
kernel void stencil(global float *out, global const float *in)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    size_t width = get_global_size(0), height = get_global_size(1);
    size_t at = y * width + x;
    float value = in[at];
    if (x > 0 && y > 0 && x + 1 < width && y + 1 < height)
        value = 0.2f * (value + in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
    out[at] = value;
}

#define TILE 16

// Through local memory, so that rows are read and rows are written.
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
transpose(global float *out, global const float *in)
{
    local float tile[TILE][TILE + 1];
    size_t width = get_global_size(0), height = get_global_size(1);
    size_t x = get_local_id(0), y = get_local_id(1);
    size_t left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    tile[y][x] = in[(top + y) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(left + y) * height + top + x] = tile[x][y];
}

// A sparse matrix, row by row, times a vector.
kernel void spmv(global float *out, global const uint *starts, global const uint *columns,
                 global const float *values, global const float *vector)
{
    size_t row = get_global_id(0);
    uint end = starts[row + 1];
    float sum = 0.0f;
    for (uint at = starts[row]; at < end; at++)
        sum = fma(values[at], vector[columns[at]], sum);
    out[row] = sum;
}

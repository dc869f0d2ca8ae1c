// Half-precision arithmetic.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define STEPS 128

kernel void fma_f16(global half *data, global const half *constants)
{
    size_t i = get_global_id(0);
    half x = data[i], factor = constants[0], addend = constants[1];
    for (int step = 0; step < STEPS; step++)
        x = fma(x, factor, addend);
    data[i] = x;
}

// Kernels whose work-items take different ways, and bytes.

#pragma OPENCL FP_CONTRACT OFF

// Steps until a point of the plane escapes.
kernel void mandelbrot(global uint *out, float left, float top, float step, uint most)
{
    size_t column = get_global_id(0), row = get_global_id(1);
    float cx = fma((float)column, step, left), cy = fma((float)row, step, top);
    float x = 0.0f, y = 0.0f;
    uint count = 0;
    while (count < most) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f)
            break;
        y = fma(2.0f * x, y, cy);
        x = xx - yy + cx;
        count++;
    }
    out[row * get_global_size(0) + column] = count;
}

// Steps of the sequence of Collatz until 1.
kernel void collatz(global uint *out)
{
    size_t i = get_global_id(0);
    uint n = (uint)i + 1, count = 0;
    while (n != 1) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        count++;
    }
    out[i] = count;
}

// Capital letters where words begin, small ones elsewhere.
kernel void title_case(global uchar *out, global const uchar *text)
{
    size_t i = get_global_id(0);
    uchar c = text[i];
    uchar before = i == 0 ? ' ' : text[i - 1];
    if (before == ' ') {
        if (c >= 'a' && c <= 'z')
            c -= 32;
    } else if (c >= 'A' && c <= 'Z') {
        c += 32;
    }
    out[i] = c;
}

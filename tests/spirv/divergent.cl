// Number of Collatz steps down to 1: every work-item loops a different number of times.
kernel void collatz(global const uint *in, global uint *out) {
    size_t i = get_global_id(0);
    ulong x = in[i];
    uint steps = 0;
    while (x > 1) {
        x = (x & 1) ? 3 * x + 1 : x / 2;
        ++steps;
    }
    out[i] = steps;
}

// A loop with three exits and a nested one that is left early.
kernel void find_pair(global const int *data, int n, int wanted, global int *out) {
    int i = (int)get_global_id(0);
    int found = -1;
    for (int j = 0; j < n; ++j) {
        if (j == i)
            continue;
        if (data[j] < 0)
            break;
        int k = j;
        do {
            if (data[i] + data[k] == wanted) {
                found = j * 1000 + k;
                goto done;
            }
            k += 3;
        } while (k < n);
    }
done:
    out[i] = found;
}

// Escape times of a small Mandelbrot set over two dimensions.
kernel void mandelbrot(global int *out, int limit) {
    int x = (int)get_global_id(0), y = (int)get_global_id(1), w = (int)get_global_size(0);
    float cr = (float)x / 16.0f - 2.0f, ci = (float)y / 16.0f - 1.0f, zr = 0, zi = 0;
    int n = 0;
    for (; n < limit && zr * zr + zi * zi <= 4.0f; ++n) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
    }
    out[y * w + x] = n;
}

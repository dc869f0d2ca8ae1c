/* Variables of a program. */

__global int counter = 40;
__global int series[4] = {1, 2, 3, 4};

__kernel void use_variables(__global int *out) {
    out[0] = counter;
    for (int at = 0; at < 4; at++)
        out[1 + at] = series[at];
    counter += 1;
}

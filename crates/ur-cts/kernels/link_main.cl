/* Needs what link_library.cl has. */

int twice(int of);

__kernel void use_library(__global int *out) {
    size_t at = get_global_id(0);
    out[at] = twice((int)at) + 1;
}

/* Kernels that recorded commands are made of. */

__kernel void nothing(void) {
}

/* As `fill` in basic.cl, but for the value: a launch that is changed from one to the other. */
__kernel void fill_inverted(__global uint *out, uint value) {
    out[get_global_id(0)] = ~value;
}

__kernel void fill(__global uint *out, uint value) {
    out[get_global_id(0)] = value;
}

/* Each work-item counts itself, at its global id. */
__kernel void visit(__global uint *out) {
    out[get_global_id(0)] += 1;
}

/* What a work-item knows of its work-group. */
__kernel void groups(__global uint *out) {
    out[get_global_id(0)] = (uint)get_local_size(0);
}

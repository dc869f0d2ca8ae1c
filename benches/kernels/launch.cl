// As little as a kernel with arguments of both sorts can do.

kernel void scale(global float *out, global const float *in, float factor)
{
    size_t i = get_global_id(0);
    out[i] = factor * in[i];
}

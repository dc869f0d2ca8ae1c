#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Sixteen float functions of each input.
kernel void unary_float(global const float *in, global float *out) {
    size_t i = get_global_id(0);
    float x = in[i];
    global float *o = out + 16 * i;
    o[0] = sin(x);
    o[1] = cos(x);
    o[2] = tan(x);
    o[3] = exp(x);
    o[4] = log(fabs(x));
    o[5] = sqrt(fabs(x));
    o[6] = floor(x);
    o[7] = ceil(x);
    o[8] = rint(x);
    o[9] = trunc(x);
    o[10] = tanh(x);
    o[11] = atan(x);
    o[12] = exp2(x);
    o[13] = cbrt(x);
    o[14] = erf(x);
    o[15] = native_sin(x);
}

kernel void binary_double(global const double *a, global const double *b, global double *out) {
    size_t i = get_global_id(0);
    double x = a[i], y = b[i];
    global double *o = out + 8 * i;
    o[0] = pow(fabs(x), y);
    o[1] = atan2(x, y);
    o[2] = hypot(x, y);
    o[3] = fmod(x, y);
    o[4] = fma(x, y, 1.0);
    o[5] = fmin(x, y);
    o[6] = fmax(x, y);
    o[7] = copysign(x, y);
}

// Results through pointers, classification, conversions.
kernel void pointers(global const float *in, global float *part, global int *whole) {
    size_t i = get_global_id(0);
    float int_part, cosine;
    int exponent;
    float frac = modf(in[i], &int_part);
    float mantissa = frexp(in[i], &exponent);
    float sine = sincos(in[i], &cosine);
    part[4 * i] = frac + int_part;
    part[4 * i + 1] = ldexp(mantissa, exponent);
    part[4 * i + 2] = sine * sine + cosine * cosine;
    part[4 * i + 3] = isnan(in[i]) ? 1.0f : isinf(in[i]) ? 2.0f : signbit(in[i]) ? 3.0f : 4.0f;
    whole[i] = convert_int_sat_rte(in[i]);
}

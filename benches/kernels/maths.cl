// Mathematical functions.

kernel void apply_sin(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = sin(in[i]);
}

kernel void apply_exp(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = exp(in[i]);
}

kernel void apply_log(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = log(in[i]);
}

kernel void apply_pow(global float *out, global const float *in, global const float *powers)
{
    size_t i = get_global_id(0);
    out[i] = pow(in[i], powers[i]);
}

kernel void apply_sqrt(global float *out, global const float *in)
{
    size_t i = get_global_id(0);
    out[i] = sqrt(in[i]);
}

// The normal distribution by a polynomial (Abramowitz and Stegun, 26.2.17).
static float normal(float x)
{
    float a = fabs(x);
    float k = 1.0f / fma(0.2316419f, a, 1.0f);
    float sum = fma(k, 1.330274429f, -1.821255978f);
    sum = fma(k, sum, 1.781477937f);
    sum = fma(k, sum, -0.356563782f);
    sum = fma(k, sum, 0.319381530f);
    float tail = 0.39894228f * exp(-0.5f * a * a) * k * sum;
    return x < 0.0f ? tail : 1.0f - tail;
}

// Prices of European options.
kernel void black_scholes(global float *call, global float *put, global const float *price,
                          global const float *strike, global const float *years, float rate,
                          float volatility)
{
    size_t i = get_global_id(0);
    float s = price[i], x = strike[i], t = years[i];
    float root = sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root;
    float discounted = x * exp(-rate * t);
    float n1 = normal(d1), n2 = normal(d2);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}

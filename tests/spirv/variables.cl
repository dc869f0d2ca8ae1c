// Program-scope variables that the host reads and writes by name.
global int counter = 40;
global int series[4] = {1, 2, 3, 4};

kernel void use_variables(global int *out) {
    int i = (int)get_global_id(0);
    out[i] = counter + series[i];
    series[i] = out[i] * 10;
}

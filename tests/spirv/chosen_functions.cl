// Functions chosen at run time and called by their addresses.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

typedef int (*operation)(int);

int __attribute__((noinline)) add(int x) { return x + 1; }

int __attribute__((noinline)) triple(int x) { return x * 3; }

int __attribute__((noinline)) apply(operation f, int x) { return f(x); }

kernel void choose(global int *out) {
    int i = get_global_id(0);
    operation f = (i & 1) ? add : triple;
    out[i] = apply(f, i);
}

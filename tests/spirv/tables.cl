// Tables in constant memory, of scalars, vectors and structures.
struct Entry {
    char letter;
    int value;
};

constant int squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
constant float4 axes[3] = {(float4)(1, 0, 0, 0), (float4)(0, 1, 0, 0), (float4)(0, 0, 1, 0)};
constant struct Entry entries[3] = {{'a', 100}, {'b', 200}, {'c', 300}};
constant int nothing[4] = {0};
constant int *constant inside = &squares[3];

kernel void table(global int *out, constant int *extra) {
    int i = (int)get_global_id(0);
    int local_table[5] = {7, 11, 13, 17, 19};
    local_table[i % 5] += 1;
    out[i] = squares[i % 8] + (int)axes[i % 3].y + entries[i % 3].value + entries[i % 3].letter +
             nothing[i % 4] + *inside + extra[i % 2] + local_table[(i + 1) % 5];
}

// Which kind of memory a generic pointer points to. Bits: 1 global, 2 local, 4 private.
int kinds(generic int *p) {
    return (to_global(p) != 0 ? 1 : 0) | (to_local(p) != 0 ? 2 : 0) | (to_private(p) != 0 ? 4 : 0);
}

kernel void classify(global int *data, global int *out, local int *given) {
    local int own[4];
    int mine[2] = {1, 2};
    size_t i = get_global_id(0), l = get_local_id(0);
    own[l & 3] = given[l] = (int)l;
    global int *o = out + 6 * i;
    o[0] = kinds(data + i);
    o[1] = kinds(own + (l & 3));
    o[2] = kinds(given + l);
    o[3] = kinds(mine + (l & 1));
    // The same pointers once the work-item has been suspended.
    barrier(CLK_LOCAL_MEM_FENCE);
    mine[l & 1] += (int)l;
    o[4] = kinds(mine + (l & 1));
    barrier(CLK_LOCAL_MEM_FENCE);
    generic int *chosen = (l & 1) ? (generic int *)(own + 1) : (generic int *)(mine + 1);
    o[5] = kinds(chosen) * 1000 + mine[0] + mine[1];
}

// As above in a kernel whose work-items never wait.
kernel void classify_plain(global int *data, global int *out) {
    int mine[2] = {1, 2};
    size_t i = get_global_id(0);
    generic int *chosen = (i & 1) ? (generic int *)(data + i) : (generic int *)(mine + (i >> 1 & 1));
    *chosen += 10;
    out[i] = kinds(chosen) * 1000 + mine[0] + mine[1];
}

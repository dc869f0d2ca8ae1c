/* Kernels that write the bytes of an argument that they are given by value. */

#define TAKE(NAME, TYPE)                                                                           \
    __kernel void take_##NAME(TYPE in, __global uchar *out) {                                      \
        const uchar *bytes = (const uchar *)&in;                                                   \
        for (uint at = 0; at < sizeof(TYPE); at++)                                                 \
            out[at] = bytes[at];                                                                   \
    }

#define TAKE_BYTES(SIZE)                                                                           \
    typedef struct {                                                                               \
        uchar of[SIZE];                                                                            \
    } bytes_##SIZE;                                                                                \
    TAKE(bytes_##SIZE, bytes_##SIZE)

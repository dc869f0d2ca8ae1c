/* An adapter for tests of the loader, with one platform and three root devices: a CPU that splits
 * in two, and two GPUs that do not. tables.h is written by the test: TABLE(getter, words, first)
 * for each dispatch table.
 *
 * NAME          text that tells this adapter from another
 * BACKEND       what the platform reports (default 2, OpenCL)
 * REFUSES       getters answer UNSUPPORTED_VERSION
 * EXTRA         entries written past the end of the Kernel table, as another release would
 * GET_FAILS     urAdapterGet answers this result
 * UNDEFINED     needs a symbol that nobody has
 * STUBS         every other entry than urAdapterGet's answers SUCCESS and does nothing
 * PROBE         the platform's name is what ur_test_probe says, which others may have too
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct object { void **table; struct object *parent; const char *name; uint32_t type; int parts; _Atomic int count; } object;

#ifndef BACKEND
#define BACKEND 2
#endif

enum { WORDS = 0
#define TABLE(getter, words, first) + words
#include "tables.h"
#undef TABLE
};

#define TABLE(getter, words, first) enum { first_##getter = first };
#include "tables.h"
#undef TABLE

static void *container[WORDS];

static object adapter = { container, 0, NAME, 0, 0, 0 };
static object platform = { container, 0, NAME " platform", 0, 0, 0 };
static object devices[3] = {
    { container, 0, NAME " cpu", 4, 2, 0 },
    { container, 0, NAME " gpu0", 3, 0, 0 },
    { container, 0, NAME " gpu1", 3, 0, 0 },
};
static object parts[2] = {
    { container, &devices[0], NAME " cpu.0", 4, 0, 0 },
    { container, &devices[0], NAME " cpu.1", 4, 0, 0 },
};

#ifdef UNDEFINED
extern int a_symbol_that_nobody_has(void);
int needs_it(void) { return a_symbol_that_nobody_has(); }
#endif

#ifdef PROBE
const char *ur_test_probe(void) { return "of the adapter"; }
#endif

static uint32_t get_adapters(uint32_t room, object **out, uint32_t *count) {
#ifdef GET_FAILS
    (void)room; (void)out; (void)count;
    return GET_FAILS;
#else
    if (out && room) { out[0] = &adapter; adapter.count++; }
    if (count) *count = 1;
    return 0;
#endif
}

static uint32_t retain(object *o) { o->count++; return 0; }
static uint32_t release(object *o) { if (o->count-- > 0) return 0; o->count++; return 1; }

/* Sum of all counts: zero when every reference came back. */
int references(void) {
    int sum = adapter.count;
    for (int i = 0; i < 3; i++) sum += devices[i].count;
    for (int i = 0; i < 2; i++) sum += parts[i].count;
    return sum;
}

static uint32_t give(const void *value, size_t length, size_t size, void *out, size_t *needed) {
    if (out) { if (size < length) return 49; memcpy(out, value, length); }
    if (needed) *needed = length;
    return 0;
}

static uint32_t adapter_info(object *o, uint32_t name, size_t size, void *out, size_t *needed) {
    uint32_t backend = BACKEND, count = (uint32_t)o->count, sum = (uint32_t)references();
    if (name == 0) return give(&backend, 4, size, out, needed);
    if (name == 1) return give(&count, 4, size, out, needed);
    if (name == 0x1000) return give(&sum, 4, size, out, needed);
    return 54;
}

static uint32_t get_platforms(object *a, uint32_t room, object **out, uint32_t *count) {
    (void)a;
    if (out && room) out[0] = &platform;
    if (count) *count = 1;
    return 0;
}

static uint32_t platform_info(object *o, uint32_t name, size_t size, void *out, size_t *needed) {
    uint32_t backend = BACKEND;
#ifdef PROBE
    if (name == 1) return give(ur_test_probe(), strlen(ur_test_probe()) + 1, size, out, needed);
#endif
    if (name == 1) return give(o->name, strlen(o->name) + 1, size, out, needed);
    if (name == 6) return give(&backend, 4, size, out, needed);
    return 54;
}

static uint32_t get_devices(object *p, uint32_t type, uint32_t room, object **out, uint32_t *count) {
    uint32_t found = 0;
    (void)p;
    for (int i = 0; i < 3; i++) {
        int fits = type == 2 || devices[i].type == type || (type == 1 && i == 0);
        if (!fits) continue;
        if (out && found < room) { out[found] = &devices[i]; devices[i].count++; }
        found++;
    }
    if (count) *count = found;
    return 0;
}

static uint32_t device_info(object *o, uint32_t name, size_t size, void *out, size_t *needed) {
    if (name == 0) return give(&o->type, 4, size, out, needed);
    if (name == 0x2000) return give(o->name, strlen(o->name) + 1, size, out, needed);
    return 54;
}

static uint32_t partition(object *o, const void *how, uint32_t room, object **out, uint32_t *count) {
    (void)how;
    if (o->parts == 0) return 23;
    for (uint32_t i = 0; out && i < room && i < 2; i++) { out[i] = &parts[i]; parts[i].count++; }
    if (count) *count = 2;
    return 0;
}

#ifdef STUBS
static uint32_t stub(void) { return 0; }

__attribute__((constructor)) static void fill_all(void) {
    for (int i = 0; i < WORDS; i++) container[i] = (void *)stub;
    container[first_urGetAdapterProcAddrTable] = (void *)get_adapters;
}
#define fill __attribute__((unused)) fill_usual
#else
#define fill __attribute__((constructor)) fill_usual
#endif

static void fill(void) {
    void **a = container + first_urGetAdapterProcAddrTable;
    void **p = container + first_urGetPlatformProcAddrTable;
    void **d = container + first_urGetDeviceProcAddrTable;
    a[0] = (void *)get_adapters; a[1] = (void *)release; a[2] = (void *)retain; a[4] = (void *)adapter_info;
    p[0] = (void *)get_platforms; p[1] = (void *)platform_info;
    d[0] = (void *)get_devices; d[1] = (void *)device_info;
    d[2] = (void *)retain; d[3] = (void *)release; d[4] = (void *)partition;
}

static uint32_t copy(uint32_t version, void **out, size_t words, size_t first, size_t extra) {
#ifdef REFUSES
    (void)version; (void)out; (void)words; (void)first; (void)extra;
    return 43;
#else
    if (version != 12) return 43;
    for (size_t i = 0; i < words; i++) out[i] = container[first + i];
    for (size_t i = 0; i < extra; i++) out[words + i] = 0;
    return 0;
#endif
}

#ifndef EXTRA
#define EXTRA 0
#endif
#define TABLE(getter, words, first) \
    uint32_t getter(uint32_t version, void **out) { \
        return copy(version, out, words, first, first == first_urGetKernelProcAddrTable ? EXTRA : 0); \
    }
#include "tables.h"

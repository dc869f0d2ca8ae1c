/* An adapter for tests of the loader whose tables have the layout that layout.h says: of this
 * release or of an earlier one. Its objects refuse calls that mean another kind of object, and
 * its container is read-only, as an adapter's may be.
 *
 * layout.h is written by the test: TABLE(getter, words, first) for each dispatch table, and
 * HAS_name with AT_name, the word in the container, for each function.
 *
 * NAME  text that tells this adapter from another
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "layout.h"

enum kind { ADAPTER = 1, PLATFORM, DEVICE, CONTEXT, QUEUE, EVENT, PROGRAM, KERNEL };

typedef struct object {
    void *const *table;
    enum kind kind;
    _Atomic int count;
    struct object *parent, *device;
    uint64_t arguments[4];
} object;

static void *const container[];

static object adapter = { container, ADAPTER, 0, 0, 0, { 0 } };
static object platform = { container, PLATFORM, 1, 0, 0, { 0 } };
static object devices[2] = {
    { container, DEVICE, 1, 0, 0, { 0 } },
    { container, DEVICE, 1, 0, 0, { 0 } },
};
static object parts[2] = {
    { container, DEVICE, 1, &devices[0], 0, { 0 } },
    { container, DEVICE, 1, &devices[0], 0, { 0 } },
};
/* In no list: only a question about the second device leads to them. */
static object hidden[2] = {
    { container, DEVICE, 1, &devices[1], 0, { 0 } },
    { container, DEVICE, 1, &devices[1], 0, { 0 } },
};
static _Atomic int live;

static object *make(enum kind kind, object *parent, object *device) {
    object *new = calloc(1, sizeof *new);
    new->table = container;
    new->kind = kind;
    new->count = 1;
    new->parent = parent;
    new->device = device;
    live++;
    return new;
}

/* Answers INVALID_OPERATION for an object of another kind: the call went to a wrong entry. */
#define EXPECT(object, wanted) if ((object)->kind != (wanted)) return 1

static uint32_t give(const void *value, size_t length, size_t size, void *out, size_t *needed) {
    if (out) { if (size < length) return 49; memcpy(out, value, length); }
    if (needed) *needed = length;
    return 0;
}

static uint32_t retain(object *o) { o->count++; return 0; }
static uint32_t release(object *o) {
    if (--o->count == 0 && o->kind >= CONTEXT) { memset(o, 0xee, sizeof *o); free(o); live--; }
    return 0;
}

static uint32_t adapter_get(uint32_t room, object **out, uint32_t *count) {
    if (out && room) { out[0] = &adapter; adapter.count++; }
    if (count) *count = 1;
    return 0;
}
static uint32_t adapter_info(object *o, uint32_t name, size_t size, void *out, size_t *needed) {
    EXPECT(o, ADAPTER);
    uint32_t now = (uint32_t)live;
    return name == 0x1000 ? give(&now, 4, size, out, needed) : 54;
}
static uint32_t platform_get(object *o, uint32_t room, object **out, uint32_t *count) {
    EXPECT(o, ADAPTER);
    if (out && room) out[0] = &platform;
    if (count) *count = 1;
    return 0;
}
static uint32_t platform_info(object *o, uint32_t name, size_t size, void *out, size_t *needed) {
    EXPECT(o, PLATFORM);
    object *of = &adapter;
    if (name == 1) return give(NAME, sizeof NAME, size, out, needed);
    if (name == 7) return give(&of, sizeof of, size, out, needed);
    return 54;
}
/* Leaves all but the first two places of the list alone. */
static uint32_t device_get(object *o, uint32_t type, uint32_t room, object **out, uint32_t *count) {
    (void)type;
    EXPECT(o, PLATFORM);
    for (uint32_t i = 0; out && i < room && i < 2; i++) out[i] = &devices[i];
    if (count) *count = 2;
    return 0;
}
static uint32_t device_partition(object *o, const void *how, uint32_t room, object **out, uint32_t *count) {
    (void)how;
    EXPECT(o, DEVICE);
    for (uint32_t i = 0; out && i < room && i < 2; i++) out[i] = &parts[i];
    if (count) *count = 2;
    return 0;
}
static uint32_t device_info(object *o, uint32_t name, size_t size, void *out, size_t *needed) {
    EXPECT(o, DEVICE);
    object *of = &platform;
    if (name == 63) return give(&of, sizeof of, size, out, needed);
    if (name == 116) {
        object *of_it[2] = { &hidden[0], &hidden[1] };
        return give(of_it, sizeof of_it, size, out, needed);
    }
    if (name == 75) return give(&o->parent, sizeof o->parent, size, out, needed);
    return 54;
}
static uint32_t context_create(uint32_t count, object *const *list, const void *how, object **out) {
    (void)how;
    EXPECT(list[0], DEVICE);
    if (count != 1) return 4;
    *out = make(CONTEXT, 0, list[0]);
    return 0;
}
static uint32_t context_info(object *o, uint32_t name, size_t size, void *out, size_t *needed) {
    EXPECT(o, CONTEXT);
    uint32_t count = (uint32_t)o->count;
    if (name == 1) return give(&o->device, sizeof o->device, size, out, needed);
    if (name == 2) return give(&count, sizeof count, size, out, needed);
    return 54;
}
static uint32_t queue_create(object *c, object *d, const void *how, object **out) {
    (void)how;
    EXPECT(c, CONTEXT);
    EXPECT(d, DEVICE);
    *out = make(QUEUE, c, d);
    return 0;
}
static uint32_t queue_info(object *o, uint32_t name, size_t size, void *out, size_t *needed) {
    EXPECT(o, QUEUE);
    if (name == 0) return give(&o->parent, sizeof o->parent, size, out, needed);
    if (name == 1) return give(&o->device, sizeof o->device, size, out, needed);
    return 54;
}
static uint32_t events_wait(object *q, uint32_t count, object *const *list, object **out) {
    (void)count; (void)list;
    EXPECT(q, QUEUE);
    if (out) *out = make(EVENT, q, q->parent);
    return 0;
}
static uint32_t event_info(object *o, uint32_t name, size_t size, void *out, size_t *needed) {
    EXPECT(o, EVENT);
    if (name == 0) return give(&o->parent, sizeof o->parent, size, out, needed);
    if (name == 1) return give(&o->device, sizeof o->device, size, out, needed);
    return 54;
}
/* Fails, and gives a program for its log all the same. */
static uint32_t program_link(object *c, uint32_t count, object *const *list, const char *options, object **out) {
    (void)count; (void)list; (void)options;
    EXPECT(c, CONTEXT);
    *out = make(PROGRAM, c, 0);
    return 42;
}
static uint32_t program_info(object *o, uint32_t name, size_t size, void *out, size_t *needed) {
    EXPECT(o, PROGRAM);
    if (name == 1) return give(&o->parent, sizeof o->parent, size, out, needed);
    return 54;
}
static uint32_t kernel_create(object *p, const char *name, object **out) {
    EXPECT(p, PROGRAM);
    if (strcmp(name, "fails") == 0) return 29;
    *out = make(KERNEL, p, 0);
    return 0;
}
/* The number of registers is the sum of what was set. */
static uint32_t kernel_info(object *o, uint32_t name, size_t size, void *out, size_t *needed) {
    EXPECT(o, KERNEL);
    uint32_t sum = (uint32_t)(o->arguments[0] + o->arguments[1] + o->arguments[2] + o->arguments[3]);
    if (name == 4) return give(&o->parent, sizeof o->parent, size, out, needed);
    if (name == 6) return give(&sum, sizeof sum, size, out, needed);
    return 54;
}
static uint32_t finish(object *q) { EXPECT(q, QUEUE); return 0; }

#ifdef HAS_urKernelSetArgValue
static uint32_t set_value(object *k, uint32_t index, size_t size, const void *how, const void *value) {
    (void)how;
    EXPECT(k, KERNEL);
    if (index >= 4 || size > 8) return 30;
    memcpy(&k->arguments[index], value, size);
    return 0;
}
static uint32_t set_local(object *k, uint32_t index, size_t size, const void *how) {
    (void)how;
    EXPECT(k, KERNEL);
    k->arguments[index] = size;
    return 0;
}
static uint32_t launch(object *q, object *k, uint32_t dim, const size_t *offset, const size_t *global,
                       const size_t *local, const void *how, uint32_t count, object *const *list, object **out) {
    (void)offset; (void)local; (void)how; (void)list;
    EXPECT(q, QUEUE);
    EXPECT(k, KERNEL);
    if (dim != 1 || count != 0) return 4;
    k->arguments[3] += global[0];
    if (out) *out = make(EVENT, q, q->parent);
    return 0;
}
#endif

static void *const container[WORDS] = {
    [AT_urAdapterGet] = (void *)adapter_get, [AT_urAdapterRetain] = (void *)retain,
    [AT_urAdapterRelease] = (void *)release, [AT_urAdapterGetInfo] = (void *)adapter_info,
    [AT_urPlatformGet] = (void *)platform_get, [AT_urPlatformGetInfo] = (void *)platform_info,
    [AT_urDeviceGet] = (void *)device_get, [AT_urDeviceGetInfo] = (void *)device_info,
    [AT_urDevicePartition] = (void *)device_partition,
    [AT_urContextCreate] = (void *)context_create, [AT_urContextGetInfo] = (void *)context_info,
    [AT_urContextRetain] = (void *)retain, [AT_urContextRelease] = (void *)release,
    [AT_urQueueCreate] = (void *)queue_create, [AT_urQueueGetInfo] = (void *)queue_info,
    [AT_urQueueRelease] = (void *)release, [AT_urQueueFinish] = (void *)finish,
    [AT_urEnqueueEventsWait] = (void *)events_wait, [AT_urEventGetInfo] = (void *)event_info,
    [AT_urEventRelease] = (void *)release,
    [AT_urProgramLink] = (void *)program_link, [AT_urProgramGetInfo] = (void *)program_info,
    [AT_urProgramRelease] = (void *)release,
    [AT_urKernelCreate] = (void *)kernel_create, [AT_urKernelGetInfo] = (void *)kernel_info,
    [AT_urKernelRelease] = (void *)release,
#ifdef HAS_urKernelSetArgValue
    [AT_urKernelSetArgValue] = (void *)set_value, [AT_urKernelSetArgLocal] = (void *)set_local,
    [AT_urEnqueueKernelLaunch] = (void *)launch,
#endif
};

static uint32_t copy(uint32_t version, void **out, size_t words, size_t first) {
    if (version != 12) return 43;
    memcpy(out, container + first, words * sizeof *out);
    return 0;
}

#define TABLE(getter, words, first) \
    uint32_t getter(uint32_t version, void **out) { return copy(version, out, words, first); }
TABLES

/* A library in the place of XPTI's: says what it is told about calls. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct call {
    uint32_t function;
    const char *name;
    void **arguments;
    const uint32_t *result;
    void *user;
};
struct payload {
    const char *name, *stack, *file;
    uint32_t line, column;
};

static uint64_t ids;
static char events[100];

bool xptiTraceEnabled(void) { return true; }
uint8_t xptiRegisterStream(const char *stream) {
    fprintf(stderr, "stream %s\n", stream);
    return 5;
}
int xptiInitialize(const char *stream, uint32_t major, uint32_t minor, const char *version) {
    fprintf(stderr, "initialize %s %u.%u %s\n", stream, major, minor, version);
    return 0;
}
void xptiFinalize(const char *stream) { fprintf(stderr, "finalize %s\n", stream); }
bool xptiCheckTraceEnabled(uint8_t stream, uint16_t kind) {
    return stream == 5 && (kind == 28 || kind == 29);
}
uint64_t xptiGetUniqueId(void) { return ++ids; }
void *xptiMakeEvent(const char *name, const struct payload *payload, uint16_t kind, uint8_t activity,
                    uint64_t *instance) {
    fprintf(stderr, "event %s: %s %s:%u:%u kind %u\n", name, payload->name, payload->file ? payload->file : "-",
           payload->line, payload->column, kind);
    *instance = 1;
    return activity == 1 ? events : NULL;
}
int xptiNotifySubscribers(uint8_t stream, uint16_t kind, void *parent, void *event, uint64_t instance,
                          const struct call *call) {
    fprintf(stderr, "%u %s %llu %s/%u%s%s", stream, kind == 28 ? "begin" : kind == 29 ? "end" : "?",
           (unsigned long long)instance, call->name, call->function, parent ? " parent" : "",
           event == events ? "" : " no event");
    /* The first argument of urAdapterGet is a number. */
    if (strcmp(call->name, "urAdapterGet") == 0) fprintf(stderr, " of %u", *(uint32_t *)call->arguments[0]);
    /* The third one of this function, which release 2026.2 has no more, is a size. */
    if (strcmp(call->name, "urKernelSetArgLocal") == 0) fprintf(stderr, " of %zu", *(size_t *)call->arguments[2]);
    if (call->result) fprintf(stderr, " -> %u", *call->result);
    fprintf(stderr, "\n");
    return 0;
}

/* Has callgrind count the instructions of calls. argv: the loader, then for each function its name
 * and "handle" or "array", for what its first handle is in. The adapter must answer every call.
 * Counts come in parts named NAME:through and NAME:direct, a thousand calls each. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <valgrind/callgrind.h>

typedef struct handle { void *const *table; } *handle;
/* More arguments than any of the functions takes: they lie where the callee expects its own. */
typedef uint32_t (*function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                             uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

enum { CALLS = 1000 };

static void calls(function volatile *called, uintptr_t first, uintptr_t second) {
    for (int i = 0; i < CALLS; i++) (*called)(first, second, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
}

static void count(const char *name, const char *how, function called, uintptr_t first, uintptr_t second) {
    char part[100];
    function volatile place = called;
    snprintf(part, sizeof part, "%s:%s", name, how);
    /* What is only done once is done. */
    calls(&place, first, second);
    CALLGRIND_ZERO_STATS;
    calls(&place, first, second);
    CALLGRIND_DUMP_STATS_AT(part);
}

int main(int words, char **word) {
    void *loader = dlopen(word[1], RTLD_NOW | RTLD_LOCAL);
    if (!loader) { fprintf(stderr, "%s\n", dlerror()); return 1; }
    uint32_t (*init)(uint32_t, void *) = (uint32_t (*)(uint32_t, void *))dlsym(loader, "urLoaderInit");
    uint32_t (*get)(uint32_t, handle *, uint32_t *) = (uint32_t (*)(uint32_t, handle *, uint32_t *))dlsym(loader, "urAdapterGet");
    handle adapters[8] = {0};
    uint32_t adapter_count = 0;
    if (init(0, NULL) != 0 || get(8, adapters, &adapter_count) != 0 || adapter_count == 0) return 2;
    /* Of the last adapter, which a search would find last. */
    handle last = adapters[adapter_count - 1];
    /* Its second entry answers like all others. */
    function direct = (function)last->table[1];
    for (int i = 2; i + 1 < words; i += 2) {
        function through = (function)dlsym(loader, word[i]);
        int array = !strcmp(word[i + 1], "array");
        uintptr_t first = array ? 1 : (uintptr_t)last, second = array ? (uintptr_t)&last : 1;
        if (!through || through(first, second, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1) != 0) {
            fprintf(stderr, "%s fails\n", word[i]);
            return 3;
        }
        count(word[i], "through", through, first, second);
        count(word[i], "direct", direct, first, second);
    }
    printf("%u adapters\n", adapter_count);
    return 0;
}

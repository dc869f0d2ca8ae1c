// A program that uses a loader or an adapter, opened by name, and then ends in a given way.
// Arguments: library, state, ending.

#include <concord/ur_api.h>
#include <concord/ur_ddi.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CODE = 37, SIZE = 8 << 20 };

static void *library;

// The functions that the program calls, from a loader by name and from an adapter by table.
static ur_adapter_dditable_t adapter_table;
static ur_platform_dditable_t platform_table;
static ur_device_dditable_t device_table;
static ur_context_dditable_t context_table;
static ur_queue_dditable_t queue_table;
static ur_event_dditable_t event_table;
static ur_enqueue_dditable_t enqueue_table;
static ur_enqueue_exp_dditable_t enqueue_exp_table;

#define FAIL(what) (fprintf(stderr, "%s failed\n", what), exit(90))
#define CHECK(call) do { if ((call) != UR_RESULT_SUCCESS) FAIL(#call); } while (0)

#define READ(getter, table) do { \
    ur_result_t (*get)(ur_api_version_t, void *) = \
        (ur_result_t (*)(ur_api_version_t, void *))dlsym(library, getter); \
    if (!get || get(UR_API_VERSION_CURRENT, table) != UR_RESULT_SUCCESS) FAIL(getter); } while (0)

#define NAME(place, name) *(void **)&(place) = dlsym(library, name)

static void open_library(const char *path) {
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) FAIL(dlerror());
    ur_result_t (*init)(ur_device_init_flags_t, ur_loader_config_handle_t);
    NAME(init, "urLoaderInit");
    if (!init) {
        READ("urGetAdapterProcAddrTable", &adapter_table);
        READ("urGetPlatformProcAddrTable", &platform_table);
        READ("urGetDeviceProcAddrTable", &device_table);
        READ("urGetContextProcAddrTable", &context_table);
        READ("urGetQueueProcAddrTable", &queue_table);
        READ("urGetEventProcAddrTable", &event_table);
        READ("urGetEnqueueProcAddrTable", &enqueue_table);
        READ("urGetEnqueueExpProcAddrTable", &enqueue_exp_table);
        return;
    }
    CHECK(init(0, NULL));
    NAME(adapter_table.pfnGet, "urAdapterGet");
    NAME(adapter_table.pfnRelease, "urAdapterRelease");
    NAME(platform_table.pfnGet, "urPlatformGet");
    NAME(device_table.pfnGet, "urDeviceGet");
    NAME(context_table.pfnCreate, "urContextCreate");
    NAME(context_table.pfnRelease, "urContextRelease");
    NAME(queue_table.pfnCreate, "urQueueCreate");
    NAME(queue_table.pfnRelease, "urQueueRelease");
    NAME(queue_table.pfnFinish, "urQueueFinish");
    NAME(event_table.pfnWait, "urEventWait");
    NAME(event_table.pfnRelease, "urEventRelease");
    NAME(enqueue_table.pfnUSMFill, "urEnqueueUSMFill");
    NAME(enqueue_table.pfnEventsWait, "urEnqueueEventsWait");
    NAME(enqueue_exp_table.pfnHostTaskExp, "urEnqueueHostTaskExp");
}

static ur_adapter_handle_t adapter;
static ur_device_handle_t device;
static ur_context_handle_t context;
static ur_queue_handle_t queue;
static char memory[SIZE];

static void fill(ur_queue_handle_t on) {
    char three = 3;
    CHECK(enqueue_table.pfnUSMFill(on, memory, 1, &three, SIZE, 0, NULL, NULL));
}

// What an atexit handler still does: on a queue of its own, since the other may be blocked.
static void last_calls(void) {
    ur_queue_handle_t own;
    ur_event_handle_t event;
    CHECK(queue_table.pfnCreate(context, device, NULL, &own));
    fill(own);
    CHECK(enqueue_table.pfnEventsWait(own, 0, NULL, &event));
    CHECK(event_table.pfnWait(1, &event));
    CHECK(event_table.pfnRelease(event));
    CHECK(queue_table.pfnRelease(own));
}

static void block(void *data) {
    (void)data;
    for (;;) pause();
}

static pthread_barrier_t begun;

static void *busy(void *data) {
    (void)data;
    for (int round = 0;; round++) {
        fill(queue);
        CHECK(queue_table.pfnFinish(queue));
        if (round == 0) pthread_barrier_wait(&begun);
    }
    return NULL;
}

// Says when the process begins to end.
static void leaving(void) {
    struct timespec now;
    char line[64];
    clock_gettime(CLOCK_MONOTONIC, &now);
    int len = snprintf(line, sizeof line, "\nleaving at %lld%09ld\n", (long long)now.tv_sec, now.tv_nsec);
    if (write(1, line, len) != len) FAIL("write");
}

static void *exits(void *data) {
    leaving();
    exit(data ? CODE : CODE);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) return 91;
    const char *state = argv[2], *ending = argv[3];
    open_library(argv[1]);
    ur_platform_handle_t platform;
    CHECK(adapter_table.pfnGet(1, &adapter, NULL));
    CHECK(platform_table.pfnGet(adapter, 1, &platform, NULL));
    CHECK(device_table.pfnGet(platform, UR_DEVICE_TYPE_ALL, 1, &device, NULL));
    CHECK(context_table.pfnCreate(1, &device, NULL, &context));
    CHECK(queue_table.pfnCreate(context, device, NULL, &queue));
    fill(queue);
    if (!strcmp(state, "idle")) {
        CHECK(queue_table.pfnFinish(queue));
    } else if (!strcmp(state, "released")) {
        CHECK(queue_table.pfnFinish(queue));
        CHECK(queue_table.pfnRelease(queue));
        CHECK(context_table.pfnRelease(context));
        CHECK(adapter_table.pfnRelease(adapter));
    } else if (!strcmp(state, "blocked")) {
        CHECK(enqueue_exp_table.pfnHostTaskExp(queue, block, NULL, NULL, 0, NULL, NULL));
        fill(queue);
    } else if (!strcmp(state, "busy")) {
        pthread_barrier_init(&begun, NULL, 3);
        for (int i = 0; i < 2; i++) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, busy, NULL)) FAIL("pthread_create");
        }
        pthread_barrier_wait(&begun);
    } else if (strcmp(state, "pending")) {
        return 92;
    }
    if (!strcmp(ending, "return")) {
        leaving();
        return CODE;
    }
    if (!strcmp(ending, "exit")) exits(NULL);
    if (!strcmp(ending, "quick_exit")) {
        leaving();
        quick_exit(CODE);
    }
    if (!strcmp(ending, "_exit")) {
        leaving();
        _exit(CODE);
    }
    if (!strcmp(ending, "atexit")) {
        if (atexit(last_calls)) FAIL("atexit");
        exits(NULL);
    }
    if (!strcmp(ending, "thread")) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, exits, NULL)) FAIL("pthread_create");
        pthread_join(thread, NULL);
    }
    if (!strcmp(ending, "dlclose")) {
        leaving();
        if (dlclose(library)) FAIL("dlclose");
        return CODE;
    }
    if (!strcmp(ending, "reopen")) {
        // The workers may still run what was pending; the library must be as it was.
        leaving();
        if (dlclose(library)) FAIL("dlclose");
        open_library(argv[1]);
        CHECK(adapter_table.pfnGet(1, &adapter, NULL));
        return CODE;
    }
    return 93;
}

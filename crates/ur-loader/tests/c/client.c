/* A C program on the loader: runs the commands it is given and prints one line for each. */
#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

typedef struct handle *handle;
uint32_t urLoaderInit(uint32_t, handle);
uint32_t urLoaderTearDown(void);
uint32_t urLoaderConfigCreate(handle *);
uint32_t urLoaderConfigRetain(handle);
uint32_t urLoaderConfigRelease(handle);
uint32_t urLoaderConfigGetInfo(handle, uint32_t, size_t, void *, size_t *);
uint32_t urLoaderConfigEnableLayer(handle, const char *);
uint32_t urLoaderConfigSetMockingEnabled(handle, uint8_t);
uint32_t urAdapterGet(uint32_t, handle *, uint32_t *);
uint32_t urAdapterRelease(handle);
uint32_t urAdapterGetInfo(handle, uint32_t, size_t, void *, size_t *);
uint32_t urPlatformGet(handle, uint32_t, handle *, uint32_t *);
uint32_t urPlatformGetInfo(handle, uint32_t, size_t, void *, size_t *);
uint32_t urDeviceGetSelected(handle, uint32_t, uint32_t, handle *, uint32_t *);
uint32_t urDeviceGetInfo(handle, uint32_t, size_t, void *, size_t *);
uint32_t urDeviceRelease(handle);
uint32_t urContextCreate(uint32_t, const handle *, const void *, handle *);
uint32_t urKernelSetArgLocal(handle, uint32_t, size_t, const void *);

enum { ROOM = 64 };

/* An adapter has a function of this name, too. */
const char *ur_test_probe(void);
const char *ur_test_probe(void) { return "of the program"; }

static void get(void) {
    handle adapters[ROOM];
    uint32_t count = 0, result = urAdapterGet(0, NULL, &count);
    printf("get %u count %u:", result, count);
    if (result == 0 && count <= ROOM && count > 0) {
        result = urAdapterGet(count, adapters, NULL);
        for (uint32_t i = 0; result == 0 && i < count; i++) {
            handle platform = NULL;
            char name[100] = "?";
            urPlatformGet(adapters[i], 1, &platform, NULL);
            urPlatformGetInfo(platform, 1, sizeof name, name, NULL);
            printf(" [%s]", name);
            urAdapterRelease(adapters[i]);
        }
    }
    printf("\n");
}

/* Lists what is selected on each platform, gives all of it back, and says how many references
 * the adapter still counts (our own one is the last). */
static void selected(uint32_t type) {
    handle adapters[ROOM];
    uint32_t count = 0;
    if (urAdapterGet(0, NULL, &count) != 0 || urAdapterGet(count, adapters, NULL) != 0) return;
    for (uint32_t i = 0; i < count; i++) {
        handle platform = NULL, devices[ROOM];
        uint32_t found = 99, again = 99, left = 99;
        urPlatformGet(adapters[i], 1, &platform, NULL);
        uint32_t result = urDeviceGetSelected(platform, type, 0, NULL, &found);
        printf("selected %u", result);
        if (result == 0) {
            printf(" count %u:", found);
            if (found > 0) urDeviceGetSelected(platform, type, found, devices, &again);
            for (uint32_t d = 0; d < found; d++) {
                char name[100] = "?";
                urDeviceGetInfo(devices[d], 0x2000, sizeof name, name, NULL);
                printf(" [%s]", name);
                urDeviceRelease(devices[d]);
            }
        }
        urAdapterGetInfo(adapters[i], 0x1000, sizeof left, &left, NULL);
        printf(" left %u\n", left);
        urAdapterRelease(adapters[i]);
    }
}

static void *use(void *unused) {
    (void)unused;
    for (int i = 0; i < 200; i++) {
        handle adapters[ROOM];
        uint32_t count = 0;
        if (urLoaderInit(0, NULL) != 0) return "init";
        if (urAdapterGet(0, NULL, &count) != 0 || count == 0) return "count";
        if (urAdapterGet(count, adapters, NULL) != 0) return "get";
        for (uint32_t a = 0; a < count; a++) {
            uint32_t backend = 0;
            if (urAdapterGetInfo(adapters[a], 0, 4, &backend, NULL) != 0 || backend == 0) return "info";
        }
        if (urLoaderTearDown() != 0) return "teardown";
    }
    return NULL;
}

static void threads(int number) {
    pthread_t ids[ROOM];
    const char *failed = NULL;
    for (int i = 0; i < number; i++) pthread_create(&ids[i], NULL, use, NULL);
    for (int i = 0; i < number; i++) {
        void *answer;
        pthread_join(ids[i], &answer);
        if (answer) failed = answer;
    }
    printf("threads %s; then teardown %u\n", failed ? failed : "fine", urLoaderTearDown());
}

/* Bytes that malloc has handed out, ours and the loader's. */
static long heap(void) {
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
}

static int descriptors(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder)) count++;
    if (folder) closedir(folder);
    return count;
}

static void loop(int number) {
    long before = 0;
    int open = 0;
    for (int i = 0; i < number; i++) {
        if (i == number / 2) { before = heap(); open = descriptors(); }
        use(NULL);
    }
    printf("loop grew %ld bytes, %d descriptors\n", heap() - before, descriptors() - open);
}

static void config(void) {
    handle c = NULL;
    uint32_t count = 0;
    size_t needed = 0;
    char layers[300] = "none";
    uint32_t result = urLoaderConfigCreate(&c);
    printf("config %u", result);
    result = urLoaderConfigRetain(c);
    printf(" retain %u", result);
    result = urLoaderConfigGetInfo(c, 1, 4, &count, &needed);
    printf(" count %u=%u/%zu", result, count, needed);
    result = urLoaderConfigGetInfo(c, 0, sizeof layers, layers, &needed);
    printf(" layers %u='%s'/%zu", result, layers, needed);
    printf(" unknown %u", urLoaderConfigGetInfo(c, 77, 4, &count, NULL));
    printf(" small %u", urLoaderConfigGetInfo(c, 1, 3, &count, NULL));
    printf(" layer %u", urLoaderConfigEnableLayer(c, "UR_LAYER_TRACING"));
    printf("/%u", urLoaderConfigEnableLayer(c, "UR_LAYER_ASAN"));
    printf("/%u", urLoaderConfigEnableLayer(c, "UR_LAYER_TRACING;tracing"));
    printf(" release %u", urLoaderConfigRelease(c));
    printf(" init %u", urLoaderInit(0, c));
    printf(" release %u", urLoaderConfigRelease(c));
    printf(" null %u %u\n", urLoaderConfigCreate(NULL), urLoaderConfigRelease(NULL));
}

static void nulls(void) {
    handle adapters[ROOM], platform = NULL, context = NULL;
    uint32_t count = 0;
    urAdapterGet(ROOM, adapters, &count);
    printf("nulls handle %u", urAdapterGetInfo(NULL, 0, 4, &count, NULL));
    printf(" selected %u", urDeviceGetSelected(NULL, 2, 0, NULL, &count));
    printf(" devices %u %u", urContextCreate(0, adapters, NULL, &context), urContextCreate(1, NULL, NULL, &context));
    /* The test adapter has no such entry: any live handle will do. */
    urPlatformGet(adapters[0], 1, &platform, NULL);
    printf(" entry %u", urContextCreate(1, &platform, NULL, &context));
    printf(" removed %u", urKernelSetArgLocal(NULL, 0, 4, NULL));
    printf(" %u\n", urKernelSetArgLocal(platform, 0, 4, NULL));
}

int main(int count, char **words) {
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 1; i < count; i++) {
        const char *word = words[i];
        const char *equals = strchr(word, '=');
        int number = equals ? atoi(equals + 1) : 0;
        if (!strncmp(word, "init", 4)) printf("init %u\n", urLoaderInit((uint32_t)number, NULL));
        else if (!strcmp(word, "teardown")) printf("teardown %u\n", urLoaderTearDown());
        else if (!strcmp(word, "get")) get();
        else if (!strncmp(word, "selected", 8)) selected((uint32_t)number);
        else if (!strncmp(word, "threads", 7)) threads(number);
        else if (!strncmp(word, "loop", 4)) loop(number);
        else if (!strcmp(word, "config")) config();
        else if (!strcmp(word, "nulls")) nulls();
        else if (!strcmp(word, "forget")) printf("forget %d\n", unsetenv("UR_ADAPTERS_FORCE_LOAD"));
        else if (!strcmp(word, "secure")) printf("secure %lu\n", getauxval(AT_SECURE));
        else if (!strcmp(word, "mock")) {
            handle c;
            urLoaderConfigCreate(&c);
            urLoaderConfigSetMockingEnabled(c, 1);
            printf("mock %u\n", urLoaderInit(0, c));
            urLoaderConfigRelease(c);
        } else { fprintf(stderr, "unknown command %s\n", word); return 2; }
    }
    return 0;
}

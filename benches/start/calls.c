/* What a loader takes to start. argv: the loader, then libraries that the process has before it.
 * Prints nanoseconds of the processor, which no other process can add to: opening the loader,
 * urLoaderInit, urAdapterGet, urLoaderTearDown. Nothing of these waits for anything. */
#include <concord/ur_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **words) {
    ur_adapter_handle_t adapters[16];
    uint32_t found = 0;
    if (count < 2) return 2;
    for (int i = 2; i < count; i++)
        if (!dlopen(words[i], RTLD_NOW | RTLD_GLOBAL)) return fprintf(stderr, "%s\n", dlerror()), 1;
    long long begin = now();
    void *loader = dlopen(words[1], RTLD_NOW);
    long long opened = now();
    if (!loader) return fprintf(stderr, "%s\n", dlerror()), 1;
    ur_result_t (*init)(ur_device_init_flags_t, ur_loader_config_handle_t) = (void *)dlsym(loader, "urLoaderInit");
    ur_result_t (*get)(uint32_t, ur_adapter_handle_t *, uint32_t *) = (void *)dlsym(loader, "urAdapterGet");
    ur_result_t (*tear_down)(void) = (void *)dlsym(loader, "urLoaderTearDown");
    if (!init || !get || !tear_down) return 1;
    long long ready = now();
    ur_result_t result = init(0, NULL);
    long long initialised = now();
    if (result != UR_RESULT_SUCCESS || get(16, adapters, &found) != UR_RESULT_SUCCESS) return 1;
    long long got = now();
    if (tear_down() != UR_RESULT_SUCCESS) return 1;
    printf("%lld %lld %lld %lld\n", opened - begin, initialised - ready, got - initialised, now() - got);
    return 0;
}

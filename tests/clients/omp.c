/* What a compiler makes of an OpenMP program that offloads, without any kernel: it registers itself
 * with the offloading runtime, asks for devices, and moves memory to each and back.
 *
 * With MOCK_ADAPTER, the path of the mock adapter, that passes for a GPU of Level Zero, the only
 * kind of device that the runtime takes. The loader opens the same file later and finds it as it
 * was set up here. */
#include <concord/ur_mock.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the compiler writes down about a program's images; this one has none. */
struct program {
    int32_t images;
    void *first_image, *first_entry, *last_entry;
};

/* The runtime, by the names that the compiler and the OpenMP standard give. */
void __tgt_register_lib(struct program *);
void __tgt_unregister_lib(struct program *);
void __tgt_init_all_rtls(void);
int omp_get_num_devices(void);
int omp_get_initial_device(void);
void *omp_target_alloc(size_t size, int device);
void omp_target_free(void *memory, int device);
int omp_target_memcpy(void *to, const void *from, size_t size, size_t to_offset, size_t from_offset,
                      int to_device, int from_device);

/* The question about a device that this thread's call asks; the mock is asked another one if it
 * does not know it. */
static _Thread_local ur_device_info_t asked;

static ur_result_t adapter_says(void *params, void *user) {
    const ur_adapter_get_info_params_t *p = params;
    (void)user;
    if (*p->ppropName == UR_ADAPTER_INFO_BACKEND && *p->ppPropValue)
        *(ur_backend_t *)*p->ppPropValue = UR_BACKEND_LEVEL_ZERO;
    return UR_RESULT_SUCCESS;
}

static ur_result_t platform_says(void *params, void *user) {
    const ur_platform_get_info_params_t *p = params;
    (void)user;
    if (*p->ppropName == UR_PLATFORM_INFO_BACKEND && *p->ppPropValue)
        *(ur_backend_t *)*p->ppPropValue = UR_BACKEND_LEVEL_ZERO;
    return UR_RESULT_SUCCESS;
}

static ur_result_t devices_wanted(void *params, void *user) {
    const ur_device_get_params_t *p = params;
    (void)user;
    if (*p->pDeviceType == UR_DEVICE_TYPE_GPU) *p->pDeviceType = UR_DEVICE_TYPE_ALL;
    return UR_RESULT_SUCCESS;
}

/* What the runtime asks of a GPU and the mock does not know: a question of the mock's whose answer
 * is as long, or none. */
static ur_device_info_t instead(ur_device_info_t info) {
    switch (info) {
    case UR_DEVICE_INFO_DEVICE_ID:
    case UR_DEVICE_INFO_GPU_EU_COUNT:
    case UR_DEVICE_INFO_GPU_EU_SIMD_WIDTH:
    case UR_DEVICE_INFO_GPU_EU_SLICES:
    case UR_DEVICE_INFO_GPU_EU_COUNT_PER_SUBSLICE:
    case UR_DEVICE_INFO_GPU_SUBSLICES_PER_SLICE:
    case UR_DEVICE_INFO_GPU_HW_THREADS_PER_EU:
    case UR_DEVICE_INFO_IP_VERSION:
    case UR_DEVICE_INFO_MAX_CLOCK_FREQUENCY:
        return UR_DEVICE_INFO_MAX_COMPUTE_UNITS;
    case UR_DEVICE_INFO_UUID:
        return UR_DEVICE_INFO_NAME;
    case UR_DEVICE_INFO_LOCAL_MEM_SIZE:
    case UR_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE:
        return UR_DEVICE_INFO_GLOBAL_MEM_SIZE;
    default:
        return info;
    }
}

static ur_result_t device_asked(void *params, void *user) {
    const ur_device_get_info_params_t *p = params;
    (void)user;
    asked = *p->ppropName;
    *p->ppropName = instead(asked);
    return UR_RESULT_SUCCESS;
}

static ur_result_t device_says(void *params, void *user) {
    const ur_device_get_info_params_t *p = params;
    (void)user;
    if (!*p->ppPropValue) return UR_RESULT_SUCCESS;
    if (asked == UR_DEVICE_INFO_TYPE) *(ur_device_type_t *)*p->ppPropValue = UR_DEVICE_TYPE_GPU;
    if (instead(asked) == UR_DEVICE_INFO_MAX_COMPUTE_UNITS) *(uint32_t *)*p->ppPropValue = 8;
    return UR_RESULT_SUCCESS;
}

/* Makes the mock a GPU of Level Zero. */
static int pretend(const char *path) {
    ur_result_t (*set)(ur_function_t, uint32_t, ur_mock_callback_t, void *);
    void *mock = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!mock) {
        fprintf(stderr, "%s\n", dlerror());
        return 0;
    }
    *(void **)&set = dlsym(mock, "ur_mock_set_callback");
    if (!set) return 0;
    set(UR_FUNCTION_ADAPTER_GET_INFO, UR_MOCK_AFTER, adapter_says, NULL);
    set(UR_FUNCTION_PLATFORM_GET_INFO, UR_MOCK_AFTER, platform_says, NULL);
    set(UR_FUNCTION_DEVICE_GET, UR_MOCK_BEFORE, devices_wanted, NULL);
    set(UR_FUNCTION_DEVICE_GET_INFO, UR_MOCK_BEFORE, device_asked, NULL);
    set(UR_FUNCTION_DEVICE_GET_INFO, UR_MOCK_AFTER, device_says, NULL);
    return 1;
}

enum { N = 1024 };

/* Moves numbers to a device and back; whether they came back. */
static int moves(int device) {
    int host = omp_get_initial_device(), right = 1;
    int *to = malloc(N * sizeof *to), *from = calloc(N, sizeof *from);
    void *memory = omp_target_alloc(N * sizeof *to, device);
    for (int i = 0; i < N; i++) to[i] = 3 * i + 1;
    int there = memory ? omp_target_memcpy(memory, to, N * sizeof *to, 0, 0, device, host) : -1;
    /* The second half alone, to the place where it belongs. */
    size_t half = N / 2 * sizeof *to;
    int first = memory ? omp_target_memcpy(from, memory, half, 0, 0, host, device) : -1;
    int second = memory ? omp_target_memcpy(from, memory, half, half, half, host, device) : -1;
    for (int i = 0; i < N; i++) right &= from[i] == to[i];
    printf("client: device %d: memory %s, copies %d %d %d, %s\n", device, memory ? "given" : "refused",
           there, first, second, right ? "equal" : "not equal");
    if (memory) omp_target_free(memory, device);
    free(to);
    free(from);
    return right;
}

/* Says which loader the process has. */
static void loader(void) {
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/');
        if (path && strstr(path, "libur_loader")) {
            printf("loader: %s", path);
            break;
        }
    }
    if (maps) fclose(maps);
}

int main(void) {
    static struct program program;
    const char *mock = getenv("MOCK_ADAPTER");
    int right = 1;
    setvbuf(stdout, NULL, _IONBF, 0);
    loader();
    if (mock && !pretend(mock)) return 2;
    __tgt_register_lib(&program);
    __tgt_init_all_rtls();
    int devices = omp_get_num_devices();
    printf("client: %d devices, the host is %d\n", devices, omp_get_initial_device());
    for (int device = 0; device < devices; device++) right &= moves(device);
    __tgt_unregister_lib(&program);
    printf("client: done\n");
    return !right;
}

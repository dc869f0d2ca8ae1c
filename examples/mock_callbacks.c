/* Testing a program's use of the API against the mock adapter, with callbacks in C.
 *
 *   cc -I target/dist/include examples/mock_callbacks.c target/dist/lib/libur_loader.so.0 \
 *      target/dist/lib/libur_adapter_mock.so.0 -Wl,-rpath,target/dist/lib -o mock_callbacks
 */
#include <concord/ur_mock.h>
#include <stdio.h>
#include <stdlib.h>

static void check(const char *call, ur_result_t result) {
    if (result != UR_RESULT_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", call, (int)result);
        exit(1);
    }
}
#define CHECK(call) check(#call, call)

/* The third context that the program makes fails. */
static ur_result_t before_context(void *params, void *user) {
    int *made = user;
    (void)params;
    return ++*made == 3 ? UR_RESULT_ERROR_OUT_OF_RESOURCES : UR_RESULT_SUCCESS;
}

/* The device says it has 7 compute units. */
static ur_result_t in_place_of_info(void *params, void *user) {
    const ur_device_get_info_params_t *p = params;
    (void)user;
    if (*p->ppropName != UR_DEVICE_INFO_MAX_COMPUTE_UNITS) return UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
    *(uint32_t *)*p->ppPropValue = 7;
    return UR_RESULT_SUCCESS;
}

/* Queues are counted when they are there. */
static ur_result_t after_queue(void *params, void *user) {
    const ur_queue_create_params_t *p = params;
    if (**p->pphQueue) ++*(int *)user;
    return UR_RESULT_SUCCESS;
}

int main(void) {
    ur_loader_config_handle_t config;
    ur_adapter_handle_t adapter;
    ur_platform_handle_t platform;
    ur_device_handle_t device;
    int contexts = 0, queues = 0;
    uint32_t units = 0;

    CHECK(urLoaderConfigCreate(&config));
    CHECK(urLoaderConfigSetMockingEnabled(config, true));
    CHECK(urLoaderInit(0, config));
    CHECK(urLoaderConfigRelease(config));
    CHECK(urAdapterGet(1, &adapter, NULL));
    CHECK(urPlatformGet(adapter, 1, &platform, NULL));
    CHECK(urDeviceGet(platform, UR_DEVICE_TYPE_ALL, 1, &device, NULL));

    CHECK(ur_mock_set_callback(UR_FUNCTION_CONTEXT_CREATE, UR_MOCK_BEFORE, before_context, &contexts));
    CHECK(ur_mock_set_callback(UR_FUNCTION_QUEUE_CREATE, UR_MOCK_AFTER, after_queue, &queues));
    for (int number = 1; number <= 4; number++) {
        ur_context_handle_t context;
        ur_queue_handle_t queue;
        ur_result_t result = urContextCreate(1, &device, NULL, &context);
        printf("context %d: %d\n", number, (int)result);
        if (result != UR_RESULT_SUCCESS) continue;
        CHECK(urQueueCreate(context, device, NULL, &queue));
        CHECK(urQueueRelease(queue));
        CHECK(urContextRelease(context));
    }
    printf("queues: %d\n", queues);

    CHECK(ur_mock_set_callback(UR_FUNCTION_DEVICE_GET_INFO, UR_MOCK_REPLACE, in_place_of_info, NULL));
    CHECK(urDeviceGetInfo(device, UR_DEVICE_INFO_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    printf("compute units: %u\n", units);
    CHECK(ur_mock_set_callback(UR_FUNCTION_DEVICE_GET_INFO, UR_MOCK_REPLACE, NULL, NULL));
    CHECK(urDeviceGetInfo(device, UR_DEVICE_INFO_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    printf("without a callback: %u\n", units);
    printf("no such moment: %d\n", (int)ur_mock_set_callback(UR_FUNCTION_DEVICE_GET_INFO, 3, NULL, NULL));

    CHECK(urDeviceRelease(device));
    CHECK(urAdapterRelease(adapter));
    CHECK(urLoaderTearDown());
    printf("objects left: %zu\n", ur_mock_live_objects());
    return 0;
}

/* A program that needs no other file: the loader and the native CPU adapter are part of it.
 *
 *   cargo build --release -p ur-static
 *   cc -I include examples/static_devices.c target/release/libur_static.a -lgcc_s -lm -o devices
 *
 * It lists the devices and has each of them copy a text. */
#include <concord/ur_static.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(const char *call, ur_result_t result) {
    if (result != UR_RESULT_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", call, (int)result);
        exit(1);
    }
}
#define CHECK(call) check(#call, call)

static void try_device(ur_device_handle_t device) {
    static const char text[] = "copied";
    char name[256];
    void *memory = NULL;
    ur_context_handle_t context;
    ur_queue_handle_t queue;
    CHECK(urDeviceGetInfo(device, UR_DEVICE_INFO_NAME, sizeof name, name, NULL));
    CHECK(urContextCreate(1, &device, NULL, &context));
    CHECK(urQueueCreate(context, device, NULL, &queue));
    CHECK(urUSMHostAlloc(context, NULL, NULL, sizeof text, &memory));
    CHECK(urEnqueueUSMMemcpy(queue, true, memory, text, sizeof text, 0, NULL, NULL));
    printf("%s: %s\n", name, (const char *)memory);
    CHECK(urUSMFree(context, memory));
    CHECK(urQueueRelease(queue));
    CHECK(urContextRelease(context));
}

int main(void) {
    ur_adapter_handle_t adapters[16];
    uint32_t adapter_count = 0;
    ur_static_native_cpu();
    CHECK(urLoaderInit(0, NULL));
    CHECK(urAdapterGet(16, adapters, &adapter_count));
    for (uint32_t a = 0; a < adapter_count && a < 16; a++) {
        ur_platform_handle_t platforms[16];
        uint32_t platform_count = 0;
        CHECK(urPlatformGet(adapters[a], 16, platforms, &platform_count));
        for (uint32_t p = 0; p < platform_count && p < 16; p++) {
            ur_device_handle_t devices[16];
            uint32_t device_count = 0;
            CHECK(urDeviceGetSelected(platforms[p], UR_DEVICE_TYPE_ALL, 16, devices, &device_count));
            for (uint32_t d = 0; d < device_count && d < 16; d++) {
                try_device(devices[d]);
                CHECK(urDeviceRelease(devices[d]));
            }
        }
        CHECK(urAdapterRelease(adapters[a]));
    }
    CHECK(urLoaderTearDown());
    return 0;
}

/* Lists platforms and devices with any loader: what `ur info` is measured against. */
#include <concord/ur_api.h>
#include <stdio.h>

static void device(ur_device_handle_t device) {
    static const ur_device_info_t texts[] = {UR_DEVICE_INFO_NAME, UR_DEVICE_INFO_VENDOR, UR_DEVICE_INFO_DRIVER_VERSION};
    uint64_t memory = 0;
    uint32_t units = 0;
    for (int i = 0; i < 3; i++) {
        char text[4096] = "";
        urDeviceGetInfo(device, texts[i], sizeof text, text, NULL);
        printf("  %s\n", text);
    }
    urDeviceGetInfo(device, UR_DEVICE_INFO_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    urDeviceGetInfo(device, UR_DEVICE_INFO_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    printf("  %llu bytes, %u units\n", (unsigned long long)memory, units);
    urDeviceRelease(device);
}

int main(void) {
    ur_adapter_handle_t adapters[16];
    uint32_t adapter_count = 0;
    if (urLoaderInit(0, NULL) != UR_RESULT_SUCCESS) return 1;
    if (urAdapterGet(16, adapters, &adapter_count) != UR_RESULT_SUCCESS) return 1;
    for (uint32_t a = 0; a < adapter_count && a < 16; a++) {
        ur_platform_handle_t platforms[16];
        uint32_t platform_count = 0;
        urPlatformGet(adapters[a], 16, platforms, &platform_count);
        for (uint32_t p = 0; p < platform_count && p < 16; p++) {
            ur_device_handle_t devices[16];
            uint32_t device_count = 0;
            char name[4096] = "";
            urPlatformGetInfo(platforms[p], UR_PLATFORM_INFO_NAME, sizeof name, name, NULL);
            printf("%s\n", name);
            urDeviceGetSelected(platforms[p], UR_DEVICE_TYPE_ALL, 16, devices, &device_count);
            for (uint32_t d = 0; d < device_count && d < 16; d++) device(devices[d]);
        }
        urAdapterRelease(adapters[a]);
    }
    return urLoaderTearDown() == UR_RESULT_SUCCESS ? 0 : 1;
}

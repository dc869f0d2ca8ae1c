"""Lists the devices, and says which loader it ran on."""

import dpctl

for device in dpctl.get_devices():
    print(device.name, device.vendor, device.driver_version, device.max_compute_units)
with open("/proc/self/maps", encoding="utf-8") as maps:
    print("loader:", *sorted({line.split()[-1] for line in maps if "libur_loader" in line}))

"""Uses a loader from Python and then ends in a given way. Arguments: library, ending."""

import atexit
import ctypes
import os
import sys
import threading
import time

CODE = 37
SIZE = 8 << 20

library = ctypes.CDLL(sys.argv[1])
ending = sys.argv[2]


def call(name, *arguments):
    answer = getattr(library, name)(*arguments)
    if answer != 0:
        raise RuntimeError(f"{name}: {answer}")


def handle():
    return ctypes.c_void_p()


def fill(queue, memory):
    call("urEnqueueUSMFill", queue, memory, ctypes.c_size_t(1), ctypes.byref(ctypes.c_char(3)),
         ctypes.c_size_t(SIZE), 0, None, None)


def leaving():
    os.write(1, f"\nleaving at {time.clock_gettime_ns(time.CLOCK_MONOTONIC)}\n".encode())


adapter, platform, device, context, queue = (handle() for _ in range(5))
# Not Python's, which would free it at its end while the command still writes to it.
allocate = ctypes.CDLL(None).malloc
allocate.restype = ctypes.c_void_p
memory = (ctypes.c_char * SIZE).from_address(allocate(ctypes.c_size_t(SIZE)))
call("urLoaderInit", 0, None)
call("urAdapterGet", 1, ctypes.byref(adapter), None)
call("urPlatformGet", adapter, 1, ctypes.byref(platform), None)
ALL = 1
call("urDeviceGet", platform, ALL, 1, ctypes.byref(device), None)
call("urContextCreate", 1, ctypes.byref(device), None, ctypes.byref(context))
call("urQueueCreate", context, device, None, ctypes.byref(queue))
fill(queue, memory)

if ending == "end":
    leaving()
elif ending == "exit":
    leaving()
    sys.exit(CODE)
elif ending == "_exit":
    leaving()
    os._exit(CODE)
elif ending == "atexit":
    def last_calls():
        fill(queue, memory)
        call("urQueueFinish", queue)
        if memory.raw != b"\x03" * SIZE:
            os._exit(94)
        call("urQueueRelease", queue)
        call("urContextRelease", context)

    atexit.register(last_calls)
    leaving()
    sys.exit(CODE)
elif ending == "raise":
    leaving()
    raise SystemError("on purpose")
elif ending == "threads":
    begun = threading.Barrier(3)

    def busy():
        first = True
        while True:
            fill(queue, memory)
            call("urQueueFinish", queue)
            if first:
                begun.wait()
                first = False

    for _ in range(2):
        threading.Thread(target=busy, daemon=True).start()
    begun.wait()
    leaving()
    sys.exit(CODE)
elif ending == "fork":
    child = os.fork()
    if child == 0:
        own = handle()
        call("urQueueCreate", context, device, None, ctypes.byref(own))
        fill(own, memory)
        call("urQueueFinish", own)
        leaving()
        sys.exit(CODE)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    leaving()
    sys.exit(status)
else:
    sys.exit(95)

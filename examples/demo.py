"""Computes with dpnp on every device and compares every result with numpy's.

Arguments: libraries that must be the ones in use; `--devices N` for another number than one.
"""

import argparse
import os
import sys
import time

import dpctl
import dpnp
import numpy

N = 1_000_003
DEVICES = dpctl.get_devices()
DEVICE = None
FAILED = []


def ulps(got, want):
    """The largest distance in units of the last place of the wanted values."""
    return float(numpy.max(numpy.abs(got - want) / numpy.spacing(numpy.abs(want))))


def show(name, compute, *inputs, ulp=0.0, rtol=0.0):
    """Runs `compute` with dpnp and with numpy on the same inputs and prints one line."""
    arrays = [dpnp.asarray(x, device=DEVICE) for x in inputs]
    start = time.perf_counter()
    result = compute(dpnp, *arrays)
    result.sycl_queue.wait()
    seconds = time.perf_counter() - start
    got, want = dpnp.asnumpy(result), numpy.asarray(compute(numpy, *inputs))
    if got.dtype != want.dtype or got.shape != want.shape:
        verdict, good = f"is {got.dtype}{got.shape}, not {want.dtype}{want.shape}", False
    elif ulp:
        error = ulps(got, want)
        verdict, good = f"at most {error:.1f} ULP", error <= ulp
    elif rtol:
        verdict, good = f"within {rtol:g}", bool(numpy.allclose(got, want, rtol=rtol, atol=0.0))
    else:
        verdict, good = "equal", numpy.array_equal(got, want)
    if not good:
        FAILED.append(name)
    print(f"  {name:<28} {seconds * 1e3:9.2f} ms  {verdict if good else 'DIFFERS: ' + verdict}")


def main():
    """Checks the environment, then computes."""
    global DEVICE
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("libraries", nargs="*")
    args = parser.parse_args()
    print(f"{len(DEVICES)} device:", ", ".join(f"{d.name} ({d.filter_string})" for d in DEVICES))
    with open("/proc/self/maps", encoding="utf-8") as maps:
        loaded = {line.split()[-1] for line in maps if "/" in line}
    missing = [path for path in args.libraries if os.path.realpath(path) not in loaded]
    if len(DEVICES) != args.devices or missing:
        sys.exit(f"expected {args.devices} devices and these libraries in use: {args.libraries}")
    for path in args.libraries:
        print("  through", path)
    for DEVICE in DEVICES:
        if len(DEVICES) > 1:
            print(f" on {DEVICE.filter_string}, driver {DEVICE.driver_version}")
        compute_all()
    if len(DEVICES) > 1:
        between()
    if FAILED:
        sys.exit("differs from numpy: " + ", ".join(FAILED))


def between():
    """Takes data through all devices, with work under way on all of them at once."""
    print(" from device to device")
    want = numpy.arange(N, dtype="i8")
    there = [dpnp.asarray(want, device=device) for device in DEVICES]
    for step in range(20):
        there = [x * 3 + step for x in there]
        # Through the host: dpnp's to_device does not wait for work of another context.
        there = [dpnp.asarray(dpnp.asnumpy(x), device=DEVICES[(at + step) % len(DEVICES)]) for at, x in enumerate(there)]
        want = want * 3 + step
    equal = all(numpy.array_equal(dpnp.asnumpy(x), want) for x in there)
    print(f"  {len(there)} arrays, 20 steps          {'equal' if equal else 'DIFFERS'}")
    if not equal:
        FAILED.append("from device to device")


def compute_all():
    """What is computed on each device."""
    random = numpy.random.default_rng(42)
    ints = random.integers(-(2**31), 2**31, N)
    small = random.integers(1, 100, N).astype("i4")
    for kind in ("f4", "f8"):
        x, y = (random.uniform(-10, 10, N).astype(kind) for _ in range(2))
        show(f"x + y, {kind}", lambda np, x, y: x + y, x, y)
        show(f"x * y - x, {kind}", lambda np, x, y: x * y - x, x, y)
        # On arrays without gaps dpnp hands these to oneMKL, which runs on the host (with AVX-512 its
        # quotients are not rounded right); on the others it runs kernels of its own, which our
        # compiler builds.
        show(f"x / y, {kind}", lambda np, x, y: x / y, x, y, ulp=1.0)
        show(f"x[::2] / y[::2], {kind}", lambda np, x, y: x[::2] / y[::2], x, y)
        for name in ("sin", "exp", "log1p", "sqrt"):
            show(f"{name}(|x|), {kind}", lambda np, x: getattr(np, name)(np.abs(x)), x, ulp=4.0)
            show(f"{name}(|x|[::2]), {kind}", lambda np, x: getattr(np, name)(np.abs(x)[::2]), x, ulp=4.0)
        show(f"x < y, {kind}", lambda np, x, y: x < y, x, y)
        show(f"sort(x), {kind}", lambda np, x: np.sort(x), x)
        show(f"max(x), {kind}", lambda np, x: np.max(x), x)
        show(f"sum(|x|), {kind}", lambda np, x: np.sum(np.abs(x)), x, rtol=1e-5 if kind == "f4" else 1e-12)
        show(f"cumsum(|x|), {kind}", lambda np, x: np.cumsum(np.abs(x)), x, rtol=1e-3 if kind == "f4" else 1e-11)
    show("arange(n) * 3 + 1", lambda np, _: np.arange(N, dtype="i8") * 3 + 1, ints)
    show("ints + 7 * ints", lambda np, x: x + 7 * x, ints)
    show("ints // small", lambda np, x, y: x // y, ints, small)
    show("sum(ints)", lambda np, x: np.sum(x), ints)
    show("cumsum(ints)", lambda np, x: np.cumsum(x), ints)
    show("sort(ints)", lambda np, x: np.sort(x), ints)
    show("argsort(ints)", lambda np, x: np.argsort(x, kind="stable"), ints)
    show("small == 50", lambda np, x: x == 50, small)
    show("sum by rows", lambda np, x: np.sum(x[:1_000_000].reshape(1000, 1000), axis=1), ints)
    show("matmul, i4", lambda np, x: np.matmul(x[:4096].reshape(64, 64), x[:4096].reshape(64, 64)), small)


if __name__ == "__main__":
    main()

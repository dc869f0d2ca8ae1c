"""Times functions of dpnp on Concord's CPU device and on Intel's, turn by turn in one process.

Usage: dpnp_functions.py ROWS.json [--elements N] [--samples N]

Both devices must be there: libsycl finds Intel's by OCL_ICD_VENDORS. Every result is compared with
numpy's. The file gets one row for each function and type: median times in milliseconds, and how many
times as fast as Intel's ours is, with the quartiles of that ratio. Exit code 1 if a result is wrong.
"""

import argparse
import ctypes
import json
import statistics
import sys
import time

# dpctl looks for an OpenCL library that is loaded already, and when there is none it closes the one
# that it did not find at the end of the process, which crashes. This one stays loaded.
ctypes.CDLL("libOpenCL.so.1")

import dpctl  # noqa: E402
import dpnp  # noqa: E402
import numpy  # noqa: E402

FUNCTIONS = {
    "add": lambda np, a, b: np.add(a, b),
    "sin": lambda np, a, b: np.sin(a),
    "sum": lambda np, a, b: np.sum(a),
    "cumsum": lambda np, a, b: np.cumsum(a),
    "sort": lambda np, a, b: np.sort(a),
    "argmax": lambda np, a, b: np.argmax(a),
}

# Sums may be rounded in another order; the longest has all elements.
TOLERANCE = {"f4": 2e-3, "f8": 1e-11}

# Seconds of the runs that are not timed, at least.
WARM_UP = 1.5

PLATFORMS = {"ours": "Concord native CPU", "intel": "Intel(R) OpenCL"}


def devices():
    """The queue of each device."""
    found = {d.sycl_platform.name: d for d in dpctl.get_devices()}
    missing = [name for name in PLATFORMS.values() if name not in found]
    if missing:
        sys.exit(f"no device of {missing}; there are {sorted(found)}")
    return {name: dpctl.SyclQueue(found[PLATFORMS[name]]) for name in PLATFORMS}


def timed(compute, inputs):
    """Milliseconds that a call takes until its result is there, and the result."""
    start = time.perf_counter()
    result = compute(dpnp, *inputs)
    result.sycl_queue.wait()
    return (time.perf_counter() - start) * 1e3, result


def measure(name, kind, queues, elements, samples):
    """One row, and whether the results are right."""
    random = numpy.random.default_rng(7)
    inputs = [random.uniform(-4.0, 4.0, elements).astype(kind) for _ in range(2)]
    compute = FUNCTIONS[name]
    want = compute(numpy, *[x.astype("f8") for x in inputs])
    there = {who: [dpnp.asarray(x, sycl_queue=q) for x in inputs] for who, q in queues.items()}
    # Both compile now; ours makes better code in the background of what has run for a while.
    rounds, start, results = 0, time.perf_counter(), {}
    while rounds < 3 or time.perf_counter() - start < WARM_UP:
        results = {who: timed(compute, arrays)[1] for who, arrays in there.items()}
        rounds += 1
    bound = TOLERANCE[kind] * (elements**0.5 if name in ("sum", "cumsum") else 1.0)
    right = all(
        numpy.allclose(dpnp.asnumpy(result), want, rtol=TOLERANCE[kind], atol=bound)
        for result in results.values()
    )
    results.clear()
    times = {who: [] for who in there}
    for _ in range(samples):
        for who, arrays in there.items():
            times[who].append(timed(compute, arrays)[0])
    ratios = [intel / ours for ours, intel in zip(times["ours"], times["intel"])]
    low, median, high = statistics.quantiles(ratios, n=4)
    return {
        "name": f"{name} {kind}",
        "unit": "ms",
        "ours": statistics.median(times["ours"]),
        "intel": statistics.median(times["intel"]),
        "ratio_intel": median,
        "spread_intel": [low, high],
        "notes": [] if right else ["the result is not numpy's"],
    }


def main():
    """Measures all functions on all types and writes the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", help="file for the rows")
    parser.add_argument("--elements", type=int, default=10_000_000)
    parser.add_argument("--samples", type=int, default=9)
    args = parser.parse_args()
    queues = devices()
    rows = []
    for kind in ("f4", "f8"):
        for name in FUNCTIONS:
            row = measure(name, kind, queues, args.elements, max(args.samples, 2))
            rows.append(row)
            print(
                f"{row['name']:<12} ours {row['ours']:9.2f} ms, Intel's {row['intel']:9.2f} ms, "
                f"{row['ratio_intel']:5.2f} times as fast {' '.join(row['notes'])}",
                file=sys.stderr,
                flush=True,
            )
    with open(args.rows, "w", encoding="utf-8") as file:
        json.dump(rows, file)
    sys.exit(any(row["notes"] for row in rows))


if __name__ == "__main__":
    main()

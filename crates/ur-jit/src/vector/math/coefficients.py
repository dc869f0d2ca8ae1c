#!/usr/bin/env python3
"""Derives the polynomials of the vector functions and writes `coefficients.rs`.

    python3 coefficients.py            writes coefficients.rs beside this file
    python3 coefficients.py --check    derives them again and fails if the file has anything else

Needs mpmath. Each polynomial P is the minimax fit of an analytic function g on an interval, found
by Remez's exchange in 60 digits: the largest |w(u) (P(u) - g(u))| is as small as its degree allows.
The weight w turns the error of P into the relative error of the function that is made of it. The
coefficients are then rounded to the type's precision, and the error is measured again.
"""

import sys
from pathlib import Path

from mpmath import mp, mpf, matrix, lu_solve, cos, pi

mp.dps = 60


def rounded(x, bits):
    """The nearest number of 24 or 53 bits; the ranges used here have no subnormal numbers."""
    mantissa, exponent = mp.frexp(mpf(x))
    scaled = mp.nint(mp.ldexp(mantissa, bits))
    return mp.ldexp(scaled, exponent - bits)


def remez(g, w, a, b, n):
    """Coefficients of the minimax polynomial with n terms, and the error."""
    a, b = mpf(a), mpf(b)
    size = max(240, 24 * n)
    grid = [(a + b) / 2 + (b - a) / 2 * cos(pi * i / size) for i in range(size, -1, -1)]
    values = [g(u) for u in grid]
    weights = [w(u) for u in grid]
    usable = [i for i in range(size + 1) if weights[i] > max(weights) * mpf(10) ** -12]
    chosen = [usable[round(i * (len(usable) - 1) / n)] for i in range(n + 1)]
    for _ in range(40):
        system = matrix(n + 1, n + 1)
        right = matrix(n + 1, 1)
        for row, i in enumerate(chosen):
            power = mpf(1)
            for column in range(n):
                system[row, column] = power
                power *= grid[i]
            system[row, n] = (-1) ** row / weights[i]
            right[row] = values[i]
        solution = lu_solve(system, right)
        terms = [solution[i] for i in range(n)]
        errors = [
            weights[i] * (mp.polyval(terms[::-1], grid[i]) - values[i]) for i in range(size + 1)
        ]
        # The extremes: the largest error of each run of one sign, then as many as are needed.
        runs = []
        for i in usable:
            if runs and (errors[runs[-1]] > 0) == (errors[i] > 0):
                if abs(errors[i]) > abs(errors[runs[-1]]):
                    runs[-1] = i
            else:
                runs.append(i)
        while len(runs) > n + 1:
            if abs(errors[runs[0]]) < abs(errors[runs[-1]]):
                runs.pop(0)
            else:
                runs.pop()
        if len(runs) < n + 1 or runs == chosen:
            break
        chosen = runs
    return terms, max(abs(e) for e in errors)


def fit(g, w, a, b, n, bits, exact=0):
    """n coefficients rounded to that many bits, and the largest error that they give.

    The first `exact` coefficients are pairs of numbers (high, low).
    """
    terms, _ = remez(g, w, a, b, n)
    flat, done = [], []
    for index, term in enumerate(terms):
        high = rounded(term, bits)
        flat.append(high)
        if index < exact:
            low = rounded(term - high, bits)
            flat.append(low)
            high += low
        done.append(high)
    a, b = mpf(a), mpf(b)
    points = [a + (b - a) * i / 997 for i in range(998)]
    worst = max(w(u) * abs(mp.polyval(done[::-1], u) - g(u)) for u in points)
    return flat, worst


def series(f, skip, step=1):
    """(f(x) - its first terms) / x^k near zero would cancel: evaluated with many digits instead.

    Returns u -> (f(x) - sum(skip)) / u^len where x = u (step 1) or sqrt(u) (step 2).
    """
    count = len(skip)

    def g(u):
        if u == 0:
            u = mpf(10) ** -14
        with mp.workdps(150):
            u = mpf(u)
            total = f(u) - sum(c * u**i for i, c in enumerate(skip))
            return total / u**count

    return g


def relative(f, order):
    """Weight of a polynomial that is multiplied by u^order in a sum of value f(u)."""

    def w(u):
        if u == 0:
            u = mpf(10) ** -14
        return abs(u**order / f(u))

    return w


LN2 = mp.log(2)
LOG10_2 = mp.log(2, 10)
ROOT = mp.sqrt(2)
ONE = mpf(1)

POLYNOMIALS = []


def add(name, bits, text, f, skip, a, b, n, scale=None, exact=0):
    """Registers a fit of (f - skip) / u^len(skip), relative to `scale` (f itself if None)."""
    scale = scale or f
    POLYNOMIALS.append((name, bits, text, f, skip, a, b, n, scale, exact))


def sinc(u):
    """sin(x) / x for u = x^2, also for negative u near 0."""
    x = mp.sqrt(u)
    return mp.re(mp.sin(x) / x) if u != 0 else ONE


def log_ratio(u):
    """log(1 + u) / u."""
    return mp.log1p(u) / u if u != 0 else ONE


HALF_LN2 = LN2 / 2 * mpf("1.002")
LOW, HIGH = ROOT / 2 - 1, ROOT - 1
QUARTER = (pi / 2 * mpf("1.004")) ** 2

# Powers: e^r, 2^r and 10^r around 0.
add("EXP_F32", 24, "`(e^r - 1 - r) / r²`", mp.exp, [1, 1], -HALF_LN2, HALF_LN2, 5)
add("EXP2_F32", 24, "`(2^r - 1) / r`", lambda r: mpf(2) ** r, [1], -0.501, 0.501, 5)
add("EXP10_F32", 24, "`(10^r - 1) / r`", lambda r: mpf(10) ** r, [1],
    -LOG10_2 / 2 * mpf("1.002"), LOG10_2 / 2 * mpf("1.002"), 5)

# Logarithms: log(1 + r) = r - r²/2 + r³ P(r), divided by r for the fit.
add("LOG_F32", 24, "`(log(1 + r) - r + r²/2) / r³`", log_ratio, [1, -ONE / 2], LOW, HIGH, 7)

# Sine: sin(x) = x + x³ P(x²).
add("SIN_F32", 24, "`(sin(x) / x - 1) / x²` of `x²`", sinc, [1], 0, QUARTER, 4)

# Constants in pieces: (name, bits of each piece, text, value).
PIECES = [
    ("LN2_F32", [15, 24], "log(2)", LN2),
    ("LN2_F32_NEAREST", [24], "log(2)", LN2),
    ("PI_F32", [24, 24, 24], "π", pi),
    ("PI_F32_SHORT", [11, 11, 11, 24], "π", pi),
]


def split(value, sizes):
    """Numbers of these sizes whose sum is close to the value."""
    rest, pieces = mpf(value), []
    for bits in sizes:
        pieces.append(rounded(rest, bits))
        rest -= pieces[-1]
    return pieces


def render():
    lines = [
        "//! Coefficients of the polynomials, lowest power first. Made by `coefficients.py`.",
        "",
        "// The numbers are what they are, also where one comes near a known constant.",
        "#![allow(clippy::approx_constant, clippy::excessive_precision, clippy::unreadable_literal)]",
        "",
    ]
    for name, bits, text, f, skip, a, b, n, scale, exact in POLYNOMIALS:
        terms, worst = fit(series(f, skip), relative(scale, len(skip)), a, b, n, bits, exact)
        size = mp.log(worst, 2)
        print(f"{name}: {n} terms, 2^{mp.nstr(size, 4)}", file=sys.stderr)
        lines.append(f"/// {text} on [{mp.nstr(mpf(a), 4)}, {mp.nstr(mpf(b), 4)}]; "
                     f"the relative error is 2^{mp.nstr(size, 4)}.")
        lines.append(f"pub const {name}: [f64; {len(terms)}] = [")
        lines.extend(f"    {float(c)!r}," for c in terms)
        lines.append("];")
        lines.append("")
    for name, sizes, text, value in PIECES:
        terms = [float(term) for term in split(value, sizes)]
        bits = " + ".join(str(size) for size in sizes)
        lines.append(f"/// {text} in {bits} bits.")
        if len(terms) == 1:
            lines.append(f"pub const {name}: f64 = {terms[0]!r};")
        else:
            lines.append(f"pub const {name}: [f64; {len(terms)}] = {terms!r};")
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def main():
    path = Path(__file__).with_name("coefficients.rs")
    text = render()
    if "--check" in sys.argv[1:]:
        if path.read_text() != text:
            sys.exit(f"{path} differs from what this program derives")
        return
    path.write_text(text)


if __name__ == "__main__":
    main()

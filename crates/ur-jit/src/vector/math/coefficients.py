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


def fit(g, w, a, b, n, bits):
    """n coefficients rounded to that many bits, and the largest error that they give."""
    terms, _ = remez(g, w, a, b, n)
    terms = [rounded(term, bits) for term in terms]
    a, b = mpf(a), mpf(b)
    points = [a + (b - a) * i / 997 for i in range(998)]
    worst = max(w(u) * abs(mp.polyval(terms[::-1], u) - g(u)) for u in points)
    return terms, worst


def series(f, skip, step=1):
    """(f(x) - its first terms) / x^k near zero would cancel: evaluated with many digits instead.

    Returns u -> (f(x) - sum(skip)) / u^len where x = u (step 1) or sqrt(u) (step 2).
    """
    count = len(skip)

    def g(u):
        if u == 0 and count:
            u = mpf(10) ** -14
        with mp.workdps(120):
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


def add(name, bits, text, f, skip, a, b, n, weight=None):
    """Registers a polynomial for f: the terms `skip`, and n that are fitted.

    The error is relative to f, or f's error times `weight`.
    """
    weight = weight or relative(f, len(skip))
    POLYNOMIALS.append((name, bits, text, f, skip, a, b, n, weight))


def log_ratio(u):
    """log(1 + u) / u."""
    return mp.log1p(u) / u if u != 0 else ONE


LOW, HIGH = ROOT / 2 - 1, ROOT - 1
WIDER = mpf("1.004")


def half(step):
    """Half a step, and a little for the rounding of the quotient."""
    return step / 2 * WIDER


def of_square(f, limit):
    """f(x) / x as a function of u = x^2 near 0."""

    def g(u):
        x = mp.sqrt(u)
        return mp.re(f(x) / x) if u != 0 else limit

    return g


def power_of(base):
    return lambda r: mpf(base) ** r


sine = of_square(mp.sin, ONE)
tangent = of_square(mp.tan, ONE)
artanh = of_square(lambda s: 2 * mp.atanh(s), 2 * ONE)
artanh_half = of_square(mp.atanh, ONE)
arctangent = of_square(mp.atan, ONE)
arcsine = of_square(mp.asin, ONE)
SQUARE_HALF_PI = half(pi) ** 2
SQUARE_QUARTER_PI = half(pi / 2) ** 2
SQUARE_S = (HIGH / (2 + HIGH) * WIDER) ** 2

# Powers of e, 2 and 10 around 0.
add("EXP_F32", 24, "`e^r`", mp.exp, [1, 1], -half(LN2), half(LN2), 5)
add("EXP2_F32", 24, "`2^r`", power_of(2), [1], -half(1), half(1), 6)
add("EXP10_F32", 24, "`10^r`", power_of(10), [1], -half(LOG10_2), half(LOG10_2), 6)
add("EXP_F64", 53, "`e^r`", mp.exp, [1, 1], -half(LN2), half(LN2), 10)
add("EXP2_F64", 53, "`2^r`", power_of(2), [1], -half(1), half(1), 11)
add("EXP10_F64", 53, "`10^r`", power_of(10), [1], -half(LOG10_2), half(LOG10_2), 11)

# Logarithms: of 1 + r, or of (1 + s) / (1 - s) where that is the same.
add("LOG_F32", 24, "`log(1 + r) / r`", log_ratio, [1, -ONE / 2], LOW, HIGH, 7)
add("LOG_F64", 53, "`log((1 + s) / (1 - s)) / s` of `s²`", artanh, [2], 0, SQUARE_S, 7)
add("LOG2_WIDE", 53, "`log2(1 + r) / r`", lambda r: log_ratio(r) / LN2, [], LOW, HIGH, 14)
add("ARTANH_F64", 53, "`artanh(s) / s` of `s²`", artanh_half, [1, ONE / 3], 0, SQUARE_S, 8)

# Sine and tangent.
add("SIN_F32", 24, "`sin(x) / x` of `x²`", sine, [1], 0, SQUARE_HALF_PI, 4)
add("SIN_F64", 53, "`sin(x) / x` of `x²`", sine, [1], 0, SQUARE_HALF_PI, 8)
add("TAN_F32", 24, "`tan(x) / x` of `x²`", tangent, [1], 0, SQUARE_QUARTER_PI, 6)
add("TAN_F64", 53, "`tan(x) / x` of `x²`", tangent, [1], 0, SQUARE_QUARTER_PI, 14)

# Arc functions.
add("ATAN_F32", 24, "`atan(x) / x` of `x²`", arctangent, [1], 0, 1, 9)
add("ATAN_F64", 53, "`atan(x) / x` of `x²`", arctangent, [1], 0, 1, 21)
add("ASIN_F32", 24, "`asin(x) / x` of `x²`", arcsine, [1], 0, 0.25, 5)
add("ASIN_F64", 53, "`asin(x) / x` of `x²`", arcsine, [1], 0, 0.25, 13)

# The inverse cube root, as a first guess.
add("CBRT_GUESS", 24, "`x^(-1/3)`", lambda x: mpf(x) ** (-ONE / 3), [], 0.3535, 2.829, 6)


# The error function as 1 - e^(x R), and its complement's tail.
def exponent_of_erfc(middle):
    """log(erfc(x)) / x for x = middle + v."""

    def f(v):
        x = mpf(v) + middle
        return mp.log(mp.erfc(x)) / x if x != 0 else -2 / mp.sqrt(pi)

    return f


def in_erf(middle):
    """What an error of that is for erf, as a part of it."""

    def w(v):
        x = mpf(v) + middle
        return mp.erfc(x) * x / mp.erf(x) if x != 0 else mp.sqrt(pi) / 2

    return w


def tail(t):
    """erfc(x) e^(x^2) (1 + 2 x) for t = (x - 3) / (x + 3), which is smooth up to infinity."""
    x = 3 * (1 + mpf(t)) / (1 - mpf(t))
    with mp.workdps(40):
        return mp.erfc(x) * mp.exp(x * x) * (1 + 2 * x)


erf = of_square(mp.erf, 2 / mp.sqrt(pi))


def erf_above(u):
    """erf(x) / x - 1, which needs fewer bits than erf(x) / x."""
    return erf(u) - 1


def in_erf_near(u):
    return 1 / erf(u)


add("ERF_F32", 24, "`log(erfc(2 + v)) / (2 + v)`, for erf", exponent_of_erfc(2), [],
    -2, 2, 10, in_erf(2))
add("ERF_F64", 53, "`log(erfc(3 + v)) / (3 + v)`, for erf", exponent_of_erfc(3), [],
    -3, 3, 26, in_erf(3))
add("ERF_NEAR_F32", 24, "`erf(x) / x - 1` of `x²`", erf_above, [], 0, 0.25, 5, in_erf_near)
add("ERF_NEAR_F64", 53, "`erf(x) / x - 1` of `x²`", erf_above, [], 0, 0.25, 9, in_erf_near)
add("ERFC_F32", 24, "`erfc(x) e^(x²) (1 + 2 x)` of `(x - 3) / (x + 3)`", tail, [],
    -mpf(5) / 7, mpf(7.25) / 13.25, 10)
add("ERFC_F64", 53, "`erfc(x) e^(x²) (1 + 2 x)` of `(x - 3) / (x + 3)`", tail, [],
    -mpf(5) / 7, mpf(24.5) / 30.5, 23)


# Constants in pieces: (name, bits of each piece, text, value).
PIECES = [
    ("LN2_F32", [15, 24], "log(2)", LN2),
    ("LN2_F32_NEAREST", [24], "log(2)", LN2),
    ("LN2_F64", [42, 53], "log(2)", LN2),
    ("LOG10_2_F32", [15, 24], "log10(2)", LOG10_2),
    ("LOG10_2_F64", [42, 53], "log10(2)", LOG10_2),
    ("LOG2_E_F64", [53, 53], "log2(e)", 1 / LN2),
    ("LOG10_E_F64", [53, 53], "log10(e)", 1 / mp.log(10)),
    ("TWO_LOG2_E_F64", [53, 53], "2 log2(e)", 2 / LN2),
    ("THIRD_F64", [53, 53], "1/3", ONE / 3),
    ("PI_F32", [24, 24, 24], "π", pi),
    ("PI_F32_SHORT", [11, 11, 11, 24], "π", pi),
    ("PI_F64", [53, 53, 53], "π", pi),
    ("PI_F64_SHORT", [33, 33, 33, 53], "π", pi),
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
    for name, bits, text, f, skip, a, b, n, weight in POLYNOMIALS:
        terms, worst = fit(series(f, skip), weight, a, b, n, bits)
        size = mp.log(worst, 2)
        terms = [rounded(c, bits) for c in skip] + terms
        print(f"{name}: {n} terms, 2^{mp.nstr(size, 4)}", file=sys.stderr)
        lines.append(f"/// {text} from {mp.nstr(mpf(a), 4)} to {mp.nstr(mpf(b), 4)}; "
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
        def plain(source):
            """Without what rustfmt changes."""
            return "".join(source.replace(",", " ").split())

        if plain(path.read_text()) != plain(text):
            sys.exit(f"{path} differs from what this program derives")
        return
    path.write_text(text)


if __name__ == "__main__":
    main()

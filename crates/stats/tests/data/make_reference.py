"""Writes reference.json: values to 60 digits (mpmath), rounded to doubles.

Run beside the file: python3 make_reference.py   (needs mpmath and scipy)

The methods are chosen to share nothing with the Rust code: plain series in
high precision, and Newton on them for the inverses (scipy only starts it). Arguments
are taken as the exact doubles they are written as in the file.
"""

import json
import math
import pathlib

from mpmath import mp, mpf
from scipy.special import betainccinv, betaincinv

mp.dps = 60


def exact(*values):
    return [mpf(v) for v in values]


def positive_series(ratio):
    """1 + r(0) + r(0)r(1) + …, until the terms no longer count."""
    term = total = mpf(1)
    n = 0
    while term > total * mpf(10) ** -(mp.dps + 2):
        term *= ratio(n)
        total += term
        n += 1
    return total


def lower_series(a, b, x):
    """I_x(a, b) with positive terms only: for whole b the binomial tail, which
    ends after b terms, otherwise DLMF 8.17.8."""
    y = 1 - x
    log_front = a * mp.log(x) + b * mp.log(y) + mp.loggamma(a + b)
    log_front -= mp.loggamma(a + 1) + mp.loggamma(b)
    if b == mp.floor(b):
        total = positive_series(lambda n: (b - 1 - n) / (a + 1 + n) * x / y) / y
    else:
        total = positive_series(lambda n: (a + b + n) / (a + 1 + n) * x)
    return mp.exp(log_front) * total


def lower_tail(a, b, x):
    """I_x(a, b), from whichever end the series is short."""
    if x <= a / (a + b) and (x < 0.99 or b == mp.floor(b)):
        return lower_series(a, b, x)
    return 1 - lower_series(b, a, 1 - x)


def upper_tail(a, b, x):
    return lower_tail(b, a, 1 - x)


def density(a, b, x):
    logs = (a - 1) * mp.log(x) + (b - 1) * mp.log(1 - x)
    return mp.exp(logs + mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b))


def solve_tail(a, b, p, upper):
    """x with the given tail equal to p: Newton from scipy's double, to 40 digits."""
    start = betainccinv if upper else betaincinv
    tail, sign = (upper_tail, -1) if upper else (lower_tail, 1)
    x = mpf(start(float(a), float(b), float(p)))
    for _ in range(20):
        step = sign * (tail(a, b, x) - p) / density(a, b, x)
        x -= step
        if abs(step) < abs(x) * mpf(10) ** -30:
            return x
    raise ValueError(f"no convergence at {a}, {b}, {p}")


def student_sf(t, degrees):
    """The smaller of the two series; many digits, so that 1 - I is resolved."""
    with mp.workdps(260):
        t, degrees, half = mpf(t), mpf(degrees), mpf("0.5")
        outside = degrees / (degrees + t * t)
        if outside < half:
            return lower_series(degrees / 2, half, outside) / 2
        return (1 - lower_series(half, degrees / 2, 1 - outside)) / 2 if t else half


def student_log_pdf(x, degrees, location, scale_squared):
    x, v, m, s = exact(x, degrees, location, scale_squared)
    constant = mp.loggamma((v + 1) / 2) - mp.loggamma(v / 2) - mp.log(v * mp.pi) / 2
    return constant - mp.log(s) / 2 - (v + 1) / 2 * mp.log1p((x - m) ** 2 / (v * s))


def normal_upper(x):
    return mp.erfc(mpf(x) / mp.sqrt(2)) / 2


def log_normal_cdf(x):
    x = mpf(x)
    if x < -1000:
        # Mills ratio by its asymptotic series (DLMF 7.12.1): 12 terms at |x| > 1000.
        total = term = mpf(1)
        for k in range(12):
            term *= -(2 * k + 1) / (x * x)
            total += term
        return -x * x / 2 - mp.log(-x * mp.sqrt(2 * mp.pi)) + mp.log(total)
    return mp.log(normal_upper(-x)) if x < 0 else mp.log1p(-normal_upper(x))


def normal_quantile_of_log(log_p):
    """Newton on ln Φ, from the leading asymptotic term or from zero."""
    log_p = mpf(log_p)
    x = -mp.sqrt(-2 * log_p)
    for _ in range(200):
        cdf = log_normal_cdf(x)
        log_density = -x * x / 2 - mp.log(2 * mp.pi) / 2
        step = (cdf - log_p) / mp.exp(log_density - cdf)
        x -= step
        if abs(step) < mpf(10) ** -50 * max(1, abs(x)):
            break
    return x


def normal_quantile(p):
    p = mpf(p)
    if p == mpf("0.5"):
        return mpf(0)
    return normal_quantile_of_log(mp.log(p)) if p < 0.5 else -normal_quantile_of_log(mp.log(1 - p))


def log_choose(n, k):
    return mp.loggamma(mpf(n) + 1) - mp.loggamma(mpf(k) + 1) - mp.loggamma(mpf(n - k) + 1)


def anderson_darling(sample):
    values = sorted(exact(*sample))
    n = len(values)
    mean = sum(values) / n
    deviation = mp.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
    z = [(v - mean) / deviation for v in values]
    total = sum(
        (2 * i + 1) * (mp.log(mp.ncdf(z[i])) + mp.log(mp.ncdf(-z[n - 1 - i]))) for i in range(n)
    )
    return (-n - total / n) * (1 + mpf("0.75") / n + mpf("2.25") / n**2)


def table(function, points):
    rows = []
    for point in points:
        arguments = point if isinstance(point, (list, tuple)) else [point]
        rows.append([*[float(a) for a in arguments], float(function(*arguments))])
    return rows


def grid(*axes):
    points = [[]]
    for axis in axes:
        points = [p + [v] for p in points for v in axis]
    return points


GAMMA = [1e-300, 1e-10, 1e-3, 0.1, 0.5, 0.999999, 1 - 1e-9, 1 + 1e-9, 1.0000001, 1.2, 1.4616,
         1.5, 1.9999999, 2 - 1e-9, 2 + 1e-9, 2.0000001, 3.7, 7.5, 10, 11.99, 12, 12.01, 33.3,
         100.5, 1e4, 1e6, 1e10]
HALF = [1e-300, 1e-10, 1e-3, 0.1, 0.5, 1, 1.2, 1.25, 1.5, 2, 5.5, 11.99, 12, 12.01, 20, 100,
        1e4, 1e6, 1e9, 1e12, 1e13]
POLY = [1e-10, 1e-3, 0.1, 0.5, 1, 1.4, 1.46, 1.4616, 1.46163, 1.4616321449683622,
        1.4616321449683624, 1.47, 1.5, 2, 5, 11.99, 12, 12.01, 30, 1e3, 1e6, 1e12]
LN_BETA = [(0.5, 0.5), (1e-8, 1e-8), (1e-8, 5), (1e-8, 1e8), (0.3, 7), (3, 4), (0.5, 1e12),
           (2, 1e12), (11, 13), (12, 12), (50, 70), (11.5, 1e9), (1e5, 1e5), (5e5, 5e5 + 1),
           (1e6, 3), (1e10, 1e10), (1e13, 20), (40, 0.01)]
SOFT = [-800, -745, -100, -40, -36, -10, -1, -1e-8, 0, 1e-8, 1, 10, 36, 40, 800]
ERFCX = [-26, -10, -3, -1, -1e-5, 0, 1e-9, 0.3, 0.46875, 1, 2, 3.7, 5, 8, 11.9, 12, 12.1, 20,
         26, 30, 100, 1e5, 1e10]
NORMAL = [-38, -37, -20, -8, -5, -2, -1.0001, -1, -0.9999, -0.5, -1e-8, 0, 1e-8, 0.5, 0.9999, 1,
          1.0001, 2, 5, 8]
LOG_NORMAL = [37, 30, 20, 10, 8, 5, 3, 1, 0.5, 0, -0.5, -0.9999, -1.0001, -2, -5, -8, -17, -17.1,
              -20, -37, -38, -39, -40, -100, -1e4, -1e6, -1e8]
QUANTILE = [1e-300, 2.5e-308, 1e-200, 1e-100, 1e-50, 1e-20, 1e-10, 1e-5, 1e-3, 0.01, 0.025, 0.1,
            0.2999, 0.3, 0.3001, 0.4, 0.49, 0.499999, 0.5 - 1e-12, 0.5, 0.5 + 1e-12, 0.500001,
            0.6, 0.7, 0.9, 0.975, 0.999, 1 - 1e-6, 1 - 1e-10, 1 - 1e-13, 1 - 1.2e-16]
QUANTILE_LOG = [-0.7, -1, -5, -20, -100, -700, -800, -1e4, -1e6, -1e10, -5e15, -0.69, -0.1,
                -1e-5, -1e-12]
STUDENT = grid([0, 0.1, 1.3, 5, 30, 1e4], [1, 2, 4, 20, 25, 1e3, 1e6, 1e8, 1e10, 1e11, 1e12],
               [0], [1]) + [(2.5, 7, 1.5, 0.04), (-3, 1e10, 2, 1e-6), (1e200, 3, 0, 1)]
STUDENT_SF = grid([0, 1e-6, 0.1, 1, 1.7, 2, 5, 12, 30], [1, 2, 4, 25, 1e3, 1e6, 1e10, 1e12])
BETA = [(0.5, 0.5, x) for x in (1e-30, 1e-10, 0.01, 0.5, 0.8, 1 - 1e-10)]
BETA += [(1e-3, 2, 1e-8), (2, 1e-3, 0.9), (0.01, 0.02, 0.3), (5, 0.3, 0.95), (1, 1, 0.3)]
BETA += [(3, 4, x) for x in (1e-100, 0.1, 0.42, 0.43, 0.9, 0.999)]
BETA += [(50001, 50000, x) for x in (0.45, 0.49, 0.5, 0.501, 0.51)]
BETA += [(1000, 999001, x) for x in (5e-4, 9e-4, 1e-3, 1.1e-3, 2e-3)]
BETA += [(999999, 2, 1 - 1e-6), (999999, 2, 1 - 1e-5), (1, 1e6, 1e-6), (1e6, 1, 0.99999)]
BETA += [(1e8, 0.5, 1 - 1e-8), (500000, 500001, 0.49), (1e7 + 0.5, 1e7, 0.4997)]
INVERSE = grid([(0.5, 0.5), (0.1, 3), (2, 5), (1, 1), (30, 0.4), (7, 7), (400, 600), (1, 1000),
                (1000, 1)], [1e-12, 1e-6, 1e-3, 0.025, 0.5, 0.9, 0.975, 1 - 1e-6])
INVERSE = [(*shape, p) for shape, p in INVERSE]
INVERSE += [(0.5, 0.5, 1e-150), (50001, 50000, 1 - 1e-6), (50001, 50000, 1e-6),
            (50001, 50000, 0.5), (1e-2, 1, 0.1), (5, 1e5, 1e-9)]
COUNTS = [(1, 2), (0, 10), (10, 10), (1, 10), (9, 10), (5, 10), (0, 100), (1, 100), (50, 100),
          (99, 100), (100, 100), (3, 1000), (500, 1000), (999, 1000), (25, 25000),
          (24990, 25000), (0, 10**6), (1, 10**6), (10, 10**6), (1000, 10**6), (300000, 10**6),
          (500000, 10**6), (999000, 10**6), (999999, 10**6), (10**6, 10**6), (1, 10**8)]
CLOPPER = [(k, n, alpha) for k, n in COUNTS for alpha in (0.025, 1e-6)]
CLOPPER += [(5, 100, 1e-40), (5, 100, 0.5), (5, 100, 0.8)]
CHOOSE = [(5, 2), (10, 0), (52, 5), (100, 50), (1000, 1), (10**6, 2), (10**6, 1000),
          (10**6, 500000), (10**6, 999999), (10**12, 3)]
BINOMIAL = [(0, 10, 0.3), (10, 10, 0.3), (3, 10, 0.3), (50, 100, 0.5), (1, 1000, 1e-9),
            (500000, 10**6, 0.5), (498000, 10**6, 0.5), (510000, 10**6, 0.5),
            (1000, 10**6, 1e-3), (2000, 10**6, 1e-3), (999990, 10**6, 0.5), (7, 10**6, 1e-5)]
SAMPLES = [
    [-1.3, 0.2, 0.7, 1.1, -0.4, 2.6, 0.05, -0.9],
    [0.01, 0.02, 0.05, 0.1, 0.3, 0.9, 2.5, 6.0, 20.0, 55.0],
    [math.sin(7.0 * i) + 0.1 * i for i in range(64)],
    [0.0] * 31 + [1e6],
]


def clopper_lower(k, n, alpha):
    if k == 0:
        return mpf(0)
    if k == n:
        return mpf(alpha) ** (mpf(1) / n)
    return solve_tail(mpf(k), mpf(n - k + 1), mpf(alpha), upper=False)


def clopper_upper(k, n, alpha):
    if k == n:
        return mpf(1)
    if k == 0:
        return 1 - mpf(alpha) ** (mpf(1) / n)
    return solve_tail(mpf(k + 1), mpf(n - k), mpf(alpha), upper=True)


def binomial_log_pmf(k, n, p):
    return log_choose(n, k) + k * mp.log(mpf(p)) + (n - k) * mp.log1p(-mpf(p))


def binomial_log_sf(k, n, p):
    return mp.log(lower_tail(mpf(k), mpf(n - k + 1), mpf(p))) if k else mpf(0)


REFERENCE = {
    "ln_gamma": table(mp.loggamma, GAMMA),
    "ln_gamma_half_step": table(
        lambda x: mp.loggamma(mpf(x) + mpf("0.5")) - mp.loggamma(mpf(x)), HALF),
    "digamma": table(lambda x: mp.psi(0, mpf(x)), POLY),
    "trigamma": table(lambda x: mp.psi(1, mpf(x)), POLY),
    "ln_beta": table(
        lambda a, b: mp.loggamma(mpf(a)) + mp.loggamma(mpf(b)) - mp.loggamma(mpf(a) + mpf(b)),
        LN_BETA),
    "softplus": table(lambda x: mp.log1p(mp.exp(mpf(x))), SOFT),
    "ln_sigmoid": table(lambda x: -mp.log1p(mp.exp(-mpf(x))), SOFT),
    "log_diff_exp": table(
        lambda a, b: mp.log(mp.exp(mpf(a)) - mp.exp(mpf(b))),
        [(0, -1e-10), (0, -0.5), (0, -0.7), (0, -50), (-700, -701), (-2, -2.5)]),
    "erfcx": table(lambda x: mp.exp(mpf(x) ** 2) * mp.erfc(mpf(x)), ERFCX),
    "normal_cdf": table(lambda x: normal_upper(-x), NORMAL),
    "ln_normal_cdf": table(log_normal_cdf, LOG_NORMAL),
    "normal_quantile": table(normal_quantile, QUANTILE),
    "normal_quantile_of_ln": table(
        lambda v: normal_quantile_of_log(v) if v < -0.6931
        else -normal_quantile_of_log(mp.log(-mp.expm1(mpf(v)))), QUANTILE_LOG),
    "ln_student_t_pdf": table(student_log_pdf, STUDENT),
    "student_t_sf": table(student_sf, STUDENT_SF),
    "incomplete_beta": table(lambda a, b, x: lower_tail(*exact(a, b, x)), BETA),
    "ln_incomplete_beta": table(lambda a, b, x: mp.log(lower_tail(*exact(a, b, x))), BETA),
    "inverse_incomplete_beta": table(
        lambda a, b, p: solve_tail(*exact(a, b, p), upper=False), INVERSE),
    "clopper_pearson_lower": table(clopper_lower, CLOPPER),
    "clopper_pearson_upper": table(clopper_upper, CLOPPER),
    "ln_choose": table(log_choose, CHOOSE),
    "ln_binomial_pmf": table(binomial_log_pmf, BINOMIAL),
    "ln_binomial_sf": table(binomial_log_sf, BINOMIAL),
    "anderson_darling": table(lambda *s: anderson_darling(s), SAMPLES),
}


def write(path):
    blocks = []
    for name, rows in REFERENCE.items():
        lines = ",\n".join("  " + json.dumps(row) for row in rows)
        blocks.append(f' "{name}": [\n{lines}\n ]')
    path.write_text("{\n" + ",\n".join(blocks) + "\n}\n")


if __name__ == "__main__":
    write(pathlib.Path(__file__).with_name("reference.json"))

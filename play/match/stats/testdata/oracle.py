"""Writes vectors.json: what package stats should return, worked out a second time.

It shares no code and no solver with the package: the most likely distributions are found by maximizing the dual
function with golden sections, where the package finds a root by bisection. Needs Python 3 alone.

    python3 oracle.py > vectors.json
"""

import json
import math
import random
from statistics import NormalDist

PHI = (math.sqrt(5) - 1) / 2


def maximum(f, low, high):
    """The place of the maximum of a concave function between low and high."""
    a, b = high - PHI * (high - low), low + PHI * (high - low)
    fa, fb = f(a), f(b)
    for _ in range(200):
        if fa > fb:
            high, b, fb = b, a, fa
            a = high - PHI * (high - low)
            fa = f(a)
        else:
            low, a, fa = a, b, fb
            b = low + PHI * (high - low)
            fb = f(b)
    return (low + high) / 2


def tilt(p, phi):
    """The most likely distribution to p with mean 0 of phi (Owen, Empirical Likelihood, 2001, 2.9)."""
    def dual(t):
        terms = [1 + t * x for x in phi]
        return sum(q * math.log(x) for q, x in zip(p, terms)) if min(terms) > 0 else -math.inf
    t = maximum(dual, -1 / max(phi), -1 / min(phi))
    return [q / (1 + t * x) for q, x in zip(p, phi)]


def moments(scores, p):
    mean = sum(s * q for s, q in zip(scores, p))
    return mean, sum(q * (s - mean) ** 2 for s, q in zip(scores, p))


def with_mean(scores, p, mean):
    return tilt(p, [s - mean for s in scores])


def with_distance(scores, p, t):
    q = [1 / len(p)] * len(p)
    for _ in range(10):
        mean, variance = moments(scores, q)
        sigma = math.sqrt(variance)
        q, before = tilt(p, [s - 0.5 - t * sigma / 2 * (1 + ((s - mean) / sigma) ** 2) for s in scores]), q
        if max(abs(x - y) for x, y in zip(q, before)) < 1e-9:
            break
    return q


def ratio(n, p, low, high):
    return n * sum(q * (math.log(h) - math.log(l)) for q, l, h in zip(p, low, high))


def elo(score):
    return 400 * math.log10(score / (1 - score)) if 0 < score < 1 else None


def vector(counts, low, high):
    games = 2 if len(counts) == 5 else 1
    scores = [i / (len(counts) - 1) for i in range(len(counts))]
    n = sum(counts)
    mean, variance = moments(scores, [c / n for c in counts])
    error = math.sqrt(variance / n)
    z = NormalDist().inv_cdf(0.975)
    unit = 800 / math.log(10)
    sigma = math.sqrt(variance * games)
    seen = [c or 1e-3 for c in counts]
    total = sum(seen)
    p = [c / total for c in seen]
    logistic = [with_mean(scores, p, 1 / (1 + 10 ** (-e / 400))) for e in (low, high)]
    normalized = [with_distance(scores, p, e / unit * math.sqrt(games)) for e in (low, high)]
    return {
        "counts": counts, "low": low, "high": high,
        "elo": [elo(mean), elo(mean - z * error), elo(mean + z * error)],
        "nelo": [(x - 0.5) / sigma * unit for x in (mean, mean - z * error, mean + z * error)],
        "los": NormalDist().cdf((mean - 0.5) / error),
        "logistic": ratio(total, p, *logistic), "normalized": ratio(total, p, *normalized),
    }


def main():
    r = random.Random(14)
    shapes = {5: ([.005, .15, .35, .15, .005], [.06, .28, .6, .3, .08]), 3: ([.15, .3, .15], [.35, .6, .4])}
    vectors = []
    for k in range(130):
        size = 5 if k < 100 else 3
        n = r.choice([20, 100, 1000, 10000, 60000])
        weights = [r.uniform(*x) for x in zip(*shapes[size])] if k % 5 else [r.random() ** 2 for _ in range(size)]
        counts = [int(n * w / sum(weights)) for w in weights]
        if k % 9 == 0:
            counts[r.choice([0, -1])] = 0
        if sum(c > 0 for c in counts) < 2:
            counts[1] += 2
            counts[2] += 1
        vectors.append(vector(counts, *r.choice([(0, 10), (0, 2), (-5, 0), (0, 20), (.5, 2.5), (-1.75, .25)])))
    print("[\n" + ",\n".join(json.dumps(v) for v in vectors) + "\n]")


main()

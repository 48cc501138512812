"""Writes vectors.json: what the Rust code must reproduce, worked out a second way.

This is deliberately slow and literal: wealth is multiplied out as plain
probabilities instead of summed as logarithms, medians come from the standard
library, interval ends from halving a wide bracket two hundred times. Run it as
`python3 vectors.py > vectors.json`; it needs nothing but Python.
"""

import json
import math
import random
import statistics

TOLERANCE, THRESHOLD = math.log(1.01), math.log(1.03)
COMPONENTS = (1.0, 2.0, 4.0)


def scale(past):
    """The scale of the next block, from the blocks before it."""
    if len(past) < 3:
        return 0.02
    center = statistics.median(past)
    mad = 1.4826 * statistics.median(abs(d - center) for d in past)
    return max(5e-4, math.sqrt((3 * 0.02**2 + len(past) * mad**2) / (3 + len(past))))


def scales(d):
    return [scale(d[:i]) for i in range(len(d))]


def evidence(d, boundary, direction):
    """E after the last block, a plain product."""
    total = 0.0
    for c in COMPONENTS:
        wealth = 1.0
        for value, s in zip(d, scales(d)):
            bet = 2 * direction * (value - boundary) / s
            wealth *= 2 / (1 + math.exp(-min(c, max(-c, bet))))
        total += wealth / len(COMPONENTS)
    return total


def correct(raw, coins):
    """Takes the order effect out, looking at earlier blocks only."""
    corrected = []
    for i, (d, coin) in enumerate(zip(raw, coins)):
        heads = [raw[j] for j in range(i) if coins[j] > 0]
        tails = [-raw[j] for j in range(i) if coins[j] < 0]
        shift = 0.0
        if len(heads) >= 3 and len(tails) >= 3:
            effect = (statistics.median(heads) + statistics.median(tails)) / 2
            if abs(effect) > 2.5 * scale(corrected) / math.sqrt(i):
                shift = coin * effect
        corrected.append(d - shift)
    return corrected


def lower_end(d, side):
    low, high = -64.0, 64.0
    if evidence(d, low, +1) < side:
        return None
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if evidence(d, middle, +1) >= side else (low, middle)
    return low


def interval(d, side):
    low, high = lower_end(d, side), lower_end([-x for x in d], side)
    return [low, None if high is None else -high]


def intersection(d, side):
    ends = [interval(d[: n + 1], side) for n in range(len(d))]
    lows = [low for low, _ in ends if low is not None]
    highs = [high for _, high in ends if high is not None]
    return [max(lows, default=None), min(highs, default=None)]


def decide(d, family, alpha=0.05, alpha_unchanged=0.05, least=6):
    best = [1.0] * 4
    for n in range(1, len(d) + 1):
        seen = d[:n]
        tests = [(TOLERANCE, 1), (-TOLERANCE, -1), (THRESHOLD, -1), (-THRESHOLD, 1)]
        best = [max(b, evidence(seen, m, sg)) for b, (m, sg) in zip(best, tests)]
        center = statistics.median(seen)
        if n < least:
            continue
        if best[0] >= 2 * family / alpha and center >= THRESHOLD:
            return "slower", n, best
        if best[1] >= 2 * family / alpha and center <= -THRESHOLD:
            return "faster", n, best
        if min(best[2:]) >= 1 / alpha_unchanged:
            return "equal", n, best
    return None, len(d), best


def detectable(d, family, alpha=0.05):
    n, needed = len(d), math.log(2 * family / alpha)
    if n <= 1.45 * needed:
        return None
    center = statistics.median(d)
    sd = 1.4826 * statistics.median(abs(x - center) for x in d)
    return max(
        TOLERANCE + 1.4 * sd * (1.57 * needed / (n - 1.45 * needed)) ** 0.4,
        THRESHOLD + 1.6 * sd / math.sqrt(n),
    )


def case(name, raw, coins, family):
    corrected = correct(raw, coins)
    decision, counted, best = decide(corrected, family)
    seen = corrected[:counted]
    return {
        "name": name,
        "family": family,
        "raw": raw,
        "coins": coins,
        "corrected": seen,
        "scales": scales(seen),
        "log_e_tolerance_up": [math.log(evidence(seen[: n + 1], TOLERANCE, 1)) for n in range(counted)],
        "decision": decision,
        "counted": counted,
        "log_e": [math.log(b) for b in best],
        "alone": interval(seen, 40),
        "interval": intersection(seen, 20 if decision == "equal" else 40),
        "detectable": detectable(seen, family),
    }


def draw(seed, n, effect, spread, order=0.0, spike=0.0):
    source = random.Random(seed)
    coins = [source.choice((1, -1)) for _ in range(n)]
    raw = []
    for coin in coins:
        noise = source.gauss(0, spread)
        if source.random() < spike:
            noise += source.choice((1, -1)) * source.expovariate(5)
        raw.append(round(effect + order * coin + noise, 6))
    return raw, coins


def main():
    cases = [
        case("quiet and equal", *draw(1, 12, 0.0, 0.008), 100),
        case("five per cent slower", *draw(2, 30, math.log(1.05), 0.012), 100),
        case("ten per cent faster, family of one", *draw(3, 20, math.log(0.9), 0.01), 1),
        case("eight times slower", *draw(4, 20, math.log(8), 0.01), 100),
        case("ten times faster", *draw(5, 20, math.log(0.1), 0.01), 100),
        case("second place costs three per cent", *draw(6, 40, 0.0, 0.004, order=0.03), 100),
        case("second place costs, and five per cent slower", *draw(7, 40, math.log(1.05), 0.006, order=0.02), 20),
        case("spikes", *draw(8, 40, 0.02, 0.03, spike=0.2), 100),
        case("three blocks", *draw(9, 3, 0.05, 0.01), 100),
        case("all zero", [0.0] * 8, [1, -1] * 4, 10),
    ]
    print(json.dumps(cases, indent=1))


if __name__ == "__main__":
    main()

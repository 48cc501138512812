"""A few benchmarks that do what they should."""


def time_a():
    sum(n * n for n in range(2000))


def time_b():
    sorted(range(9000), key=lambda n: -n)


def time_c():
    "".join(str(n) for n in range(2000))


def track_d():
    return 42

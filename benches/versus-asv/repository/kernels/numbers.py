"""Kernels of arithmetic."""


def collatz(units):
    steps = 0
    for _ in range(units):
        n = 97
        while n != 1:
            n = 3 * n + 1 if n & 1 else n >> 1
            steps += 1
    return steps


def horner(units):
    coefficients = [0.5 / (n + 1) for n in range(100)]
    total = 0.0
    for _ in range(units):
        value = 0.0
        for c in coefficients:
            value = value * 0.75 + c
        total += value
    return total


def matrices(units):
    left = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    for _ in range(units):
        product = [
            [sum(left[i][k] * left[k][j] for k in range(3)) for j in range(3)] for i in range(3)
        ]
    return product


def sieve(units):
    for _ in range(units):
        prime = [True] * 150
        for n in range(2, 13):
            if prime[n]:
                for multiple in range(n * n, 150, n):
                    prime[multiple] = False
    return sum(prime)


def comprehensions(units):
    total = 0
    for _ in range(units):
        total += len([n * 3 for n in range(120) if n % 7])
    return total

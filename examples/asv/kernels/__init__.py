"""The code under test."""

units = {"slower": 1000, "faster": 1000, "same": 1000}


def work(count):
    total = 0
    for number in range(count):
        total += number & 7
    return total

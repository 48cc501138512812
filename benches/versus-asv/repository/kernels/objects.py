"""Kernels of objects, calls and control flow."""


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def moved(self, dx, dy):
        return Point(self.x + dx, self.y + dy)


def attributes(units):
    point = Point(1, 2)
    for _ in range(units):
        for _ in range(40):
            point.x = (point.x + point.y) % 97
            point.y = (point.y + 3) % 89
    return point.x


def calls(units):
    for _ in range(units):
        point = Point(0, 0)
        for _ in range(30):
            point = point.moved(1, 2)
    return point.x


def closures(units):
    def adder(step):
        return lambda value: (value + step) % 1009

    adders = [adder(step) for step in range(20)]
    value = 0
    for _ in range(units):
        for add in adders:
            value = add(add(value))
    return value


def exceptions(units):
    numbers = {n: n for n in range(0, 40, 2)}
    missed = 0
    for _ in range(units):
        for n in range(40):
            try:
                numbers[n]
            except KeyError:
                missed += 1
    return missed


def generators(units):
    total = 0
    for _ in range(units):
        squares = (n * n for n in range(60))
        total += sum(s for s in squares if s & 1)
    return total

"""Kernels of text and containers."""

TEXT = "the quick brown fox jumps over the lazy dog while seven wizards make toxic brew "


def binary_search(units):
    values = list(range(0, 2000, 3))
    found = 0
    for _ in range(units):
        for wanted in range(0, 2000, 250):
            low, high = 0, len(values)
            while low < high:
                middle = (low + high) // 2
                if values[middle] < wanted:
                    low = middle + 1
                else:
                    high = middle
            found += low
    return found


def characters(units):
    vowels = 0
    for _ in range(units):
        for char in TEXT:
            if char in "aeiou":
                vowels += 1
    return vowels


def dictionaries(units):
    for _ in range(units):
        index = {}
        for n in range(80):
            index.setdefault(n % 11, []).append(n)
    return len(index)


def insertion(units):
    source = [(n * 37) % 23 for n in range(23)]
    for _ in range(units):
        values = source[:]
        for i in range(1, 23):
            value, j = values[i], i
            while j and values[j - 1] > value:
                values[j] = values[j - 1]
                j -= 1
            values[j] = value
    return values


def strings(units):
    for _ in range(units):
        parts = []
        for n in range(40):
            parts.append(f"{n}:{n * n}")
        line = ",".join(parts)
    return line


def words(units):
    for _ in range(units):
        counts = {}
        for word in TEXT.split():
            counts[word.title()] = counts.get(word.title(), 0) + 1
    return counts

"""Finds and counts words."""


def distance(left, right):
    """How many letters must be put in, taken out or changed to make one word the other."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        corner, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            best = corner if a == b else 1 + min(corner, row[j], row[j - 1])
            corner, row[j] = row[j], best
    return row[-1]


def count(words):
    """How often each word occurs, without regard to capitals."""
    counts = {}
    for word in words:
        word = word.lower()
        counts[word] = counts.get(word, 0) + 1
    return counts

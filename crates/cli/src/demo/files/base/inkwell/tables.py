"""Arranges rows."""


def insert_sorted(values):
    """The values in order, sorted by insertion: quick for the few and the nearly sorted."""
    ordered = list(values)
    for i in range(1, len(ordered)):
        value, j = ordered[i], i
        while j and ordered[j - 1] > value:
            ordered[j] = ordered[j - 1]
            j -= 1
        ordered[j] = value
    return ordered


def group(rows):
    """Rows by their first field, in the order of their first appearance."""
    groups = {}
    for key, value in rows:
        if key in groups:
            groups[key].append(value)
        else:
            groups[key] = [value]
    return groups

"""Arranges words on lines."""

# How often the spaces of a line are evened out; after this many they no longer move visibly.
PASSES = 144


def justify(words, width):
    """How wide each space of a line is, evened out from left to right."""
    letters = sum(len(word) for word in words)
    spare = (width - letters) / (len(words) - 1)
    spaces = [spare * (1.0 + 0.1 * (len(word) % 3)) for word in words[1:]]
    inner = range(1, len(spaces) - 1)
    for _ in range(PASSES):
        for i in inner:
            spaces[i] = 0.25 * spaces[i - 1] + 0.5 * spaces[i] + 0.25 * spaces[i + 1]
    return spaces


def wrap(words, width):
    """Lines of at most `width` characters, each as full as can be."""
    lines, line, length = [], [], -1
    for word in words:
        if length + 1 + len(word) > width:
            lines.append(" ".join(line))
            line, length = [], -1
        line.append(word)
        length += 1 + len(word)
    lines.append(" ".join(line))
    return lines

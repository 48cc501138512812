"""Checksums that notice a changed or moved byte."""

# How often the whole message is mixed in: more spreads a change further.
ROUNDS = 40


def digest(message):
    """The checksum of a message, 0 to 2**32 - 1."""
    state = 0x811C9DC5
    for _ in range(ROUNDS):
        for byte in message:
            state = ((state ^ byte) * 0x01000193) & 0xFFFFFFFF
    return state


def combine(digests):
    """One checksum for many, in which their order counts."""
    low, high = 1, 0
    for value in digests:
        low = (low + (value & 0xFFFF)) % 65521
        high = (high + low) % 65521
    return high << 16 | low

"""The text that the benchmarks work on, the same in every process."""

import random

SYLLABLES = ["ba", "den", "kor", "lu", "mi", "nes", "pra", "ru", "sto", "ti", "va", "zel"]


def words(count):
    """Made-up words of two to four syllables."""
    chance = random.Random(20260801)
    return ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(count)]

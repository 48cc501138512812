from inkwell import parse

NUMBERS = ", ".join(str(n * n) for n in range(700))
SETTINGS = [f"option-{n} = {n * 7} # the {n}th" for n in range(1000)]


def time_numbers():
    parse.numbers(NUMBERS)


def time_settings():
    parse.settings(SETTINGS)

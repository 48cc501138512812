"""Reads numbers and settings out of text."""


def numbers(text):
    """Every run of digits, as numbers."""
    found, value, inside = [], 0, False
    for char in text:
        if "0" <= char <= "9":
            value = value * 10 + ord(char) - 48
            inside = True
        elif inside:
            found.append(value)
            value, inside = 0, False
    if inside:
        found.append(value)
    return found


def settings(lines):
    """`key = value` lines as a dictionary; what follows a `#` is left out."""
    result = {}
    for line in lines:
        line = line.partition("#")[0]
        key, found, value = line.partition("=")
        if found:
            result[key.strip()] = value.strip()
    return result

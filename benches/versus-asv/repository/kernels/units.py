"""How many units of work each kernel does."""

UNITS = {
    "attributes": 100,
    "binary_search": 100,
    "calls": 100,
    "characters": 100,
    "closures": 100,
    "collatz": 100,
    "comprehensions": 100,
    "dictionaries": 100,
    "exceptions": 100,
    "generators": 100,
    "horner": 100,
    "insertion": 100,
    "matrices": 100,
    "sieve": 100,
    "strings": 100,
    "words": 100,
}

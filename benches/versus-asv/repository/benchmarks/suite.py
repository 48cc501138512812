"""One benchmark for each kernel."""

from kernels import numbers, objects, tables
from kernels.units import UNITS


def time_attributes():
    objects.attributes(UNITS["attributes"])


def time_binary_search():
    tables.binary_search(UNITS["binary_search"])


def time_calls():
    objects.calls(UNITS["calls"])


def time_characters():
    tables.characters(UNITS["characters"])


def time_closures():
    objects.closures(UNITS["closures"])


def time_collatz():
    numbers.collatz(UNITS["collatz"])


def time_comprehensions():
    numbers.comprehensions(UNITS["comprehensions"])


def time_dictionaries():
    tables.dictionaries(UNITS["dictionaries"])


def time_exceptions():
    objects.exceptions(UNITS["exceptions"])


def time_generators():
    objects.generators(UNITS["generators"])


def time_horner():
    numbers.horner(UNITS["horner"])


def time_insertion():
    tables.insertion(UNITS["insertion"])


def time_matrices():
    numbers.matrices(UNITS["matrices"])


def time_sieve():
    numbers.sieve(UNITS["sieve"])


def time_strings():
    tables.strings(UNITS["strings"])


def time_words():
    tables.words(UNITS["words"])


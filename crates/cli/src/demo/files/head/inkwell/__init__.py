"""Reads, arranges and checks plain text.

Everything takes and returns plain values: strings, numbers, lists and dictionaries.
"""

from inkwell import checksum, layout, parse, search, tables

__all__ = ["checksum", "layout", "parse", "search", "tables"]

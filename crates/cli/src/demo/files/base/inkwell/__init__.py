"""Reads, arranges and checks plain text."""

from inkwell import checksum, layout, parse, search, tables

__all__ = ["checksum", "layout", "parse", "search", "tables"]

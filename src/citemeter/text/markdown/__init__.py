"""Blocks, tables, verbatim stretches and lists of references."""

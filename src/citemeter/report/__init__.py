"""Renderers: each turns a report into a string."""

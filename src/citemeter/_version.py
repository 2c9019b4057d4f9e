"""The version, written down once."""

__version__ = "0.1.0"

"""YAML, read as plain values."""

from __future__ import annotations

from collections.abc import Hashable
from importlib import import_module
from typing import Any

from citemeter.errors import InputError

__all__ = ["load_yaml"]

_INSTALL = "pip install 'citemeter[yaml]'"


def load_yaml(text: str, name: str = "the text") -> Any:
    """Return what a YAML document holds: plain values only; a key given twice is an error.

    Args:
        text: The document.
        name: What to call it in an error.

    Raises:
        InputError: If it is no YAML, holds tags for other objects, or repeats a key.
        ImportError: If PyYAML is not installed; the message says how to install it.
    """
    try:
        yaml = import_module("yaml")
    except ImportError as error:
        raise ImportError(f"reading YAML needs PyYAML: {_INSTALL}") from error

    class Loader(yaml.SafeLoader):  # type: ignore[misc, name-defined]
        """The safe loader, without the silent loss of a key's first value."""

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
            seen: set[Hashable] = set()
            for key_node, _ in getattr(node, "value", ()):
                if key_node.tag == "tag:yaml.org,2002:merge":
                    continue
                key = self.construct_object(key_node, deep=True)
                if isinstance(key, Hashable) and key in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {str(key)[:80]!r} is given twice", key_node.start_mark
                    )
                if isinstance(key, Hashable):
                    seen.add(key)
            found: dict[Hashable, Any] = super().construct_mapping(node, deep)
            return found

    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{name}:{mark.line + 1}" if mark is not None else name
        problem = getattr(error, "problem", None) or str(error)
        raise InputError(
            f"malformed YAML ({problem}).", record=place, fix="write plain YAML."
        ) from None
    except RecursionError:
        raise InputError(
            "malformed YAML (nested too deeply).", record=name, fix="write plain YAML."
        ) from None
    except ValueError as error:  # as of a date that no calendar has
        raise InputError(
            f"malformed YAML ({error}).", record=name, fix="put the value in quotes."
        ) from None

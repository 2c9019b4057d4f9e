"""The package as installed: cheap to import, typed, with one version and its licence."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import runpy
import subprocess
import sys
import tomllib
from importlib import metadata, resources

import pytest

import citemeter
from support import ROOT

HEAVY = {
    "torch",
    "onnxruntime",
    "tokenizers",
    "openai",
    "yaml",
    "PIL",
    "transformers",
    "nupunkt",
    "punkt",
    "rapidfuzz",
    "numpy",
    "pandas",
    "typer",
    "click",
    "rich",
    "citemeter.cli",
    "citemeter.judges.lexical.judge",
}

_IMPORTS = """
import json, socket, sys
def refuse(*args, **kwargs): raise AssertionError('the import opened a socket')
socket.socket = socket.create_connection = refuse
import citemeter
package = set(sys.modules)
import citemeter.grounding
print(json.dumps([list(package), list(sys.modules)]))
"""

_TIMED_IMPORT = """
import time
start = time.process_time()
import citemeter
print(time.process_time() - start)
"""


def _fresh(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_importing_needs_no_network_and_pulls_in_nothing_heavy() -> None:
    package, grounding = json.loads(_fresh(_IMPORTS))
    assert "citemeter" in package
    assert not HEAVY & set(package)
    assert not {"yaml", "PIL"} & set(grounding)


@pytest.mark.slow
def test_importing_takes_less_than_half_a_second() -> None:
    # Processor time, and the best of three: the import cannot be luckily fast.
    assert min(float(_fresh(_TIMED_IMPORT)) for _ in range(3)) < 0.5


def test_the_type_marker_is_shipped() -> None:
    assert resources.files("citemeter").joinpath("py.typed").is_file()


def test_there_is_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citemeter.__version__ == project["version"] == metadata.version("citemeter")


def test_the_citation_file_and_the_changelog_have_the_version() -> None:
    if not (ROOT / "CITATION.cff").exists():  # the wheel is tested without the source tree
        return
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {citemeter.__version__}\n" in citation
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(citemeter.__version__)}\]", changelog, re.MULTILINE)


def test_the_licence_is_apache_2() -> None:
    assert metadata.metadata("citemeter")["License-Expression"] == "Apache-2.0"


def test_base_dependencies_hold_no_torch() -> None:
    base = [r for r in metadata.requires("citemeter") or [] if "extra ==" not in r]
    names = {re.split(r"[^A-Za-z0-9_-]", requirement)[0] for requirement in base}
    judging = {"onnxruntime", "tokenizers"}  # the default judge's network, which is in the package
    assert names == {"numpy", "pydantic", "nupunkt", "rapidfuzz", "rich", "typer", *judging}


def test_every_public_name_exists_and_is_documented() -> None:
    for name in citemeter.__all__:
        value = getattr(citemeter, name)
        if callable(value) and hasattr(value, "__module__") and name != "Entails":
            assert value.__doc__, name


def test_no_name_hides_a_module() -> None:
    # ``import citemeter.a.b as m`` gives the module, and so does ``from citemeter.a import b``.
    hidden = []
    for found in pkgutil.walk_packages(citemeter.__path__, "citemeter."):
        package, _, name = found.name.rpartition(".")
        if name != "__main__":
            module = importlib.import_module(found.name)
            holder = sys.modules[package]
            if getattr(holder, name) is not module or name in getattr(holder, "__all__", ()):
                hidden.append(found.name)
    assert hidden == []


needs_contributing = pytest.mark.skipif(
    not (ROOT / "CONTRIBUTING.md").exists(), reason="the wheel is tested without the source tree"
)


@needs_contributing
def test_the_layout_names_every_package_and_module() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = text.partition("<!-- layout -->")[2].partition("<!-- /layout -->")[0]
    there = {
        f"{path.name}/" if path.is_dir() else path.name
        for path in (ROOT / "src" / "citemeter").iterdir()
        if (path / "__init__.py").exists() or (path.suffix == ".py" and path.stem != "__init__")
    }
    assert set(re.findall(r"^  (\w+(?:/|\.py))", block, re.MULTILINE)) == there


@needs_contributing
def test_the_layout_and_the_picture_are_as_the_source_is() -> None:
    # To bring them up to date: python docs/_tools/package_picture.py --write
    tool = runpy.run_path(str(ROOT / "docs" / "_tools" / "package_picture.py"))
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert tool["refreshed"](text) == text

"""Keep CONTRIBUTING.md's layout and its picture of the packages as the source has them.

    python docs/_tools/package_picture.py            # exit code 1 if the page is out of date
    python docs/_tools/package_picture.py --write    # rewrite it

The layout has every package and module with the first line of its docstring, in the order of the
layers in pyproject.toml. The picture has an arrow for every import between them, but for those that
a longer way of arrows implies; an import that waits until a function needs it is dotted.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "citemeter"
PAGE = ROOT / "CONTRIBUTING.md"
_WIDTH = 118
_COLUMN = 18


def layers() -> list[list[str]]:
    """Return the packages and modules by layer, the highest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (found,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [re.findall(r"\w+", layer) for layer in found]


def layout() -> str:
    """Return the tree of packages and modules, with what each is for."""
    lines = ["src/citemeter/"]
    for layer in layers():
        for name in layer:
            lines += _entry(SOURCE / name, "  ")
    return "\n".join(lines)


def picture() -> str:
    """Return the imports between packages as a Mermaid flowchart."""
    names = [name for layer in layers() for name in layer]
    now, later = imports(names)
    lines = ["flowchart TD"]
    for name in names:
        for other in names:
            if other in now[name] and not _implied(name, other, now):
                lines.append(f"    {name} --> {other}")
            elif other in later[name] and other not in now[name] | _reached(name, now):
                lines.append(f"    {name} -.-> {other}")
    return "\n".join(lines)


def imports(names: list[str]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return what each package or module imports: at once, and when a function needs it."""
    now: dict[str, set[str]] = {name: set() for name in names}
    later: dict[str, set[str]] = {name: set() for name in names}
    for name in names:
        files = (
            (SOURCE / name).rglob("*.py") if (SOURCE / name).is_dir() else [_file(SOURCE / name)]
        )
        for file in files:
            for target, at_once in _imported(ast.parse(file.read_text(encoding="utf-8")), True):
                if target in now and target != name:
                    (now if at_once else later)[name].add(target)
    return now, later


def refreshed(text: str) -> str:
    """Return the page's text with the layout and the picture as they are now."""
    for name, language, made in (("layout", "", layout()), ("picture", "mermaid", picture())):
        place = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
        if not place.search(text):
            raise SystemExit(f"CONTRIBUTING.md has no place <!-- {name} -->")
        text = place.sub(lambda _: f"\n```{language}\n{made}\n```\n\n", text)  # noqa: B023
    return text


def _entry(path: Path, indent: str) -> list[str]:
    docstring = ast.get_docstring(ast.parse(_file(path).read_text(encoding="utf-8"))) or ""
    summary = docstring.partition("\n")[0]
    name = f"{indent}{path.name}{'/' if path.is_dir() else '.py'}"
    lines = _wrapped(name, summary.rstrip("."))
    if path.is_dir():
        modules = sorted(file.stem for file in path.glob("*.py") if not file.stem.startswith("_"))
        if indent == "  " and modules:
            lines += _wrapped("", " · ".join(modules))
        for folder in sorted(path.iterdir()):
            if (folder / "__init__.py").exists():
                lines += _entry(folder, indent + "  ")
    return lines


def _wrapped(head: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=f"{head:{_COLUMN}}  ",
        subsequent_indent=" " * (_COLUMN + 2),
        break_on_hyphens=False,
    )


def _file(path: Path) -> Path:
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _imported(node: ast.AST, at_once: bool) -> Iterator[tuple[str, bool]]:
    """Yield the top-level packages imported below a node, and whether at once."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom) and child.module and not child.level:
            modules = [child.module]
            if child.module == "citemeter":
                modules = [f"citemeter.{alias.name}" for alias in child.names]
        elif isinstance(child, ast.Import):
            modules = [alias.name for alias in child.names]
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue  # for readers of types alone
        else:
            in_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imported(child, at_once and not in_function)
            continue
        for module in modules:
            package, _, rest = module.partition(".")
            if package == "citemeter" and rest:
                yield rest.partition(".")[0], at_once


def _reached(name: str, graph: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def _implied(name: str, other: str, graph: dict[str, set[str]]) -> bool:
    return any(other in _reached(between, graph) for between in graph[name] - {other})


def main() -> None:
    """Check the page, or rewrite it."""
    text = PAGE.read_text(encoding="utf-8")
    new = refreshed(text)
    if new == text:
        return
    if "--write" not in sys.argv[1:]:
        raise SystemExit("CONTRIBUTING.md is out of date: docs/_tools/package_picture.py --write")
    PAGE.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()

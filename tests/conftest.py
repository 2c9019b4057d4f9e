"""Fixtures that all tests share."""

from __future__ import annotations

import importlib
import io
import logging
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from support import ROOT, Command, Done


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and reference values beside the checkout; skips where it is not."""
    folder = ROOT.parent / "shared"
    if not (folder / "reference").is_dir():
        pytest.skip("the shared data folder is not beside this checkout")
    return folder


@pytest.fixture(scope="module")
def scripts(request: pytest.FixtureRequest) -> dict[str, ModuleType]:
    """The training scripts that a test module names in ``NAMES``, imported anew for it."""
    if not (ROOT / "training").is_dir():
        pytest.skip("the training scripts are not beside these tests")
    names: tuple[str, ...] = request.module.NAMES
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "training"))
        for name in names:
            patch.delitem(sys.modules, name, raising=False)
        return {name: importlib.import_module(name) for name in names}


@pytest.fixture(scope="module")
def measures(scripts: dict[str, ModuleType]) -> ModuleType:
    return scripts["measures"]


@pytest.fixture(scope="module")
def steps(scripts: dict[str, ModuleType]) -> ModuleType:
    return scripts["steps"]


TERMINAL = {"COLUMNS": "120", "PYTHONIOENCODING": "utf-8"}


@pytest.fixture(scope="session")
def citemeter_process() -> Command:
    """Run the command line as a user runs it, in a process of its own."""

    def run(*arguments: str, stdin: str | bytes = b"", env: dict[str, str] | None = None) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "citemeter.cli", *arguments],
            input=_encoded(stdin),
            capture_output=True,
            env={**os.environ, **TERMINAL, **(env or {})},
            timeout=60,
            check=False,
        )
        return Done(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture(scope="session")
def citemeter() -> Command:
    """Run the command line as ``citemeter_process`` does, but within this process: far quicker.

    An exception that would be a traceback there is raised here.
    """

    def run(*arguments: str, stdin: str | bytes = b"", env: dict[str, str] | None = None) -> Done:
        from citemeter.cli import main

        return _within(main, ["citemeter", *arguments], stdin, env)

    return run


@pytest.fixture(scope="session")
def printed() -> Callable[..., str]:
    """Run a script of the checkout within this process; return what it prints.

    It must succeed without a word on standard error.
    """

    def run(script: str, *arguments: str) -> str:
        path = str(ROOT / script)
        if not Path(path).is_file():
            pytest.skip(f"{script} is not beside these tests")
        done = _within(lambda: runpy.run_path(path, run_name="__main__"), [path, *arguments])
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return run


def _within(
    main: Callable[[], object],
    argv: list[str],
    stdin: str | bytes = b"",
    env: dict[str, str] | None = None,
) -> Done:
    """Run a program within this process as if it were alone."""
    output, errors = io.BytesIO(), io.BytesIO()
    with _a_programs_own_state(), pytest.MonkeyPatch.context() as patch:
        for name, value in {**TERMINAL, **(env or {})}.items():
            patch.setenv(name, value)
        for folder in filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)):
            patch.syspath_prepend(folder)
        patch.setattr(sys, "argv", argv)
        patch.setattr(sys, "stdin", _stream(io.BytesIO(_encoded(stdin)), "strict"))
        patch.setattr(sys, "stdout", _stream(output, "strict"))
        patch.setattr(sys, "stderr", _stream(errors, "backslashreplace"))
        code = _exit_code(main)
        sys.stdout.flush()
        sys.stderr.flush()
        return Done(argv, code, output.getvalue().decode(), errors.getvalue().decode())


def _encoded(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _stream(file: io.BytesIO, errors: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(file, encoding="utf-8", errors=errors, newline="\n")


def _exit_code(main: Callable[[], object]) -> int:
    """Run a program; return the code with which the interpreter would exit."""
    try:
        main()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    return 0


@contextmanager
def _a_programs_own_state() -> Iterator[None]:
    """Take back what a program may change of its process; forget the modules only it could find."""
    environment, folder, path, hook = dict(os.environ), Path.cwd(), list(sys.path), sys.excepthook
    signals = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    modules, log = set(sys.modules), logging.getLogger()
    handlers, level = list(log.handlers), log.level
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        sys.path[:], sys.excepthook = path, hook
        for number, handler in signals.items():
            signal.signal(number, handler)
        log.handlers[:], log.level = handlers, level
        for name in set(sys.modules) - modules:
            # A test's own module would be found again by the next test that names one alike.
            if not _is_installed(sys.modules[name]):
                del sys.modules[name]
        importlib.invalidate_caches()


def _is_installed(module: ModuleType) -> bool:
    """Whether a module can still be found, so that it may stay imported."""
    file = getattr(module, "__file__", None)
    return file is None or any(Path(file).is_relative_to(folder) for folder in sys.path if folder)

"""The C parser without the rest of its library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SERVER = Path(__file__).parents[2] / "server"


def run(code: str) -> str:
    """What a process of its own prints."""
    begin = f"import sys; sys.path.insert(0, {str(SERVER)!r})\n"
    done = subprocess.run(
        [sys.executable, "-c", begin + code], capture_output=True, check=True, text=True
    )
    return done.stdout.strip()


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="the C parser is CPython's")
def test_to_read_a_state_loads_little() -> None:
    loaded = run(
        "before = set(sys.modules)\n"
        "from synapse_ls.formats.workflow_state import parse\n"
        "print(parse('workflow_id: a\\nsteps: []\\n').document.workflow_id)\n"
        "print(*sys.modules.keys() - before)"
    ).split()
    assert loaded[0] == "a"
    assert "_ruamel_yaml" in loaded
    too_much = ("dataclasses", "inspect", "ruamel.yaml", "ruamel.yaml.constructor")
    assert not set(too_much) & set(loaded)


def test_who_imports_the_library_afterwards_gets_all_of_it() -> None:
    assert (
        run(
            "from synapse_ls.formats.yaml_tree import parse_yaml\n"
            "parse_yaml('a: [1')\n"
            "import io\n"
            "from ruamel.yaml import YAML\n"
            "from ruamel.yaml.parser import ParserError\n"
            "from ruamel.yaml.error import YAMLError\n"
            "yaml, out = YAML(), io.StringIO()\n"
            "read = yaml.load('# why\\na: [1, 2] # two\\n')\n"
            "yaml.dump(read, out)\n"
            "print(issubclass(ParserError, YAMLError), repr(out.getvalue()), YAML(typ='safe').load('b: 1'))"
        )
        == r"True '# why\na: [1, 2] # two\n' {'b': 1}"
    )


@pytest.mark.parametrize("imported", ["ruamel.yaml", "_ruamel_yaml", ""])
def test_an_error_is_told_whoever_imported_the_library_before(imported: str) -> None:
    code = (
        "from synapse_ls.formats.yaml_tree import parse_yaml\n"
        "print([(it.message, it.span.start) for it in parse_yaml('a: [1').problems])"
    )
    before = f"import {imported}\n" if imported else ""
    told = run(before + code)
    assert told == "[('The `[` is never closed, so this YAML cannot be read.', 3)]"

"""The protocol's classes are those of lsprotocol, though each is completed when it is first used."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

import pytest


def run(code: str) -> str:
    """What a process prints whose first import is the server's."""
    head = "from synapse_ls.lsp import stdio_server\nimport attrs\nfrom lsprotocol import types\n"
    command = [sys.executable, "-c", head + dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_class_is_completed_when_it_is_used_and_no_earlier() -> None:
    said = run("""
        def is_complete(kind):
            return isinstance(vars(kind)["__attrs_attrs__"], tuple)
        print(is_complete(types.Hover), is_complete(types.Location), is_complete(types.Range))
        types.Hover("x")
        attrs.fields(types.Location)
        print(is_complete(types.Hover), is_complete(types.Location), is_complete(types.Range))
    """)
    assert said.splitlines() == ["False False False", "True True False"]


@pytest.mark.slow
def test_every_class_has_the_fields_defaults_and_checks_of_the_library() -> None:
    listing = """
        import re
        for name, kind in sorted(types.ALL_TYPES_MAP.items(), key=str):
            if isinstance(kind, type) and attrs.has(kind):
                fields = attrs.fields(kind)
                told = [(f.name, f.default, f.init, f.alias, f.eq) for f in fields]
                checked = [re.sub("at 0x[0-9a-f]+", "", repr(f.validator)) for f in fields]
                methods = [
                    method
                    for method in ("__eq__", "__hash__", "__repr__", "__lt__", "__setattr__")
                    if getattr(kind, method) is not getattr(object, method)
                ]
                print(name, kind.__module__, told, checked, methods)
    """
    plain = [sys.executable, "-c", "import attrs\nfrom lsprotocol import types\n" + dedent(listing)]
    library = subprocess.run(plain, capture_output=True, text=True, check=True).stdout.strip()
    assert run(listing) == library
    assert library.count("\n") > 500


def test_what_does_not_fit_is_refused_as_the_library_does() -> None:
    said = run("""
        for make in (lambda: types.Position(-1, 0), lambda: types.Position(1), lambda: types.Hover("x", y=1)):
            try:
                make()
            except (TypeError, ValueError) as error:
                print(type(error).__name__)
        position = types.Position(1, 2)
        print(position == types.Position(1, 2), position < types.Position(1, 3))
        try:
            position.line = "x"
        except (TypeError, ValueError) as error:
            print(type(error).__name__)
    """)
    assert said.split() == ["ValueError", "TypeError", "TypeError", "True", "True", "ValueError"]


def test_threads_may_use_a_class_for_the_first_time_together() -> None:
    said = run("""
        import sys
        from concurrent.futures import ThreadPoolExecutor
        from pygls.protocol import default_converter
        sys.setswitchinterval(1e-6)
        kinds = [kind for kind in types.ALL_TYPES_MAP.values() if isinstance(kind, type)]
        def use(kind):
            assert not any(isinstance(field.type, str) for field in attrs.fields(kind))
            return types.Range(types.Position(0, 0), types.Position(0, 1))
        with ThreadPoolExecutor(4) as pool:
            print(len(set(map(repr, pool.map(use, [k for k in kinds if attrs.has(k)][:40] * 4)))))
        read = default_converter().structure({"contents": "x"}, types.Hover)
        print(read == types.Hover("x"))
    """)
    assert said.split() == ["1", "True"]

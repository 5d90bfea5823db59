"""A glob of the manifest means the same in the dialects of other programs, or it is said."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.engine.path_globs import first_matching_path
from synapse_ls.formats.instruction_scopes import Anchor, GlobDialect, translate_globs

PLAIN = GlobDialect("a client", Anchor.ROOT)


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        ("src/**", "src/**"),
        ("src/**.ts", "src/*.ts"),
        ("/docs/*.md", "docs/*.md"),
        ("app/[slug]/page.tsx", "app/[[]slug[]]/page.tsx"),
        ("app/(group)/*.tsx", "app/[(]group[)]/*.tsx"),
        ("a,b/*.md", "a[,]b/*.md"),
    ],
)
def test_what_has_a_meaning_elsewhere_is_put_into_brackets(pattern: str, written: str) -> None:
    assert translate_globs([pattern], PLAIN).globs == (written,)


def test_what_a_dialect_cannot_say_matches_more_and_is_said() -> None:
    found = translate_globs(
        ["a,b/**"], GlobDialect("a client", Anchor.ROOT, unmatchable=frozenset(","))
    )
    assert found.globs == ("a?b/**",)
    assert found.wider_globs == (("a,b/**", "a?b/**"),)


def test_a_glob_that_applies_in_every_folder_is_said() -> None:
    found = translate_globs(["src/**", "**/*.sql"], GlobDialect("a client", Anchor.NOWHERE))
    assert found.unanchored_globs == ("src/**",)


def matches(glob: list[str], path: list[str]) -> bool:
    """Whether the parts of a glob with minimatch's classes match those of a path."""
    if not glob:
        return not path
    if glob[0] == "**":
        return any(matches(glob[1:], path[n:]) for n in range(len(path) + 1))
    tokens = re.findall(r"\[.\]|.", glob[0], re.DOTALL)
    part = "".join({"*": ".*", "?": "."}.get(t) or re.escape(t[1:2] or t) for t in tokens)
    return bool(path and re.fullmatch(part, path[0], re.DOTALL)) and matches(glob[1:], path[1:])


NAMES = st.text("ab[](){}!+@,.", min_size=1, max_size=4).filter(lambda n: n.strip("."))
PARTS = st.one_of(NAMES, st.just("**"), st.text("ab*?[]", min_size=1, max_size=3))


@given(st.lists(PARTS, min_size=1, max_size=3), st.lists(NAMES, min_size=1, max_size=3))
def test_a_translation_matches_what_ours_does_and_nothing_else(
    pattern: list[str], path: list[str]
) -> None:
    ours, there = "/".join(pattern), "/".join(path)
    (glob,) = translate_globs([ours], PLAIN).globs
    assert matches(glob.split("/"), path) == bool(first_matching_path([ours], [there]))

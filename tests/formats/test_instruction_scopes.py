"""A file's scope is what its client makes of it, compared with an oracle for each client that is
written from its documentation; and a glob of the manifest means the same there, or it is said.
"""

from __future__ import annotations

import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.instruction_scopes import (
    CLAUDE,
    CURSOR,
    SCOPE_DIALECTS,
    VSCODE,
    Anchor,
    GlobDialect,
    Scope,
    front_matter,
    read_globs,
    read_scope,
    translate_globs,
)
from synapse_ls.text.path_globs import first_matching_path

PLAIN = GlobDialect("a client", Anchor.ROOT)


def scope_of(path: str, front: str = "") -> Scope:
    return read_scope(path, front_matter(f"---\n{front}\n---\n" if front else "- rule\n"))


ALWAYS = Scope(always=True)


@pytest.mark.parametrize(
    ("path", "front", "scope"),
    [
        ("CLAUDE.md", "", ALWAYS),
        (".claude/CLAUDE.md", "", ALWAYS),
        ("CLAUDE.local.md", "", ALWAYS),
        (".github/copilot-instructions.md", "", ALWAYS),
        (".cursorrules", "", ALWAYS),
        (".clinerules", "", ALWAYS),
        ("docs/rules.md", "", ALWAYS),
        ("packages/a/AGENTS.md", "", Scope(paths=("packages/a/**",))),
        ("packages/a/AGENTS.override.md", "", Scope(paths=("packages/a/**",))),
        (".claude/rules/a/b.md", "", ALWAYS),
        (".claude/rules/b.md", 'paths: "**"', ALWAYS),
        (".claude/rules/b.md", "paths:\n  - src/**/*.ts", Scope(paths=("src/**/*.ts",))),
        (".claude/rules/b.md", "paths: '*.{ts,tsx}'", Scope(paths=("**/*.ts", "**/*.tsx"))),
        ("web/.claude/rules/b.md", "", Scope(paths=("web/**",))),
        ("web/.claude/rules/b.md", "paths: /src/*.ts", Scope(paths=("web/src/*.ts",))),
        (".cursor/rules/a.mdc", "alwaysApply: true\nglobs: *.ts", ALWAYS),
        (".cursor/rules/a.mdc", "globs: *.ts,src/**", Scope(paths=("**/*.ts", "src/**"))),
        (".github/instructions/a.instructions.md", 'applyTo: "**"', ALWAYS),
        (
            ".github/instructions/a.instructions.md",
            'applyTo: "*.py,tests/**"',
            Scope(paths=("**/*.py", "**/tests/**")),
        ),
        (
            ".github/instructions/a.instructions.md",
            'applyTo: "**"\nexcludeAgent: "code-review"',
            Scope(always=True),
        ),
        (".windsurf/rules/a.md", "trigger: always_on", ALWAYS),
        (".windsurf/rules/a.md", "trigger: glob\nglobs: src/*.ts", Scope(paths=("src/*.ts",))),
        (".clinerules/a.md", "", ALWAYS),
        (".clinerules/a.md", "paths:\n  - '*.ts'", Scope(paths=("*.ts",))),
        (".kiro/steering/a.md", "", ALWAYS),
        (
            ".kiro/steering/a.md",
            'inclusion: fileMatch\nfileMatchPattern: ["src/**", "*.tsx"]',
            Scope(paths=("src/**", "**/*.tsx")),
        ),
    ],
)
def test_the_place_and_the_front_matter_say_when_a_file_applies(
    path: str, front: str, scope: Scope
) -> None:
    assert scope_of(path, front) == scope


@pytest.mark.parametrize(
    ("path", "front"),
    [
        (".cursor/rules/a.mdc", "description: About tests\nglobs:\nalwaysApply: false"),
        (".cursor/rules/a.mdc", ""),
        (".cursor/rules/a.md", ""),
        (".github/instructions/a.instructions.md", ""),
        (".github/instructions/a.instructions.md", 'applyTo: "**"\nexcludeAgent: coding-agent'),
        (".windsurf/rules/a.md", ""),
        (".windsurf/rules/a.md", "trigger: manual\nglobs: src/*.ts"),
        (".windsurf/rules/a.md", "trigger: model_decision"),
        (".kiro/steering/a.md", "inclusion: manual"),
        (".kiro/steering/a.md", "inclusion: auto\nname: a"),
    ],
)
def test_what_a_client_applies_on_request_is_never_always_on(path: str, front: str) -> None:
    scope = scope_of(path, front)
    assert (scope.always, scope.paths) == (False, ())
    assert scope.why


def test_globs_that_a_manifest_cannot_say_match_more_and_are_named() -> None:
    paths, wider = read_globs(["src/[!a]*.ts", "!src/x.ts", "@(a|b)/*.ts"], PLAIN)
    assert paths == ("src/?*.ts", "a/*.ts", "b/*.ts")
    assert wider == ("src/[!a]*.ts", "!src/x.ts")


def glob_expression(glob: str) -> str:
    """A glob of minimatch, as a regular expression over a path that ends in a slash."""
    if glob.startswith("**/"):
        return "(?:[^/]+/)*" + glob_expression(glob[3:])
    if glob == "**":
        return ".*"
    part, slash, rest = glob.partition("/")
    name = ""
    for token in re.findall(r"\{[^}]*\}|\[[^\]]*\]|.", part, re.DOTALL):
        if token[0] == "{":
            name += "(?:" + "|".join(map(re.escape, token[1:-1].split(","))) + ")"
        elif token[0] == "[":
            name += token
        else:
            name += {"*": "[^/]*", "?": "[^/]"}.get(token) or re.escape(token)
    return f"{name}/" + (glob_expression(rest) if slash else "")


def by_minimatch(glob: str, path: str) -> bool:
    return re.fullmatch(glob_expression(glob), f"{path}/") is not None


def by_match_base(glob: str, path: str) -> bool:
    """Cursor, Windsurf and Kiro: a glob without a slash is one of names in every folder."""
    return by_minimatch(glob if "/" in glob else f"**/{glob}", path)


def by_vscode(glob: str, path: str) -> bool:
    """VS Code 1.139: ``**/`` goes before what begins with neither ``/`` nor ``**/``."""
    return glob == "**" or by_minimatch(glob if glob.startswith("**/") else f"**/{glob}", path)


def by_gitignore(glob: str, path: str) -> bool:
    """Claude Code 2.1.330: gitignore's patterns, of which one for a folder covers what is in it; a
    last ``/**`` is taken away before.
    """
    glob = glob.removesuffix("/**")
    is_rooted = "/" in glob
    glob = glob.removeprefix("/")
    parts = path.split("/")
    parents = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
    return any(by_minimatch(glob if is_rooted else f"**/{glob}", parent) for parent in parents)


ORACLES = {
    "claude": (CLAUDE, by_gitignore),
    "cursor": (CURSOR, by_match_base),
    "copilot": (VSCODE, by_vscode),
    "cline": (SCOPE_DIALECTS["cline"].globs, by_minimatch),
}
FOLDERS = st.sampled_from(("src", "lib", "a", "tests"))
FILES = st.sampled_from(("a.ts", "b.tsx", "c.py", "README.md", "Makefile"))
PATHS = st.builds(lambda folders, file: "/".join((*folders, file)), st.lists(FOLDERS), FILES)
LAST = st.sampled_from(
    ("*.ts", "*.{ts,tsx}", "*.[tp]*", "README.md", "*", "**", "?.py", "b.*", "Makefile", "src")
)
GLOBS = st.builds(
    lambda folders, last: "/".join((*folders, last)),
    st.lists(st.sampled_from(("src", "**", "*", "s*", "{src,lib}")), max_size=3),
    LAST,
).filter(lambda glob: "**/**" not in glob and glob not in ("**", "*"))


@pytest.mark.parametrize("client", ORACLES)
@given(glob=GLOBS, path=PATHS)
def test_a_scope_holds_for_the_files_of_its_client(client: str, glob: str, path: str) -> None:
    dialect, oracle = ORACLES[client]
    paths, wider = read_globs([glob], dialect)
    assert not wider
    assert bool(first_matching_path(paths, [path])) == oracle(glob, path), paths


NAMES = st.text("ab[](){}!+@,.", min_size=1, max_size=4).filter(lambda n: n.strip("."))
PARTS = st.one_of(NAMES, st.just("**"), st.text("ab*?[]", min_size=1, max_size=3))


@pytest.mark.parametrize("client", ORACLES)
@given(
    pattern=st.lists(st.sampled_from(("src", "lib", "*", "**", "a.ts")), min_size=1, max_size=4),
    path=PATHS,
)
def test_what_is_written_for_a_client_matches_no_less_there(
    client: str, pattern: list[str], path: str
) -> None:
    dialect, oracle = ORACLES[client]
    ours = "/".join(pattern)
    written = translate_globs([ours], dialect)
    there = any(map(partial(oracle, path=path), written.globs))
    here = bool(first_matching_path([ours], [path]))
    assert there or not here
    # Of gitignore's patterns, one for a file covers a folder of that name.
    if not (written.unanchored_globs or written.wider_globs or dialect.covers_folders):
        assert there == here


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
    found = translate_globs(["a,b/**"], PLAIN._replace(unmatchable=frozenset(",")))
    assert found.globs == ("a?b/**",)
    assert found.wider_globs == (("a,b/**", "a?b/**"),)


def test_a_glob_that_applies_in_every_folder_is_said() -> None:
    found = translate_globs(["src/**", "**/*.sql"], VSCODE)
    assert found.unanchored_globs == ("src/**",)


def test_a_name_in_the_root_is_anchored_where_a_client_can_be_told() -> None:
    assert translate_globs(["README.md", "src/**"], CLAUDE).globs == ("/README.md", "/src/**")
    assert translate_globs(["README.md"], CURSOR).unanchored_globs == ("README.md",)


def matches(glob: list[str], path: list[str]) -> bool:
    """Whether the parts of a glob with minimatch's classes match those of a path."""
    if not glob:
        return not path
    if glob[0] == "**":
        return any(matches(glob[1:], path[n:]) for n in range(len(path) + 1))
    tokens = re.findall(r"\[.\]|.", glob[0], re.DOTALL)
    part = "".join({"*": ".*", "?": "."}.get(t) or re.escape(t[1:2] or t) for t in tokens)
    return bool(path and re.fullmatch(part, path[0], re.DOTALL)) and matches(glob[1:], path[1:])


@given(st.lists(PARTS, min_size=1, max_size=3), st.lists(NAMES, min_size=1, max_size=3))
def test_a_translation_matches_what_ours_does_and_nothing_else(
    pattern: list[str], path: list[str]
) -> None:
    ours, there = "/".join(pattern), "/".join(path)
    (glob,) = translate_globs([ours], PLAIN).globs
    assert matches(glob.split("/"), path) == bool(first_matching_path([ours], [there]))

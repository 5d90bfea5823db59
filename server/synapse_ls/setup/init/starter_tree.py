"""The starter tree of `synapse init`: templates, or rules from what the repository shows of itself.

The survey reads a few files at the root and runs nothing.
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

from synapse_ls.setup.init.rule_sources import NOT_OURS
from synapse_ls.text.phrases import join_names
from synapse_ls.workspace import file_reader, naming_conventions
from synapse_ls.workspace.edit_plan import EditPlan, create_file
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG, MANIFEST, TREE

# Code points of a description that are worth a rule in each session.
LONGEST_DESCRIPTION = 100

# Commands, languages and the like that one rule names.
MOST_COMMANDS = 3


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """What a repository shows of its languages, tools and rules. about: what it is, in its own
    words. packages: the program that brings packages, with the file that says so. tests, checks:
    the commands that run the tests, and those that look at the code without them. test_folder:
    where the tests are. Each is empty where nothing shows it. is_empty: whether there is nothing
    yet but a description of it.
    """

    about: str = ""
    languages: tuple[str, ...] = ()
    packages: tuple[tuple[str, str], ...] = ()
    tests: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    test_folder: str = ""
    is_empty: bool = True


class _Folder:
    """The root of a project. What cannot be read is as if it were not there."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of what stands in it."""
        try:
            return frozenset(entry.name for entry in self.root.iterdir())
        except OSError:
            return frozenset()

    def first(self, *names: str) -> str:
        """Return the first of ``names`` that is there, "" for none."""
        return next((name for name in names if name in self.names), "")

    def text(self, name: str) -> str:
        """Return the text of a file of the project, "" where there is none to be read."""
        if name not in self.names:
            return ""
        try:
            content = file_reader.read_inside(str(self.root), name)
        except file_reader.RefusedError:
            return ""
        return content.decoded.text if content is not None else ""

    def table(self, name: str) -> dict[str, Any]:
        """Return what a file of JSON or TOML holds, nothing where it is broken."""
        text = self.text(name)
        try:
            table = tomllib.loads(text) if name.endswith(".toml") else json.loads(text or "{}")
        except (ValueError, RecursionError):
            return {}
        return table if isinstance(table, dict) else {}


def survey_project(root: Path) -> ProjectFacts:
    """Survey the project whose repository is at ``root``, and return what it shows of itself."""
    folder = _Folder(root)
    surveys = list(_survey_languages(folder))
    # The targets of a Makefile or justfile, each with the command that makes it.
    file, program = next(((f, p) for f, p in _TASK_FILES if f in folder.names), ("", ""))
    tasks = {task: f"{program} {task}" for task in _TASK.findall(folder.text(file))}
    # What a project declares stands for what its tools would be called with; scripts of
    # package.json are declared, too.
    has_scripts = "package.json" in folder.names and len(surveys) == 1

    def choose_commands(named: list[str], tools: list[str]) -> tuple[str, ...]:
        chosen = tools or named if has_scripts else named or tools
        return tuple(dict.fromkeys(chosen))[:MOST_COMMANDS]

    tests = [command for facts in surveys for command in facts.tests]
    checks = [command for facts in surveys for command in facts.checks]
    languages = [name for facts in surveys for name in facts.languages][:MOST_COMMANDS]
    if not languages:  # the one or two that most files near the root are in
        paths = islice(_files_near(root, 3), _MOST_COUNTED)
        counts = Counter(filter(None, (_LANGUAGES.get(path.suffix.lower()) for path in paths)))
        least = max(_FEWEST_FILES, counts.total() // _SHARE)
        languages = [name for name, count in counts.most_common(2) if count >= least]
    return ProjectFacts(
        next((facts.about for facts in surveys if facts.about), ""),
        tuple(languages),
        tuple(pair for facts in surveys for pair in facts.packages)[:MOST_COMMANDS],
        choose_commands([tasks[name] for name in _TEST_TASKS if name in tasks][:1], tests),
        choose_commands([tasks[name] for name in _CHECK_TASKS if name in tasks], checks),
        folder.first("tests", "test", "spec") if tests or tasks else "",
        all(_DESCRIPTION.match(name) for name in folder.names),
    )


_DESCRIPTION = re.compile(
    r"\.|(?:claude|agents|gemini|readme|licen[cs]e|notice|changelog|contributing)\b", re.IGNORECASE
)
_LANGUAGES = {
    ".c": "C", ".clj": "Clojure", ".cpp": "C++", ".cs": "C#", ".dart": "Dart", ".ex": "Elixir",
    ".go": "Go", ".hs": "Haskell", ".java": "Java", ".js": "JavaScript", ".kt": "Kotlin",
    ".lua": "Lua", ".php": "PHP", ".pl": "Perl", ".ps1": "PowerShell", ".py": "Python", ".r": "R",
    ".rb": "Ruby", ".rs": "Rust", ".scala": "Scala", ".sh": "shell", ".sql": "SQL",
    ".swift": "Swift", ".tf": "Terraform", ".ts": "TypeScript", ".vue": "Vue", ".zig": "Zig",
}  # fmt: skip
_MOST_COUNTED = 2_000
_FEWEST_FILES = 3
_SHARE = 5  # a language has at least one in so many files of those that have one


def _files_near(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in NOT_OURS or entry.is_symlink():
            continue
        if not entry.is_dir():
            yield entry
        elif depth > 1:
            yield from _files_near(entry, depth - 1)


_TEST_TASKS = ("test", "tests")
_CHECK_TASKS = ("lint", "typecheck", "check")
_TASK = re.compile(r"^@?([A-Za-z][\w-]*)(?:\s[^:=\n]*)?:(?!=)", re.MULTILINE)
_TASK_FILES = (
    *(("Makefile", "make"), ("makefile", "make"), ("GNUmakefile", "make")),
    *(("justfile", "just"), ("Justfile", "just")),
)


def _description(table: Mapping[str, Any]) -> str:
    value = table.get("description")
    text = " ".join(value.split()).rstrip(".") if isinstance(value, str) else ""
    is_plain = text.isprintable() and "<" not in text
    return text if is_plain and len(text) <= LONGEST_DESCRIPTION else ""


def _table_at(table: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    inner: Any = table
    for key in keys:
        inner = inner.get(key) if isinstance(inner, dict) else None
    return inner if isinstance(inner, dict) else {}


_NODE_LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}
# `bun test` and `yarn check` are commands of these programs, not scripts of the project.
_RUN_SCRIPT = {"npm": "npm run {}", "bun": "bun run {}", "yarn": "yarn run {}", "pnpm": "pnpm {}"}
_NO_TESTS = "no test specified"


def _survey_node(folder: _Folder) -> ProjectFacts:
    table = folder.table("package.json")
    named = str(table.get("packageManager") or "").partition("@")[0]
    lock = folder.first(*_NODE_LOCKS)
    manager = named if named in _RUN_SCRIPT else _NODE_LOCKS.get(lock, "")
    where = "package.json" if manager and manager == named else lock
    script = _RUN_SCRIPT.get(manager, "npm run {}")
    scripts = {
        name: command
        for name, command in _table_at(table, "scripts").items()
        if isinstance(command, str) and _NO_TESTS not in command
    }
    test = "npm test" if script.startswith("npm") else script.format("test")
    packages = {**_table_at(table, "devDependencies"), **_table_at(table, "dependencies")}
    typed = "typescript" in packages or "tsconfig.json" in folder.names
    checks = ("lint", "typecheck", "type-check", "check")
    return ProjectFacts(
        _description(table),
        ("TypeScript" if typed else "JavaScript",),
        ((manager, where),) if manager else (),
        (test,) if "test" in scripts else (),
        tuple(script.format(name) for name in checks if name in scripts),
    )


_PYTHON_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile")
_PYTHON_REQUIREMENTS = (
    "pyproject.toml", "requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "Pipfile",
)  # fmt: skip
# A package, on a line of its own or as a text in a list, with or without its version.
_REQUIREMENT = re.compile(
    r"""(?:^|["'])([A-Za-z][\w.-]*)(?=\s*(?:["'\[<>=!~;@]|$))""", re.MULTILINE
)
_PYTHON_LOCKS = {
    "uv.lock": ("uv", "uv run "),
    "poetry.lock": ("poetry", "poetry run "),
    "pdm.lock": ("pdm", "pdm run "),
    "Pipfile.lock": ("pipenv", "pipenv run "),
    "Pipfile": ("pipenv", "pipenv run "),
}
_PYTHON_CHECKS = {
    "ruff": ("ruff check .", ("ruff.toml", ".ruff.toml")),
    "flake8": ("flake8", (".flake8",)),
    "mypy": ("mypy .", ("mypy.ini", ".mypy.ini")),
    "pyright": ("pyright", ("pyrightconfig.json",)),
}


def _survey_python(folder: _Folder) -> ProjectFacts:
    table = folder.table("pyproject.toml")
    tools, project = _table_at(table, "tool"), _table_at(table, "project")
    texts = map(folder.text, _PYTHON_REQUIREMENTS)
    needs = {name.lower() for text in texts for name in _REQUIREMENT.findall(text)}
    lock = folder.first(*_PYTHON_LOCKS)
    manager, run = _PYTHON_LOCKS.get(lock, ("", ""))
    tested = "pytest" in tools or "pytest" in needs or bool(folder.first("pytest.ini"))
    tests = (f"{run}pytest",) if tested else ()
    if not tests and folder.first("tox.ini"):
        tests = (f"{run}tox",)
    checks = []
    for tool, (command, checked) in _PYTHON_CHECKS.items():
        if tool in tools or tool in needs or folder.first(*checked):
            named = "mypy" if tool == "mypy" and _table_at(tools, "mypy").get("files") else command
            checks.append(f"{run}{named}")
    return ProjectFacts(
        _description(project) or _description(_table_at(tools, "poetry")),
        ("Python",),
        ((manager, lock),) if manager else (),
        tests,
        tuple(checks),
    )


# File at the root, language, command for tests, command for checks.
_PLAIN = (
    ("deno.json", "TypeScript on Deno", "deno test", "deno lint"),
    ("deno.jsonc", "TypeScript on Deno", "deno test", "deno lint"),
    ("mix.exs", "Elixir", "mix test", "mix format --check-formatted"),
    ("Package.swift", "Swift", "swift test", ""),
    ("analysis_options.yaml", "Dart", "dart test", "dart analyze"),
    ("build.zig", "Zig", "zig build test", ""),
    ("dune-project", "OCaml", "dune test", ""),
    ("stack.yaml", "Haskell", "stack test", ""),
    ("build.sbt", "Scala", "sbt test", ""),
    ("CMakeLists.txt", "C or C++ with CMake", "ctest --test-dir build", ""),
)


def _survey_languages(folder: _Folder) -> Iterator[ProjectFacts]:
    names = folder.names
    if "package.json" in names:
        yield _survey_node(folder)
    if folder.first(*_PYTHON_MARKS):
        yield _survey_python(folder)
    if "Cargo.toml" in names:
        about = _description(_table_at(folder.table("Cargo.toml"), "package"))
        yield ProjectFacts(about, ("Rust",), (), ("cargo test",), ("cargo clippy",))
    if "go.mod" in names:
        endings = ("yml", "yaml", "toml", "json")
        configured = folder.first(*(f".golangci.{ending}" for ending in endings))
        check = "golangci-lint run" if configured else "go vet ./..."
        yield ProjectFacts("", ("Go",), (), ("go test ./...",), (check,))
    if (gradle := folder.first("build.gradle.kts", "build.gradle")) or "pom.xml" in names:
        language = "Kotlin" if (folder.root / "src/main/kotlin").is_dir() else "Java"
        wrapped = folder.first("gradlew" if gradle else "mvnw")
        program = f"./{wrapped}" if wrapped else "gradle" if gradle else "mvn"
        packages = ((program, gradle or "pom.xml"),)
        yield ProjectFacts("", (language,), packages, (f"{program} test",))
    if "Gemfile" in names:
        gems = folder.text("Gemfile") + folder.text("Gemfile.lock")
        tests = ("bundle exec rake test",) if "Rakefile" in names else ()
        if ".rspec" in names or "rspec" in gems:
            tests = ("bundle exec rspec",)
        elif (folder.root / "bin/rails").is_file():
            tests = ("bin/rails test",)
        checks = ("bundle exec rubocop",) if ".rubocop.yml" in names or "rubocop" in gems else ()
        yield ProjectFacts("", ("Ruby",), (("bundle", "Gemfile"),), tests, checks)
    if "composer.json" in names:
        table = folder.table("composer.json")
        scripts = _table_at(table, "scripts")
        tests = ("composer test",) if "test" in scripts else ()
        if not tests and folder.first("phpunit.xml", "phpunit.xml.dist"):
            tests = ("vendor/bin/phpunit",)
        tools = ("lint", "phpstan", "cs")
        declared = tuple(f"composer {name}" for name in tools if name in scripts)
        packages = (("composer", "composer.json"),)
        yield ProjectFacts(_description(table), ("PHP",), packages, tests, declared)
    if any(name.endswith((".sln", ".slnx", ".csproj", ".fsproj")) for name in names):
        checks = ("dotnet format --verify-no-changes",) if ".editorconfig" in names else ()
        yield ProjectFacts("", (".NET",), (), ("dotnet test",), checks)
    for file, language, test, check in _PLAIN:
        if file in names:
            yield ProjectFacts("", (language,), (), (test,), (check,) if check else ())
            break


def starter_files(facts: ProjectFacts, rules: Sequence[str] = ()) -> Mapping[str, str]:
    """Return the files with the starter rules of a first tree, texts by path, without its settings;
    ``rules`` are the person's own.
    """
    manifest, head, testing, test = (
        (_TEMPLATES / STARTER / name).read_text("utf-8")
        for name in ("manifest", "global", "testing", "starter.toml")
    )
    rule = "Ask how tests are run here: no command for them is known yet"
    if facts.tests:
        where = f"; they are in `{facts.test_folder}/`" if facts.test_folder else ""
        rule = f"Run the tests with {join_names(_as_code(facts.tests))}{where}"
    return {
        MANIFEST: manifest,
        f"{TREE}/global": _rule_file(head, "GLOBAL", (*_global_rules(facts), *rules)),
        f"{TREE}/testing": _rule_file(testing, "TESTING", [rule]),
        f"{TREE}/tests/starter.toml": test,
    }


def _rule_file(header: str, key: str, rules: Sequence[str]) -> str:
    return "\n".join((header, *(f"{key}_RULE_{n}={rule}" for n, rule in enumerate(rules)), ""))


def _global_rules(facts: ProjectFacts) -> list[str]:
    written = f"written in {join_names(facts.languages)}" if facts.languages else ""
    if facts.about:
        rules = [f"This project: {facts.about}{f'; {written}' * bool(written)}"]
    else:
        rules = [f"This project is {written}"] if written else []
    if facts.packages:
        programs = join_names([name for name, _ in facts.packages])
        files = join_names([file for _, file in facts.packages])
        verb = "say" if len(facts.packages) > 1 else "says"
        rules.append(f"Use {programs} for packages, as {files} {verb}; no other program")
    if facts.checks:
        checks = join_names(_as_code(facts.checks))
        verb = "have" if len(facts.checks) > 1 else "has"
        rules.append(f"Before a change is done, {checks} {verb} to pass")
    if facts.is_empty and not rules:
        what = "a language, framework or package manager"
        return [f"Nothing is decided here yet: ask before choosing {what}"]
    return rules or ["Ask how this project is built and checked: nothing at its root says so"]


def _as_code(commands: Sequence[str]) -> list[str]:
    return [f"`{command}`" for command in commands]


GITIGNORE = f"{TREE}/.gitignore"
# The files of a tree that hold neither domains nor rules.
SETTINGS_FILES = (CONFIG, GITIGNORE)

STARTER, AIOX = "starter", "aiox"
# What a first tree can be made of: what the repository shows, or AIOX's constitution, agents and
# workflow.
TEMPLATES = (STARTER, AIOX)

_TEMPLATES = files("synapse_ls.setup.init") / "templates"


def existing_paths(root: Path, paths: Collection[str]) -> frozenset[str]:
    """Return those of the paths below ``root`` at which there is anything, a dangling link
    included.
    """
    return frozenset(p for p in paths if (root / p).exists() or (root / p).is_symlink())


def plan_init(tree: Tree, texts: Mapping[str, str], existing: Collection[str] = ()) -> EditPlan:
    """Plan a starter tree of ``texts``, by path, around what ``tree`` has.

    ``existing`` are further paths at which there is something. No file that exists is touched.
    Where there is a manifest, the rules of domains that it does not have are left out: nothing
    would ever bring them in.
    """
    created = []
    for path, text in texts.items():
        domain = tree.domains_by_label.get(naming_conventions.domain_of_file(path))
        is_rules = "/" not in path.removeprefix(f"{TREE}/") and path not in _NO_RULES
        is_served = bool(domain and is_rules and domain.file)
        if path in existing or tree.snapshot.facts(path) or is_served:
            continue
        if tree.manifest is None or (domain and is_rules) or path in SETTINGS_FILES:
            created.append(create_file(path, text))
    return EditPlan(tuple(created))


_NO_RULES = (MANIFEST, *SETTINGS_FILES)


@cache
def settings_files() -> Mapping[str, str]:
    """Return the texts of a starter tree's settings files by path."""
    # A real .gitignore in the package would hide the package's own files from git.
    paths = {CONFIG: "config.toml", GITIGNORE: "gitignore"}
    return {path: (_TEMPLATES / name).read_text("utf-8") for path, name in paths.items()}


@cache
def referring_files() -> Mapping[str, str]:
    """Return the texts of a tree by path that only refers to files of instructions."""
    return {MANIFEST: (_TEMPLATES / "manifest").read_text("utf-8"), **settings_files()}


@cache
def aiox_files() -> Mapping[str, str]:
    """Return the starter tree of AIOX without its settings: texts by path relative to the root, the
    manifest first.
    """
    texts = {
        f"{TREE}/{entry.name}": entry.read_text("utf-8")
        for entry in sorted((_TEMPLATES / AIOX).iterdir(), key=lambda entry: entry.name)
    }
    return {MANIFEST: texts[MANIFEST], **texts}

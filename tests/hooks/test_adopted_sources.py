"""Files of instructions that a tree refers to, by hook: injected once, and only for clients that do
not read them by themselves.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks import hook_call
from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.integrations import hook_event
from synapse_ls.integrations.client_registry import load_client
from synapse_ls.storage import current_plan, program_start, tree_compilation
from synapse_ls.workspace.pinned_content import is_pinned_path, scan_content
from tests.hooks.hook_clients import Claude, Scripted, told
from tests.trees import write_tree

RULES = ("Never push to main", "Run the tests at night")
GUIDE = f"# Guide\n\n- {RULES[0]}\n\n## Tests\n\n- {RULES[1]}\n"
ADOPTED = '[[adopted]]\npath = "CLAUDE.md"\n'


_NAMES = {
    hook_event.PROMPT: "UserPromptSubmit",
    hook_event.SUBAGENT_START: "SubagentStart",
    hook_event.TOOL: "PostToolUse",
}


class Named(Scripted):
    """A client of that name."""

    def __init__(self, root: Path, name: str) -> None:
        super().__init__(root)
        self.name = name
        self.session, self.spelled = f"session-{name}", _NAMES


@pytest.fixture(autouse=True)
def private_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def project(tmp_path: Path, config: str = ADOPTED, **files: str) -> Path:
    texts = {".synapse/config.toml": config, "CLAUDE.md": GUIDE}
    return write_tree(tmp_path / "tree", texts | files)


def decide(root: Path, payload: dict[str, Any]) -> str:
    """What Claude Code is answered before it uses a tool."""
    claude = load_client("claude")
    assert claude is not None
    raw = {"session_id": "s", "hook_event_name": "PreToolUse", "cwd": str(root), **payload}
    replies: list[dict[str, Any]] = []
    dispatch_event(claude.parse_event(raw, ""), claude, replies.append, clock=lambda: 1.8e9)
    (reply,) = replies
    return str(reply.get("hookSpecificOutput", {}).get("permissionDecision", ""))


def counts(text: str) -> list[int]:
    return [text.count(rule) for rule in RULES]


def test_a_client_that_reads_the_file_gets_nothing_of_it(tmp_path: Path) -> None:
    assert Named(project(tmp_path), "claude").prompt() == ""


def test_nor_does_it_where_the_event_names_no_session(tmp_path: Path) -> None:
    claude = Named(project(tmp_path), "claude")
    claude.session = ""
    assert claude.prompt() == ""


def test_every_other_client_gets_all_of_it_once(tmp_path: Path) -> None:
    codex = Named(project(tmp_path), "codex")
    assert counts(codex.prompt()) == [1, 1]
    assert codex.prompt() == ""


@pytest.mark.parametrize(
    ("name", "agent", "expected"),
    [
        ("claude", "Explore", [1, 1]),
        ("claude", "general-purpose", [0, 0]),
        ("copilot", "explore", [1, 1]),
        ("copilot", "general-purpose", [0, 0]),
    ],
)
def test_a_sub_agent_gets_it_where_its_client_leaves_it_out(
    tmp_path: Path, name: str, agent: str, expected: list[int]
) -> None:
    client = Named(project(tmp_path), name)
    client.prompt()
    text = client.send(hook_event.SUBAGENT_START, subagent="a1", agent=agent)
    assert counts(text) == expected
    assert client.tool("src/a.py", subagent="a1", agent=agent) == ""


def test_a_link_to_the_file_is_the_file(tmp_path: Path) -> None:
    root = project(tmp_path)
    (root / "AGENTS.md").symlink_to("CLAUDE.md")
    assert Named(root, "codex").prompt() == ""


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_so_is_a_chain_of_links_from_the_root_to_a_file_in_a_folder(
    tmp_path: Path, name: str
) -> None:
    file = ".github/copilot-instructions.md"
    root = project(tmp_path, f'[[adopted]]\npath = "{file}"\n', **{file: GUIDE})
    (root / "CLAUDE.md").unlink()
    (root / "AGENTS.md").symlink_to(file)
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    assert Named(root, name).prompt() == ""


def test_a_file_that_the_client_imports_is_read_by_it(tmp_path: Path) -> None:
    files = {"AGENTS.md": GUIDE, "CLAUDE.md": "See @AGENTS.md\n"}
    root = project(tmp_path, ADOPTED.replace("CLAUDE", "AGENTS"), **files)
    assert Named(root, "claude").prompt() == ""
    (root / "CLAUDE.md").write_text("See `@AGENTS.md`\n")
    other = Named(root, "claude")
    other.session = "later"
    assert counts(other.prompt()) == [1, 1]


def test_a_change_reaches_a_client_that_does_not_read_the_file_with_its_next_event(
    tmp_path: Path,
) -> None:
    codex = Named(project(tmp_path), "codex")
    codex.prompt()
    (codex.root / "CLAUDE.md").write_text(GUIDE + "- Use tabs.\n")
    text = codex.tool("src/a.py")
    assert "Use tabs." in text and counts(text) == [0, 0]


def test_a_rule_for_some_files_comes_with_them(tmp_path: Path) -> None:
    config = 'profile = "synapse-live"\n' + ADOPTED + 'paths = ["src/**"]\n'
    codex = Named(project(tmp_path, config), "codex")
    assert counts(codex.prompt()) == [0, 0]
    assert counts(codex.tool("docs/a.md")) == [0, 0]
    assert counts(codex.tool("src/a.py")) == [1, 1]


LONG = [f"- Rule {n} is about the layout of the source, and long.\n" for n in range(300)]


def test_a_long_file_comes_whole_with_the_file_that_it_is_for(tmp_path: Path) -> None:
    config = 'profile = "synapse-live"\n' + ADOPTED + 'paths = ["src/**"]\n'
    codex = Named(project(tmp_path, config, **{"CLAUDE.md": GUIDE + "".join(LONG[:100])}), "codex")
    codex.prompt()
    block = codex.tool("src/a.py")
    assert counts(block) == [1, 1] and "Rule 99 is" in block
    assert codex.tool("src/a.py") == ""


def test_all_prohibitions_of_a_file_come_before_its_client_s_limit_cuts(tmp_path: Path) -> None:
    config = 'profile = "synapse-live"\n[[adopted]]\npath = "docs/rules.md"\npaths = ["src/**"]\n'
    rules = "".join(LONG) + "- Never print a card number\n"
    claude = Claude(project(tmp_path, config, **{"docs/rules.md": rules}))
    claude.prompt("Look at the code")
    read = {"tool_name": "Read", "tool_input": {"file_path": str(claude.root / "src/a.py")}}
    block = told(claude.send("PostToolUse", **read))
    assert "Never print a card number" in block and len(block) > 9_000


@pytest.mark.parametrize(
    ("line", "is_shown"),
    [
        ("sed -n '1,200p' src/a.py", True),
        ("cd src && nl -ba a.py | head -n 40", True),
        ('rg -n "def main" "src/a.py"', True),
        ("cat docs/a.md; ls src", False),
        ("python src/a.py", False),
    ],
)
def test_so_does_one_in_codex_which_reads_files_by_command_lines(
    tmp_path: Path, line: str, is_shown: bool
) -> None:
    root = project(tmp_path, 'profile = "synapse-live"\n' + ADOPTED + 'paths = ["src/**"]\n')
    codex = load_client("codex")
    assert codex is not None
    raw = {"session_id": "s", "turn_id": "1", "cwd": str(root), "prompt": "Say hello"}
    use = {"tool_name": "Bash", "tool_input": {"command": line}, "tool_response": "…"}
    replies: list[dict[str, Any]] = []
    for name, more in (("UserPromptSubmit", {}), ("PostToolUse", use)):
        parsed = codex.parse_event({**raw, **more}, name)
        dispatch_event(parsed, codex, replies.append, clock=lambda: 1.8e9)
    assert counts(str(replies[-1])) == [is_shown, is_shown]


def test_a_setting_of_the_client_that_excludes_the_file_counts(tmp_path: Path) -> None:
    root = project(tmp_path)
    claude = Named(root, "claude")
    assert claude.prompt() == ""
    write_tree(root, {".claude/settings.json": '{"claudeMdExcludes": ["**/CLAUDE.md"]}'})
    assert counts(claude.prompt()) == [1, 1]


def test_rules_of_the_tree_itself_are_injected_as_ever(tmp_path: Path) -> None:
    claude = Named(project(tmp_path, **{".synapse/global": "GLOBAL_RULE_0=Be kind\n"}), "claude")
    text = claude.prompt()
    assert "Be kind" in text and counts(text) == [0, 0]


def test_a_file_that_its_client_reads_is_not_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path)

    def refuse(*_: object) -> None:
        raise AssertionError("the file is parsed")

    with monkeypatch.context() as patched:
        patched.setattr("synapse_ls.formats.instruction_rules.parse", refuse)
        assert Named(root, "claude").prompt() == ""
    codex = Named(root, "codex")
    assert counts(codex.prompt()) == [1, 1]
    with monkeypatch.context() as patched:
        patched.setattr("synapse_ls.formats.instruction_rules.parse", refuse)
        (root / ".synapse/global").write_text("GLOBAL_RULE_0=Be kind\n")
        assert "Be kind" in codex.prompt()
        (root / "CLAUDE.md").write_text(GUIDE + "- Use tabs.\n")
        assert Named(root, "claude").tool("src/a.py") != "the rules of the file"
    assert "Use tabs." in codex.prompt()


@pytest.mark.parametrize("path", ["CLAUDE.md", ".synapse/config.toml"])
def test_the_guard_asks_before_a_file_is_edited_that_the_tree_refers_to(
    tmp_path: Path, path: str
) -> None:
    root = project(tmp_path, '[guard]\nmode = "enforce"\n' + ADOPTED)
    use = {"tool_name": "Write", "tool_input": {"file_path": str(root / path), "content": "x"}}
    assert decide(root, use) == "ask"
    assert decide(root, {**use, "tool_input": {"file_path": str(root / "a.py")}}) == ""


def test_a_pin_covers_a_file_that_the_tree_refers_to(tmp_path: Path) -> None:
    root = project(tmp_path)
    digests, _ = scan_content(str(root))
    assert "CLAUDE.md" in digests
    assert is_pinned_path(str(root), "CLAUDE.md")


@pytest.mark.parametrize(
    ("inject", "client", "expected"),
    [
        ("missing", "claude", [0, 0]),
        ("missing", "codex", [1, 1]),
        ("all", "claude", [0, 1]),
        ("all", "codex", [1, 1]),
        ("none", "claude", [0, 0]),
        ("none", "codex", [0, 0]),
    ],
)
def test_the_configuration_says_for_whom_rules_of_files_are_injected(
    tmp_path: Path, inject: str, client: str, expected: list[int]
) -> None:
    config = f'{ADOPTED}[[adopted]]\npath = ".cursor/rules"\n[adoption]\ninject = "{inject}"\n'
    files = {
        "CLAUDE.md": f"- {RULES[0]}\n",
        ".cursor/rules/a.mdc": f"---\nalwaysApply: true\n---\n- {RULES[1]}\n",
    }
    assert counts(Named(project(tmp_path, config, **files), client).prompt()) == expected


@pytest.mark.parametrize(
    ("path", "expected"), [("RULES.md", [0, 1]), (".windsurf/rules/a.md", [0, 0])]
)
def test_a_file_for_no_client_in_particular_is_for_all(
    tmp_path: Path, path: str, expected: list[int]
) -> None:
    config = f'{ADOPTED}[[adopted]]\npath = "{path}"\nalways = true\n'
    files = {"CLAUDE.md": f"- {RULES[0]}\n", path: f"- {RULES[1]}\n"}
    assert counts(Named(project(tmp_path, config, **files), "claude").prompt()) == expected


def test_a_file_of_a_folder_with_the_name_of_the_client_s_own_comes_with_that_folder(
    tmp_path: Path,
) -> None:
    """Codex reads no `AGENTS.md` below the folder in which it was started."""
    config = 'profile = "synapse-live"\n[[adopted]]\npath = "AGENTS.md"\n'
    config += '[[adopted]]\npath = "web/AGENTS.md"\n'
    files = {"AGENTS.md": f"- {RULES[0]}\n", "web/AGENTS.md": f"- {RULES[1]}\n"}
    codex = Named(project(tmp_path, config, **files), "codex")
    assert codex.prompt() == ""
    assert counts(codex.tool("web/a.ts")) == [0, 1]


def test_a_sub_agent_gets_what_its_client_reads_and_it_lacks_and_no_more(tmp_path: Path) -> None:
    files = {
        "CLAUDE.md": f"- {RULES[0]}\n",
        ".cursor/rules/a.mdc": f"---\nalwaysApply: true\n---\n- {RULES[1]}\n",
    }
    config = f'{ADOPTED}[[adopted]]\npath = ".cursor/rules"\n'
    claude = Named(project(tmp_path, config, **files), "claude")
    text = claude.send(hook_event.SUBAGENT_START, subagent="a1", agent="Explore")
    assert counts(text) == [1, 0]


def test_what_is_left_when_the_time_is_over_is_named_and_comes_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = ADOPTED + '[[adopted]]\npath = "docs/more.md"\nalways = true\n'
    root = project(tmp_path, config, **{"docs/more.md": "# More\n\n- Sign each commit\n"})
    started: list[str] = []

    def note_start(module: str, *_: str) -> bool:
        started.append(module)
        return True

    with monkeypatch.context() as busy:
        busy.setattr(program_start, "start_process", note_start)
        busy.setattr(tree_compilation, "ADOPTED_PATIENCE", 0.0)
        busy.setattr(hook_call, "PROMPT_PATIENCE", 0.0)
        client = Named(root, "copilot")
        assert "sources are still being read" in client.prompt("hello")
    assert current_plan.__name__ in started
    current_plan.main(str(root), "")
    assert "Sign each commit" in client.prompt("go on")

"""This module holds the clauses of a policy: what the authority boundaries of a tree forbid,
allow or leave to one agent, and the files, tools and commands that are protected in enforce
mode.
"""

from __future__ import annotations

from synapse_ls.guard.boundary_patterns import parse_pattern, parse_prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Final

    from synapse_ls.guard.boundary_patterns import Pattern

DENY: Final = "deny"
ALLOW: Final = "allow"
EXCLUSIVE: Final = "exclusive"  # to `owner`; denied to everybody else
ASK: Final = "ask"


class Clause:
    """A Clause is one boundary that the guard compares an act with. effect: one of the constants
    above. owner: the agent whose boundary it is, "" for everybody's. delegate: the agent to ask
    instead, or "". key, file, line (from 0), text: the rule.
    """

    __slots__ = ("delegate", "effect", "file", "key", "line", "owner", "pattern", "text")

    def __init__(
        self,
        effect: str,
        pattern: Pattern,
        *,
        owner: str = "",
        delegate: str = "",
        key: str = "",
        file: str = "",
        line: int = 0,
        text: str = "",
    ) -> None:
        self.effect = effect
        self.pattern = pattern
        self.owner = owner
        self.delegate = delegate
        self.key = key
        self.file = file
        self.line = line
        self.text = text

    @property
    def citation(self) -> str:
        """Returns ``AGENT_DEV_AUTH_1 (.synapse/agent-dev:7)``; of a clause that no file says, its
        text.
        """
        return f"{self.key} ({self.file}:{self.line + 1})" if self.file else self.text


class Policy:
    """A Policy is what holds for an agent ("" for none): its clauses, everybody's, and what others
    own.

    is_free: whether what is exclusive to others does not bind it.
    """

    __slots__ = ("agent", "clauses", "is_free")

    def __init__(self, agent: str, clauses: list[Clause], *, is_free: bool = False) -> None:
        self.agent = agent
        self.clauses = clauses
        self.is_free = is_free


# What would change who is asked, or what: in enforce mode a person is asked about it.
PROTECTED_FILES: Final = (
    ".synapse/**",
    ".carl/**",
    "squads/*/.synapse/**",
    "chati.dev/domains/**",
    "chati.dev/constitution.md",
    *(
        f"{home}{path}"
        for home in ("", "~/")
        for path in (
            ".claude/settings*.json",
            ".claude/hooks/**",
            ".cursor/hooks.json",
            ".codex/**",
            ".gemini/settings.json",
        )
    ),
    # Whichever repository it is: the project may be a folder of one, or have others in it.
    "/**/.git/hooks/**",
    "/**/.git/config*",
    "/**/.git/modules/**/hooks/**",
    "/**/.git/modules/**/config*",
    "/**/.git/worktrees/*/config*",
    "/**/.git/worktrees/*/commondir",
    "/**/.git/commondir",
    "~/.gitconfig",
    "~/.config/git/**",
    "~/.config/gh/config.yml",
    ".github/hooks/**",
    ".github/copilot/settings*.json",
    ".agents/hooks.json",
    ".opencode/plugin/**",
    ".opencode/plugins/**",
    "~/.config/opencode/plugin/**",
    "~/.config/opencode/plugins/**",
    ".kilo/plugin*/**",
    ".kilocode/plugin*/**",
    "~/.config/kilo/plugin*/**",
    "~/.kilo/plugin*/**",
    "~/.kilocode/plugin*/**",
    ".cline/plugins/**",
    ".cline/hooks/**",
    ".clinerules/hooks/**",
    "~/.cline/plugins/**",
    "~/.cline/hooks/**",
    "~/Documents/Cline/Plugins/**",
    "~/Documents/Cline/Hooks/**",
    "~/.kimi-code/config.toml",
    "~/.copilot/hooks/**",
    "~/.gemini/config/hooks.json",
    "~/.config/synapse-ls/**",
)
PROTECTED_TOOLS: Final = ("*activate_agent", "*set_task", "*set_workflow")  # of `synapse mcp`
PROTECTED_COMMANDS: Final = (
    "synapse session", "synapse install", "synapse uninstall", "synapse trust", "synapse domain",
    "synapse rename", "synapse init", "synapse migrate", "synapse activate", "synapse recover",
    "synapse hook", "synapse mcp", "synapse profile use", "synapse constitution build",
    "synapse check --fix", "synapse check --add-suppressions", "synapse fmt", "synapse learn",
    "git config set alias.*", "git config set include*.path", "git config set core.hookspath",
    "git config set init.templatedir", "git config rename-section", "git config remove-section",
    "git with-config core.hookspath", "git with-config include*.path",
    "git init --template", "git clone --template",
    "gh alias set", "gh alias import", "gh alias delete", "glab alias set",
)  # fmt: skip


_PROTECTION: Final = (
    "is protected while the guard enforces: the agent, its rules and its hooks change with a person's "
    "consent (say yes to it, do it yourself, or set `[guard] mode` in .synapse/config.toml)"
)


def protection_clauses(places: Iterable[str] = ()) -> Iterator[Clause]:
    """Yields the clauses of enforce mode: agent, rules and hook settings change with a person's
    consent. places: globs of more files to be protected.
    """
    texts = [*PROTECTED_COMMANDS]
    texts += [
        f"{verb} {glob}" for glob in (*PROTECTED_FILES, *places) for verb in ("write", "delete")
    ]
    texts += [f"tool {name}" for name in PROTECTED_TOOLS]
    for text in texts:
        if found := parse_pattern(text):
            yield Clause(ASK, found, text=_PROTECTION)


def parse_clause(
    effect: str,
    action: str,
    *,
    is_pattern: bool,
    note: str = "",
    **place: object,
) -> Clause | None:
    """Returns the clause of a boundary on one action; None where it names nothing that can be
    recognised.

    is_pattern: whether it is a ``{D}_DENY_n`` or ``{D}_ALLOW_n``, all of which is a pattern.
    """
    found = parse_pattern(action) if is_pattern else parse_prose(action)
    if found is None:
        return None
    return Clause(effect, found, delegate=_named_agent(note), **place)  # type: ignore[arg-type]


def _named_agent(note: str) -> str:
    """Returns the first agent that a note names: "delegate to @devops" → "devops"."""
    name = note.partition("@")[2]
    end = 0
    while end < len(name) and (name[end].isalnum() or name[end] in "-_"):
        end += 1
    return name[:end].rstrip("-_")

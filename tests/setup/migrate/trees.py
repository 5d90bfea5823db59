"""Projects with CARL in them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

HOOK = {"type": "command", "command": "python3 .claude/hooks/carl-hook.py"}
SETTINGS = {
    "permissions": {"allow": ["Bash(ls)"]},
    "hooks": {
        "UserPromptSubmit": [{"hooks": [HOOK]}],
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
    },
}
SESSION = {
    "uuid": "3f1c",
    "started": "2026-11-20T08:00:00.123456",
    "cwd": "/somewhere/shop",
    "label": "shop",
    "title": "Refunds",
    "prompt_count": 7,
    "last_activity": "2026-11-20T09:30:00.654321",
    "overrides": {"DEVMODE": None, "GLOBAL_STATE": None, "API_STATE": "inactive", "web_ui_STATE": True},
    "last_context_signature": "b:MODERATE|d:False|a:GLOBAL|m:API,web_ui|c:BRIEF",
}  # fmt: skip

GUIDE = """\
# The shop

Use `drl_get_domain_rules(API)` for more, and `*carl` for help.

<!-- CARL-MANAGED: Do not remove this section -->
## CARL
Follow <carl-rules>.
<!-- END CARL-MANAGED -->

Keep it small.
"""

PLAIN = {
    ".carl/manifest": """\
        # What there is
        GLOBAL_STATE=active
        GLOBAL_EXCLUDE=just chatting
        CONTEXT_STATE=active
        CONTEXT_ALWAYS_ON=true
        COMMANDS_STATE=active

        # For the API
        API_STATE=active
        API_RECALL=endpoint,rest api,test
        API_EXCLUDE=frontend
        """,
    ".carl/global": """\
        # Always
        GLOBAL_RULE_0=Read before you write
        GLOBAL_RULE_7=Ask before you delete
        """,
    ".carl/api": """\
        API_RULE_3=Version every route
        # In between
        API_RULE_1=Errors are problem+json
        """,
    ".carl/context": """\
        FRESH_RULES=true
        FRESH_RULE_0=Be brief
        DEPLETED_RULE_0=Sum up first
        """,
    ".carl/commands": """\
        # *brief - Short answers
        BRIEF_RULE_0=Three sentences
        CARL_RULE_0=Explain CARL, see .carl/manifest
        """,
}
"""A tree that CARL reads without a hitch."""

ODD = {
    **PLAIN,
    ".carl/manifest": """\
        # Everything that may be odd
        DOMAIN_ORDER=API,GLOBAL
        API_STATE=inactive
        API_STATE=Yes
        API_RECALL=endpoint,,test,
        API_AGENT_TRIGGER=dev
        web_ui_STATE=1
        web_ui_RECALL=Página Web,css
        WEB_UI_STATE=active
        WEB_UI_RECALL=layout
        SLEEPY_RECALL=sleepy
        LOUD_STATE=active
        LOUD_RECALL=
        README_ALWAYS_ON=yes
        README_RECALL=whatever
        CONSTITUTION_STATE=active
        CONSTITUTION_RECALL=law
        FRESH_STATE=active
        FRESH_RECALL=fresh air
        MUTE_STATE=on
        MUTE_RECALL=mute
        BARE_STATE=active
        BARE_RECALL=bare
        DEVMODE=on
        export PATH=/bin
        prose
        """,
    ".carl/api.env": """\
        API_RULE_0=Version every route
        OTHER_RULE_0=Of another domain
        api_RULE_1=Not read
        API_AUTH_0=Not read either
        API_RULE_=No number
        API_RULE_x=Anything goes = here
        API_RULE_4=
        Some prose
        """,
    ".carl/web_ui": """\
        web_ui_RULE_0=Lower case
        WEB_UI_RULE_0=Upper case
        """,
    ".carl/sleepy": "SLEEPY_RULE_0=Never told\n",
    ".carl/loud": "LOUD_RULE_0=Always told\n",
    ".carl/readme": "README_RULE_0=About the project\n",
    ".carl/constitution": "CONSTITUTION_RULE_0=The law of the land\n",
    ".carl/fresh": "FRESH_RULE_0=Open a window\n",
    ".carl/mute": "MUTE_RULE_0=Off, since on is no state\n",
    ".carl/context": """\
        FRESH_ENABLED=false
        MODERATE_RULES=false
        MODERATE_RULE_0=Not told
        DEPLETED_RULE_0=Sum up first
        CRITICAL_RULE_0=Not told either
        FRESH_RULE_b=Be brief
        FRESH_RULE_a=Be kind
        """,
    ".carl/commands": """\
        BRIEF_RULE_0=Three sentences
        brief_RULE_1=Not read
        DEV_MODE_RULE_0=With an underscore
        """,
    ".carl/notes.txt": "Of no domain\n",
}
"""A tree with everything that is odd about CARL."""


def project(
    root: Path,
    files: Mapping[str, str] = PLAIN,
    *,
    settings: Mapping[str, object] | None = SETTINGS,
    guide: str = GUIDE,
    sessions: Mapping[str, object] | None = None,
) -> Path:
    """A project with these files, CARL's hook in its settings, its block in CLAUDE.md and sessions."""
    for path, text in files.items():
        write(root, path, dedent(text).encode())
    if settings is not None:
        write(root, ".claude/settings.json", f"{json.dumps(settings, indent=2)}\n".encode())
        write(root, ".claude/hooks/carl-hook.py", b"print()\n")
        write(root, ".claude/skills/carl-help/SKILL.md", b"# CARL\n")
    if guide:
        write(root, "CLAUDE.md", guide.encode())
    for name, session in (sessions if sessions is not None else {"3f1c.json": SESSION}).items():
        text = session if isinstance(session, str) else json.dumps(session, indent=2)
        write(root, f".carl/sessions/{name}", text.encode())
    return root


def write(root: Path, path: str, data: bytes) -> None:
    """A file with its folders."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def everything(root: Path) -> dict[str, bytes | str]:
    """Every file, link and folder below ``root``: its bytes, where it leads, or "" for a folder."""
    found: dict[str, bytes | str] = {}
    for folder, folders, names in os.walk(root):
        for name in (*folders, *names):
            path = Path(folder, name)
            key = path.relative_to(root).as_posix()
            if path.is_symlink():
                found[key] = str(path.readlink())
            else:
                found[key] = "" if path.is_dir() else path.read_bytes()
    return found

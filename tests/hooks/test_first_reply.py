"""What the first reply of a window holds, and what leaves it first where not everything has room."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.integrations import hook_event
from synapse_ls.integrations.codex import CLIENT as CODEX
from synapse_ls.integrations.opencode import CLIENT as OPENCODE
from tests.chati_trees import BOARD
from tests.hooks.hook_clients import Claude, Scripted
from tests.trees import write_tree

ADVICE = [f"Prefer the short form of statement {n}, with a name that says why" for n in range(60)]
FORBIDDEN = ("NEVER run terraform apply", "Segredos não devem ser gravados", "Solo @devops publica")
MANIFEST = """\
GLOBAL_STATE=active
HOUSE_STATE=active
HOUSE_ALWAYS_ON=true
RELEASE_STATE=active
RELEASE_RECALL=release
"""


def rules(domain: str, *texts: str) -> str:
    return "".join(f"{domain}_RULE_{n}={text}\n" for n, text in enumerate(texts))


def tree(folder: Path, profile: str, advice: int = 60) -> Path:
    """Rules of which the last ones of each domain forbid, and a keyword domain of a budget's size."""
    files = {
        ".synapse/manifest": MANIFEST,
        ".synapse/config.toml": f'profile = "{profile}"\n',
        ".synapse/global": rules("GLOBAL", *ADVICE[: advice // 2], FORBIDDEN[0]),
        ".synapse/house": rules("HOUSE", *ADVICE[advice // 2 : advice], *FORBIDDEN[1:]),
        ".synapse/release": rules("RELEASE", *(f"Step {n} of it {'x' * 80}" for n in range(40))),
    }
    return write_tree(folder, files)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CLAUDE_CODE_ENTRYPOINT", raising=False)


def count(texts: list[str] | tuple[str, ...], text: str) -> int:
    return sum(rule in text for rule in texts)


def test_in_synapse_live_it_is_whole(tmp_path: Path) -> None:
    first = Scripted(tree(tmp_path / "tree", "synapse-live")).prompt()
    assert count(ADVICE, first) == 60 and count(FORBIDDEN, first) == 3
    assert "…" not in first


def test_in_synapse_live_it_ends_at_the_clients_limit_and_the_rest_follows_with_a_tool(
    tmp_path: Path,
) -> None:
    client = Scripted(tree(tmp_path / "tree", "synapse-live"), limit=4_000)
    first = client.prompt()
    assert 3_500 < len(first) <= 4_000 and count(FORBIDDEN, first) == 3
    rest = client.tool("README.md")
    assert count(ADVICE, first) + count(ADVICE, rest) == 60


def test_in_synapse_live_what_comes_later_keeps_to_the_budget(tmp_path: Path) -> None:
    client = Scripted(tree(tmp_path / "tree", "synapse-live"), limit=60_000)
    client.prompt()
    assert len(client.prompt("prepare the release")) <= 800 * 4


def test_in_synapse_it_keeps_to_the_budget_and_what_forbids_stands_first(tmp_path: Path) -> None:
    client = Scripted(tree(tmp_path / "tree", "synapse"))
    first = client.prompt()
    assert len(first) <= 800 * 4
    assert count(FORBIDDEN, first) == 3 and count(ADVICE, first) < 60
    texts = [first, *(client.tool("README.md") for _ in range(2))]
    assert count(ADVICE, "\n".join(texts)) == 60


def test_where_every_prompt_is_sent_the_full_block_the_budget_bounds_it(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", "synapse-live")
    with (root / ".synapse" / "config.toml").open("a") as config:
        config.write('injection = "always"\n')
    assert len(Scripted(root).prompt()) <= 800 * 4


@pytest.mark.parametrize("profile", ["synapse", "synapse-live"])
def test_no_keyword_displaces_what_forbids_always(profile: str, tmp_path: Path) -> None:
    client = Scripted(tree(tmp_path / "tree", profile), limit=3_000)
    client.figures = {"used": 50_000, "window": 100_000}  # where keywords count in each profile
    first = client.prompt("prepare the release")
    assert count(FORBIDDEN, first) == 3
    assert ("Step 0 " in first) == (profile == "synapse-live")


def test_nor_does_one_in_a_later_prompt(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", "synapse-live", advice=0)
    client = Scripted(root, limit=2_000)
    client.prompt()
    (root / ".synapse" / "global").write_text(rules("GLOBAL", "Never push on a Friday"))
    second = client.prompt("prepare the release", later=120)
    assert "Never push on a Friday" in second and "RELEASE (matched" in second


def test_what_an_agent_may_not_do_goes_after_what_it_should(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", "synapse", advice=0)
    with (root / ".synapse" / "manifest").open("a") as manifest:
        manifest.write("AGENT_DEV_STATE=active\nAGENT_DEV_AGENT_TRIGGER=dev\n")
    (root / ".synapse" / "agent-dev").write_text(rules("AGENT_DEV", *ADVICE, "Never fix a test"))
    first = Scripted(root).prompt("@dev go on")
    assert "Never fix a test" in first and count(ADVICE, first) < 60


def test_a_call_that_ends_with_its_prompt_has_everything_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tree(tmp_path / "tree", "synapse")
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    assert count(ADVICE, Claude(root, "typed").prompt("Say hello")) < 60
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
    told = Claude(root, "printed").prompt("Say hello")
    assert count(ADVICE, told) == 60 and count(FORBIDDEN, told) == 3
    assert "follow" not in told


def test_so_has_codex_where_exec_has_begun_the_session(tmp_path: Path) -> None:
    counts = []
    for number, source in enumerate(("exec", "cli")):
        rollout = tmp_path / f"rollout-{number}.jsonl"
        meta = {"type": "session_meta", "payload": {"id": source, "source": source}}
        rollout.write_text(json.dumps(meta) + "\n")
        event = {"session_id": source, "turn_id": "1", "transcript_path": str(rollout)}
        event |= {"cwd": str(tree(tmp_path / "tree", "synapse")), "prompt": "Say hello"}
        replies: list[dict[str, Any]] = []
        parsed = CODEX.parse_event(event, "UserPromptSubmit")
        dispatch_event(parsed, CODEX, replies.append, clock=lambda: 1_800_000_000.0)
        counts.append(count(ADVICE, json.dumps(replies, ensure_ascii=False)))
    assert counts[0] == 60 > counts[1] > 0


def test_so_has_opencode_where_its_plugin_runs_for_one_prompt(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", "synapse")
    counts = []
    for name, more in (("run", {"one_shot": True}), ("terminal", {})):
        replies: list[dict[str, Any]] = []
        event = {"session_id": name, "cwd": str(root), "prompt": "Say hello", **more}
        parsed = OPENCODE.parse_event(event, "UserPromptSubmit")
        dispatch_event(parsed, OPENCODE, replies.append, clock=lambda: 1_800_000_000.0)
        counts.append(count(ADVICE, json.dumps(replies, ensure_ascii=False)))
    assert counts[0] == 60 > counts[1] > 0


def test_a_client_that_keeps_nothing_and_takes_nothing_from_tools_has_everything_each_time(
    tmp_path: Path,
) -> None:
    client = Scripted(tree(tmp_path / "tree", "synapse"), keeps=False, limit=60_000)
    client.takes.discard(hook_event.TOOL)
    assert [count(ADVICE, client.prompt()) for _ in range(2)] == [60, 60]


def test_in_carl_what_forbids_outlives_keywords_under_a_clients_limit(tmp_path: Path) -> None:
    files = {
        ".carl/manifest": "GLOBAL_STATE=active\nRELEASE_STATE=active\nRELEASE_RECALL=release\n",
        ".carl/global": rules("GLOBAL", *ADVICE, FORBIDDEN[0]),
        ".carl/release": rules("RELEASE", *(f"Step {n} of it {'x' * 80}" for n in range(40))),
    }
    client = Scripted(write_tree(tmp_path / "tree", files), limit=3_000)
    first = client.prompt("prepare the release")
    assert FORBIDDEN[0] in first and "Step 39 " not in first


def test_in_chati_what_forbids_goes_after_what_recommends(tmp_path: Path) -> None:
    agent = "".join(
        f"  - id: r{n}\n    text: '{text}'\n"
        for n, text in enumerate([*(f"{rule} {'x' * 90}" for rule in ADVICE), FORBIDDEN[0]])
    )
    files = {**BOARD, "chati.dev/domains/agents/dev.yaml": f"rules:\n{agent}"}
    first = Scripted(write_tree(tmp_path / "tree", files)).prompt("@dev go on")
    assert FORBIDDEN[0] in first and 0 < count(ADVICE, first) < 60

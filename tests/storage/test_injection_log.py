"""The log of what agents were told."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from synapse_ls.formats.window_state import Delivery
from synapse_ls.integrations.hook_event import Event
from synapse_ls.queries.injection_report import domains_in_reply
from synapse_ls.storage import injection_log
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.text.digest import hash_text
from tests.hooks.hook_clients import Claude
from tests.trees import TEAM, write_tree


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Claude:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return Claude(write_tree(tmp_path / "team", TEAM))


def files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").glob("*.injections*"))


def test_each_reply_is_a_line_the_latest_first(client: Claude) -> None:
    text = client.prompt("hello")
    client.uses(90_000)
    client.prompt("@dev go on")
    last, first = injection_log.read_replies(str(client.root))
    assert first["hash"] == hash_text(text)
    assert (first["bracket"], first["source"], first["used"]) == ("FRESH", "estimated", None)
    assert (last["bracket"], last["source"], last["used"]) == ("MODERATE", "measured", 90_000)
    assert last["time"] - first["time"] == 60
    names = [
        name for _, written in last["sections"] for _, name in injection_log.parse_entries(written)
    ]
    assert "AGENT_DEV_AUTH_0" in names


def test_a_prompt_never_gets_into_the_log(client: Claude, tmp_path: Path) -> None:
    client.prompt("hunter2 is my password; *synapse context hunter2 *brief hunter2 @dev hunter2")
    (path,) = files(tmp_path)
    assert "hunter2" not in path.read_text()


def test_nor_does_the_text_of_a_rule(client: Claude, tmp_path: Path) -> None:
    assert "Write small functions" in client.prompt("hello")
    (path,) = files(tmp_path)
    assert "Write small functions" not in path.read_text()


def test_a_sub_agent_has_its_own_window(client: Claude) -> None:
    client.prompt("hello", agent_id="sub-7")
    (record,) = injection_log.read_replies(str(client.root))
    assert record["window"] == "sub-7"


def test_a_reply_without_a_session_is_noted_too(client: Claude) -> None:
    client.session = ""
    client.prompt("hello")
    (record,) = injection_log.read_replies(str(client.root))
    assert record["session"] == ""


def test_an_event_that_tells_nothing_leaves_no_line(client: Claude) -> None:
    client.send("SessionStart", source="startup")
    client.send("PreCompact")
    assert list(injection_log.read_replies(str(client.root))) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_its_user_can_read_the_log(client: Claude, tmp_path: Path) -> None:
    client.prompt("hello")
    (path,) = files(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_full_log_starts_anew_beside_its_predecessor(
    client: Claude, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(injection_log, "LOG_LIMIT", 3_000)
    for number in range(12):
        client.prompt(f"@{'dev' if number % 2 else 'qa'} go on")
    assert [path.suffix for path in files(tmp_path)] == [".injections", ".1"]
    assert all(path.stat().st_size < 6_000 for path in files(tmp_path))
    times = [record["time"] for record in injection_log.read_replies(str(client.root))]
    assert times == sorted(times, reverse=True)
    assert times[0] == client.now


def test_trees_have_logs_of_their_own(client: Claude, tmp_path: Path) -> None:
    client.prompt("hello")
    other = Claude(write_tree(tmp_path / "other", TEAM))
    assert list(injection_log.read_replies(str(other.root))) == []


def test_what_is_no_line_of_ours_is_passed_over(client: Claude, tmp_path: Path) -> None:
    client.prompt("hello")
    (path,) = files(tmp_path)
    with path.open("ab") as file:
        file.write(b'{"v": 2, "time"\n[]\n{"v": 99}\n\xff\xfe\n\n')
    client.prompt("go on")
    assert len(list(injection_log.read_replies(str(client.root)))) == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_folder_that_others_can_write_to_gets_no_log(
    client: Claude,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("local")))
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    assert client.prompt("hello")
    assert files(tmp_path) == []


def test_a_log_that_cannot_be_written_is_no_failure(client: Claude, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert client.prompt("hello")
    assert client.document()["prompt_count"] == 1


def blocks(client: Claude, record: injection_log.Record) -> dict[str, str]:
    return injection_log.read_blocks(str(client.root), record["hash"])


def test_the_exact_block_is_kept_beside_the_log(client: Claude, tmp_path: Path) -> None:
    text = client.prompt("hello")
    (record,) = injection_log.read_replies(str(client.root))
    assert (record["block"], blocks(client, record)) == ("kept", {record["hash"]: text})
    (path,) = (tmp_path / "cache").glob("*.blocks")
    assert os.name == "nt" or stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not list(client.root.rglob("*.blocks"))


def test_the_configuration_keeps_blocks_out(client: Claude, tmp_path: Path) -> None:
    (client.root / ".synapse" / "config.toml").write_text("[log]\nblocks = false\n", "utf-8")
    client.prompt("hello")
    (record,) = injection_log.read_replies(str(client.root))
    assert record["block"] == "off"
    assert not list((tmp_path / "cache").glob("*.blocks"))


@pytest.mark.parametrize("prompts", [("*synapse hunter2",), ("*develop hunter2",)])
def test_a_block_that_quotes_its_prompt_is_not_kept(
    client: Claude, tmp_path: Path, prompts: tuple[str, ...]
) -> None:
    config = client.root / ".synapse" / "config.toml"
    config.write_text('profile = "synapse-live"\ninjection = "always"\n', encoding="utf-8")
    for prompt in prompts:
        assert "hunter2" in client.prompt(prompt)
    assert {record["block"] for record in injection_log.read_replies(str(client.root))} == {
        "quotes"
    }
    assert b"hunter2" not in b"".join(p.read_bytes() for p in (tmp_path / "cache").glob("*.*"))


def test_blocks_take_a_bounded_place(
    client: Claude, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(injection_log, "BLOCKS_LIMIT", 2_000)
    for number in range(12):
        client.prompt(f"@{'dev' if number % 2 else 'qa'} go on")
    kept = sorted((tmp_path / "cache").glob("*.blocks*"))
    assert [path.suffix for path in kept] == [".blocks", ".1"]
    assert all(path.stat().st_size < 5_000 for path in kept)


def test_it_says_why_the_full_block_was_told_and_why_domains_took_part(client: Claude) -> None:
    client.prompt("hello")
    client.uses(90_000)
    client.prompt("@dev add a unit test")
    last, first = injection_log.read_replies(str(client.root))
    assert (first["why"], first["turn"]) == ("nothing is in context", 1)
    assert "L2\tAGENT_DEV\tagent\tdev" in last["domains"]
    assert "L6\tTESTING\trecall\tunit test" in last["domains"]
    assert last["matched"] == {"TESTING": ["unit test"]}
    assert last["agent"] == "dev"


def test_a_path_that_woke_a_domain_goes_unsaid(client: Claude, tmp_path: Path) -> None:
    manifest = client.root / ".synapse" / "manifest"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(f"{text}SQL_STATE=active\nSQL_PATHS=**/*.sql\n", encoding="utf-8")
    (client.root / ".synapse" / "sql").write_text("SQL_RULE_0=Name every index\n", "utf-8")
    client.uses(90_000)
    client.prompt("look at db/hunter2.sql")
    (record,) = injection_log.read_replies(str(client.root))
    assert "L6\tSQL\tpaths" in record["domains"]
    (path,) = files(tmp_path)
    assert "hunter2" not in path.read_text()


SQL = {
    ".synapse/manifest": "SQL_STATE=active\nSQL_PATHS=**/*.sql\n",
    ".synapse/sql": "SQL_RULE_0=Name every index\n",
    ".synapse/config.toml": 'injection = "always"\n',
}


@pytest.fixture
def sql(client: Claude) -> Claude:
    manifest = client.root / ".synapse" / "manifest"
    before = manifest.read_text(encoding="utf-8")
    for name, content in SQL.items():
        (client.root / name).write_text(content, encoding="utf-8")
    manifest.write_text(f"{before}{SQL['.synapse/manifest']}", encoding="utf-8")
    client.uses(90_000)
    return client


def kept(tmp_path: Path) -> str:
    paths = (tmp_path / "cache").iterdir()
    return "".join(p.read_text("utf-8", errors="replace") for p in paths if p.suffix != ".plan")


def test_a_path_that_only_prompts_named_is_neither_logged_nor_kept(
    sql: Claude, tmp_path: Path
) -> None:
    for prompt in ("look at db/hunter2.sql", "go", "go"):
        assert "hunter2" in sql.prompt(prompt)
    last, *_, first = injection_log.read_replies(str(sql.root))
    assert {first["block"], last["block"]} == {"quotes"}
    assert "L6\tSQL\trecalled-paths" in last["domains"]
    assert "hunter2" not in kept(tmp_path)
    assert domains_in_reply(last)[-1].reason.startswith("a file of its kind ")


def test_nor_is_one_in_a_session_that_is_not_remembered(sql: Claude, tmp_path: Path) -> None:
    sql.session = ""
    assert "hunter2" in sql.prompt("look at db/hunter2.sql")
    assert "hunter2" not in kept(tmp_path)


def test_the_difference_to_a_block_that_quotes_is_kept_again(sql: Claude) -> None:
    (sql.root / ".synapse" / "config.toml").unlink()
    assert "hunter2" in sql.prompt("look at db/hunter2.sql")
    assert "hunter2" not in sql.prompt("@dev go")
    assert next(iter(injection_log.read_replies(str(sql.root))))["block"] == "kept"


def test_a_block_with_a_path_that_a_tool_has_touched_is_kept(sql: Claude) -> None:
    sql.prompt("hello")
    sql.send("PostToolUse", tool_name="Edit", tool_input={"file_path": f"{sql.root}/db/a.sql"})
    for prompt in ("look at db/a.sql", *["go"] * 3):
        assert "a.sql" in sql.prompt(prompt)
    assert {record["block"] for record in injection_log.read_replies(str(sql.root))} == {"kept"}


def test_what_was_cut_has_names(client: Claude) -> None:
    rules = "".join(f"GLOBAL_RULE_{n}=Rule number {n} {'x' * 200}\n" for n in range(40))
    (client.root / ".synapse" / "global").write_text(rules, encoding="utf-8")
    client.prompt("hello")
    (record,) = injection_log.read_replies(str(client.root))
    cut = [name for _, name in injection_log.parse_entries(record["cut"])]
    assert len(cut) == record["cuts"] > 0
    assert "GLOBAL_RULE_39" in cut


def test_a_confirmation_belongs_to_the_reply_before_it(client: Claude) -> None:
    event = Event("prompt", "UserPromptSubmit", {})
    event.session_id = client.session
    root = str(client.root)
    client.prompt("hello")
    (record,) = injection_log.read_replies(root)
    delivery = Delivery({"hash": record["hash"], "since": format_timestamp(record["time"])})

    def outcome(host: str, what: str) -> tuple[bool | None, bool]:
        injection_log.log_outcome(root, host, event, delivery, what, client.now)
        (reply,) = injection_log.read_replies(root)
        return reply["arrived"], reply["cancelled"]

    assert outcome("claude", injection_log.MISSING) == (False, False)
    assert outcome("claude", injection_log.ARRIVED) == (True, False)
    assert outcome("codex", injection_log.MISSING) == (True, False)
    assert outcome("claude", injection_log.CANCELLED) == (None, True)


def test_two_replies_of_one_text_have_an_outcome_each(client: Claude) -> None:
    event = Event("prompt", "UserPromptSubmit", {})
    event.session_id = client.session
    root = str(client.root)
    text = client.prompt("hello")
    client.send("SessionStart", source="clear")
    assert client.prompt("hello") == text
    last, first = injection_log.read_replies(root)
    for reply, outcome in (
        (first, injection_log.CANCELLED),
        (last, injection_log.ARRIVED),
    ):
        delivery = Delivery({"hash": reply["hash"], "since": format_timestamp(reply["time"])})
        injection_log.log_outcome(root, "claude", event, delivery, outcome, client.now)
    replies = list(injection_log.read_replies(root))
    assert [(r["arrived"], r["cancelled"]) for r in replies] == [(True, False), (None, True)]

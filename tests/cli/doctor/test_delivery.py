"""What the doctor says of the rules themselves: none, asleep, two systems, notes and caches."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.storage import plan_cache
from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import codes, doctor

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells"),
    pytest.mark.usefixtures("forks"),
]


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    return root


def test_a_tree_without_a_rule_is_a_failure(synapse: Synapse, project: Path) -> None:
    write(
        project, {".synapse/manifest": "DOCS_STATE=inactive\n", ".synapse/docs": "DOCS_RULE_0=x\n"}
    )
    synapse("install", "--client", "claude", "--scope", "local")
    document = doctor(synapse, "--client", "claude")
    assert codes(document) == ["no-rules"] and not document["ok"]


def test_rules_that_all_sleep_at_first_are_a_failure(synapse: Synapse, project: Path) -> None:
    write(
        project,
        {
            "squads/copy/.synapse/manifest": "COPY_STATE=active\n",
            "squads/copy/.synapse/copy": "COPY_RULE_0=Short headlines.\n",
        },
    )
    synapse("install", "--client", "claude", "--scope", "local")
    (trouble,) = doctor(synapse, "--client", "claude")["troubles"]
    assert (trouble["code"], trouble["severity"]) == ("no-rules", "error")
    assert "synapse profile use synapse-live" in trouble["remedy"]
    synapse("profile", "use", "synapse-live")
    assert doctor(synapse, "--client", "claude")["troubles"] == []


def test_triggers_that_sleep_at_first_are_told(synapse: Synapse, project: Path) -> None:
    write(
        project,
        {
            ".synapse/manifest": "GLOBAL_STATE=active\nDOCS_STATE=active\nDOCS_RECALL=docs\n",
            ".synapse/global": "GLOBAL_RULE_0=Answer in English.\n",
            ".synapse/docs": "DOCS_RULE_0=Plain words.\n",
        },
    )
    synapse("install", "--client", "claude", "--scope", "local")
    document = doctor(synapse, "--client", "claude")
    assert document["troubles"] == [] and document["asleep"].startswith("DOCS cannot apply")
    told = synapse("doctor", "--client", "claude", "--runs", "0").out
    assert "inactive  DOCS cannot apply" in told
    assert "\n          `synapse profile use synapse-live` activates them.\n" in told
    assert told.endswith(
        "\nThe hook is well. The tree has rules that are inactive, as said above.\n"
    )


def test_tasks_that_sleep_at_first_are_told(synapse: Synapse, project: Path) -> None:
    task = {".aiox-core/development/tasks/pay.md": "# Pay\n\n- [ ] Refund works\n"}
    write(project, {".synapse/global": "GLOBAL_RULE_0=Answer in English.\n", **task})
    said = synapse("doctor", "--format", "json", "--runs", "1").json
    assert said["asleep"].startswith("a task and its story cannot apply while the window is FRESH")
    assert "no-rules" not in {trouble["code"] for trouble in said["troubles"]}


def test_rules_that_come_late_with_an_agent_are_told(synapse: Synapse, team: Path) -> None:
    rules = "".join(f"AGENT_DEV_RULE_{i}=Keep module {i} small.\n" for i in range(99))
    write(team, {".synapse/agent-dev": rules})
    late = synapse("doctor", "--format", "json", "--runs", "1").json["late"]
    assert (
        late.startswith("With @dev, ")
        and "Most clients inject the rest with the next replies" in late
    )
    told = synapse("doctor", "--runs", "1").out
    assert f"deferred  {re.sub(r'(?<=[.]) (?=[A-Z])', chr(10) + ' ' * 10, late)}\n" in told
    why = synapse("why", "AGENT_DEV_RULE_98", "--agent", "dev").out
    assert "(800 tokens); most clients inject it with the next replies." in why
    note = synapse("context", "--agent", "dev").err
    assert "lines do not fit into a first block. Most clients inject the rest with the next" in note
    write(team, {".synapse/config.toml": 'injection = "always"\n'})
    why = synapse("why", "AGENT_DEV_RULE_98", "--agent", "dev").out
    assert "it does not fit into the budget of FRESH (800 tokens)." in why


@pytest.mark.usefixtures("team")
def test_a_damaged_plan_is_a_failure_once(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--scope", "local")
    synapse("context")
    assert doctor(synapse, "--client", "claude")["troubles"] == []
    file = Path(plan_cache.plan_file(str(team)))
    data = file.read_bytes()
    file.write_bytes(data[:-40] + bytes(40))
    document = doctor(synapse, "--client", "claude")
    assert codes(document) == ["damaged-cache"] and not document["ok"]
    assert doctor(synapse, "--client", "claude")["troubles"] == []


def test_a_placeholder_in_a_private_folder_is_no_note(synapse: Synapse, team: Path) -> None:
    write(team, {".synapse/sessions/.gitkeep": ""})
    for arguments in (("init", "-q"), ("add", "-f", ".synapse/sessions/.gitkeep")):
        subprocess.run(["git", *arguments], check=True)
    assert "private-files-in-git" not in codes(doctor(synapse))


def test_codex_waits_as_long_for_the_end_of_a_session_as_it_allows() -> None:
    (hook,) = CLIENTS["codex"].hook_entry("SessionEnd", "project")["hooks"]
    assert hook["timeout"] == 3
    (hook,) = CLIENTS["codex"].hook_entry("UserPromptSubmit", "project")["hooks"]
    assert hook["timeout"] == 10


def test_rules_that_a_client_is_told_twice_are_not_well(synapse: Synapse, project: Path) -> None:
    rules = "GLOBAL_RULE_0=Answer in English\nGLOBAL_RULE_1=Use tabs in every file\n"
    text = "- Answer in English\n- Use tabs in every file\n"
    write(project, {"CLAUDE.md": text, ".synapse/global": rules})
    synapse("install", "--client", "claude")
    document = doctor(synapse, "--client", "claude")
    (trouble,) = [t for t in document["troubles"] if t["code"] == "told-twice"]
    assert "2 rules twice" in trouble["sentence"]
    assert "`synapse init --convert`" in trouble["remedy"]
    (project / "CLAUDE.md").unlink()
    done = synapse("doctor", "--client", "claude", "--runs", "0")
    assert done.out.endswith("\nAll is well.\n")
    assert "this tree has no boundary that it could keep" in done.out


def test_a_program_that_only_an_active_environment_has_is_pointed_out(
    synapse: Synapse, team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synapse("install", "--client", "claude")
    assert "only-in-environment" not in codes(doctor(synapse, "--client", "claude"))
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path))
    document = doctor(synapse, "--client", "claude")
    (trouble,) = [t for t in document["troubles"] if t["code"] == "only-in-environment"]
    assert str(tmp_path / "bin" / "synapse-ls") in trouble["sentence"]
    assert trouble["severity"] == "warning" and document["ok"]


def test_a_client_that_reads_all_rules_by_itself_is_well(synapse: Synapse, project: Path) -> None:
    write(project, {"CLAUDE.md": "- Answer in English\n"})
    synapse("init", "--client", "claude")
    done = synapse("doctor", "--client", "claude", "--runs", "0")
    assert "the client reads its rules by itself" in done.out
    assert doctor(synapse, "--client", "claude")["clients"][0]["reads_all"]
    assert "tokens for each sub-agent Explore or Plan" in done.out
    assert done.out.endswith("\nAll is well.\n")


def test_an_untrusted_tree_is_an_error_though_the_client_reads_its_rules_by_itself(
    synapse: Synapse, project: Path
) -> None:
    write(project, {"CLAUDE.md": "- Answer in English\n"})
    synapse("init")
    synapse("install", "--client", "claude", "--scope", "user")
    document = doctor(synapse, "--client", "claude")
    assert codes(document, "claude") == ["untrusted-tree"] and not document["ok"]
    assert not document["clients"][0]["reads_all"]


def test_a_silent_tree_of_which_the_client_reads_nothing_is_a_failure(
    synapse: Synapse, project: Path
) -> None:
    section = '[[section]]\nlabel = "A"\ncontent = "Be brief."\nevery_n_turns = 5\n'
    write(project, {".synapse/config.toml": f'profile = "plain"\n{section}'})
    synapse("install", "--client", "claude")
    document = doctor(synapse, "--client", "claude")
    assert codes(document, "claude") == ["silent-hook"]
    assert not document["clients"][0]["reads_all"]

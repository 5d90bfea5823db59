"""What becomes of the files of a CARL tree."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from synapse_ls.setup.migrate.carl_conversion import CarlConversion, convert_tree, new_domain_names
from synapse_ls.text.user_error import UserError
from tests.setup.migrate.trees import ODD, PLAIN, project, write


def old(root: Path, files: dict[str, str]) -> CarlConversion:
    for path, text in {".carl/manifest": "", **files}.items():
        write(root, path, dedent(text).encode())
    return convert_tree(root)


def text(root: Path, path: str, files: dict[str, str]) -> str:
    return old(root, files).texts[path].text


def test_rules_keep_their_order_and_are_numbered_anew(tmp_path: Path) -> None:
    files = {
        ".carl/manifest": "API_STATE=active\nAPI_RECALL=x\n",
        ".carl/api": "API_RULE_7=First\nAPI_RULE_0=Second\nAPI_RULE_AUTH_0=Third\n",
    }
    assert text(tmp_path, ".synapse/api", files) == (
        "API_RULE_0=First\nAPI_RULE_1=Second\nAPI_RULE_2=Third\n"
    )


def test_comments_stay_and_what_carl_never_read_becomes_one(tmp_path: Path) -> None:
    files = {".carl/global": "# Why\nGLOBAL_RULE_0=A\n\n  prose\nGLOBAL_AUTH_0=B\nOTHER_RULE_0=C\n"}
    found = old(tmp_path, files).texts[".synapse/global"]
    assert found.text == (
        "# Why\nGLOBAL_RULE_0=A\n\n# not read by CARL: prose\n"
        "# not read by CARL: GLOBAL_AUTH_0=B\n# not read by CARL: OTHER_RULE_0=C\n"
    )
    assert found.unread == (3, 4, 5)


@pytest.mark.parametrize(
    ("manifest", "converted"),
    [
        ("A_STATE=Yes\nA_RECALL=x\n", "A_STATE=active\nA_RECALL=x\n"),
        ("A_STATE=on\nA_RECALL=x\n", "A_STATE=inactive\nA_RECALL=x\n"),
        ("A_RECALL=x\n", "A_STATE=inactive\nA_RECALL=x\n"),
        ("A_ALWAYS_ON=1\n", "A_STATE=active\nA_ALWAYS_ON=true\n"),
        ("A_STATE=active\nA_ALWAYS_ON=on\n", "A_STATE=active\nA_ALWAYS_ON=false\n"),
        ("DEVMODE=on\n", "DEVMODE=true\n"),
        ("GLOBAL_EXCLUDE=a,,b\n", "GLOBAL_EXCLUDE=a,b\n"),
        ("GLOBAL_ALWAYS_ON=true\n", "GLOBAL_ALWAYS_ON=true\n"),
        ("A_STATE=active\nA_RECALL=x,,y,\n", "A_STATE=active\nA_RECALL=x,y\n"),
        (
            "A_STATE=inactive\nA_STATE=active\n",
            "# not read by CARL: A_STATE=inactive\nA_STATE=active\n",
        ),
        ("DOMAIN_ORDER=A,B\n", "# not read by CARL: DOMAIN_ORDER=A,B\n"),
        ("A_AGENT_TRIGGER=dev\n", "# not read by CARL: A_AGENT_TRIGGER=dev\n"),
        (
            "A_ALWAYS_ON=yes\nA_RECALL=x\n",
            "A_STATE=active\nA_ALWAYS_ON=true\n"
            "# has no effect, because A is always on: A_RECALL=x\n",
        ),
    ],
)  # fmt: skip
def test_a_line_of_the_manifest(tmp_path: Path, manifest: str, converted: str) -> None:
    assert text(tmp_path, ".synapse/manifest", {".carl/manifest": manifest}) == converted


def test_an_empty_list_of_keywords_means_always_as_it_did(tmp_path: Path) -> None:
    found = old(tmp_path, {".carl/manifest": "A_STATE=active\nA_RECALL=\n"})
    assert found.texts[".synapse/manifest"].text.splitlines()[0::2] == [
        "A_STATE=active",
        "A_ALWAYS_ON=true",
    ]
    assert found.always_domains == ("A",)
    assert [(r.path, r.line) for r in found.remarks] == [(".carl/manifest", 2)]


def test_the_rules_of_depleted_are_told_in_critical_too(tmp_path: Path) -> None:
    files = {
        ".carl/context": "DEPLETED_RULES=no\nDEPLETED_RULE_0=Sum up\nCRITICAL_RULE_0=Never read\n"
    }
    assert text(tmp_path, ".synapse/context", files) == (
        "DEPLETED_RULES=false\nCONTEXT_RULE_DEPLETED_0=Sum up\n"
        "# not read by CARL: CRITICAL_RULE_0=Never read\n\n"
        "# In CRITICAL, CARL injects the rules of DEPLETED.\nCRITICAL_RULES=false\n"
        "CONTEXT_RULE_CRITICAL_0=Sum up\n"
    )


def test_the_switch_of_carls_documents_never_counted(tmp_path: Path) -> None:
    files = {".carl/context": "FRESH_ENABLED=false\nFRESH_RULE_0=Be brief\n"}
    assert text(tmp_path, ".synapse/context", files) == (
        "# not read by CARL: FRESH_ENABLED=false\nCONTEXT_RULE_FRESH_0=Be brief\n"
    )


def test_star_commands_go_by_the_key_of_the_format(tmp_path: Path) -> None:
    files = {".carl/commands": "# *brief - Short\nBRIEF_RULE_3=A\nbrief_RULE_0=B\nBRIEF_RULE_1=C\n"}
    assert text(tmp_path, ".synapse/commands", files) == (
        "# *brief - Short\nCOMMANDS_RULE_BRIEF_0=A\n"
        "# not read by CARL: brief_RULE_0=B\nCOMMANDS_RULE_BRIEF_1=C\n"
    )


def test_the_rules_of_the_command_commands_stay_its_rules(tmp_path: Path) -> None:
    files = {".carl/commands": "COMMANDS_RULE_0=A\nBRIEF_RULE_0=B\nCOMMANDS_RULE_7=C\n"}
    assert text(tmp_path, ".synapse/commands", files) == (
        "COMMANDS_RULE_COMMANDS_0=A\nCOMMANDS_RULE_BRIEF_0=B\nCOMMANDS_RULE_COMMANDS_1=C\n"
    )


def test_the_help_that_carl_brings_along_stays_behind(tmp_path: Path) -> None:
    files = {
        ".carl/commands": "# Ours\nBRIEF_RULE_0=A\n\n# ====\n# *carl - CARL Help Mode\n# ====\n"
        "CARL_RULE_0=Explain\nCARL_RULE_1=File structure: .carl/manifest, .carl/global\n"
    }
    assert text(tmp_path, ".synapse/commands", files) == "# Ours\nCOMMANDS_RULE_BRIEF_0=A\n"
    (remark,) = old(tmp_path, files).remarks
    assert (remark.path, remark.line) == (".carl/commands", 7)
    assert "`*synapse help` takes its place" in remark.sentence


def test_a_command_carl_of_the_tree_stays(tmp_path: Path) -> None:
    files = {".carl/commands": "CARL_RULE_0=Ask Carl of operations\n"}
    assert "COMMANDS_RULE_CARL_0=Ask Carl" in text(tmp_path, ".synapse/commands", files)


def test_a_byte_order_mark_goes_and_line_breaks_stay(tmp_path: Path) -> None:
    write(tmp_path, ".carl/manifest", b"\xef\xbb\xbfA_STATE=active\r\nA_RECALL=x\r\n")
    assert (
        convert_tree(tmp_path).texts[".synapse/manifest"].text == "A_STATE=active\r\nA_RECALL=x\r\n"
    )


def test_a_file_may_have_a_suffix_and_an_underscore(tmp_path: Path) -> None:
    manifest = "WEB_UI_STATE=active\nWEB_UI_RECALL=x\n"
    files = {".carl/manifest": manifest, ".carl/web_ui.env": "WEB_UI_RULE_0=A\n"}
    found = old(tmp_path, files)
    assert found.texts[".synapse/web-ui"].text == "WEB_UI_RULE_0=A\n"
    assert found.kept == ()


def test_a_hyphen_is_no_underscore_to_carl(tmp_path: Path) -> None:
    manifest = "WEB_UI_STATE=active\nWEB_UI_RECALL=x\n"
    found = old(tmp_path, {".carl/manifest": manifest, ".carl/web-ui": "WEB_UI_RULE_0=A\n"})
    assert ".synapse/web-ui" not in found.texts
    assert [change.path for change in found.kept] == [".synapse/carl/web-ui"]


def test_two_domains_of_one_file_get_files_of_their_own(tmp_path: Path) -> None:
    manifest = "api_ALWAYS_ON=true\nAPI_ALWAYS_ON=true\n"
    files = {".carl/manifest": manifest, ".carl/api": "api_RULE_0=a\nAPI_RULE_0=A\nX_RULE_0=x\n"}
    texts = old(tmp_path, files).texts
    assert texts[".synapse/api"].text == "API_RULE_0=a\n# not read by CARL: X_RULE_0=x\n"
    assert (
        texts[".synapse/api-rules"].text == "API_RULES_RULE_0=A\n# not read by CARL: X_RULE_0=x\n"
    )


def test_names_are_free_of_other_meanings_and_of_each_other() -> None:
    names = [
        "GLOBAL",
        "api",
        "API",
        "CONSTITUTION",
        "FRESH",
        "README",
        "MANIFEST",
        "1ST",
        "É",
        "X_CMD_Y",
    ]
    found = new_domain_names(names)
    assert found["GLOBAL"] == "GLOBAL"
    assert found["api"] == "API"
    assert found["CONSTITUTION"] == "CONSTITUTION_RULES"
    assert found["MANIFEST"] == "MANIFEST_RULES"
    assert found["1ST"] == "DOMAIN_1ST"
    assert len(set(found.values())) == len(names)


def test_a_file_that_is_not_utf8_is_refused_with_its_place(tmp_path: Path) -> None:
    write(tmp_path, ".carl/manifest", b"GLOBAL_STATE=active\n")
    write(tmp_path, ".carl/global", b"GLOBAL_RULE_0=fine\nGLOBAL_RULE_1=caf\xe9\n")
    with pytest.raises(UserError, match=r"\.carl/global:2:18 is not UTF-8"):
        convert_tree(tmp_path)


def test_a_domain_whose_file_cannot_be_read_is_refused_and_another_file_left(
    tmp_path: Path,
) -> None:
    write(tmp_path, ".carl/manifest", b"A_ALWAYS_ON=true\n")
    (tmp_path / ".carl/loose").symlink_to("nowhere")
    assert convert_tree(tmp_path).left == ((".carl/loose", "it is no file that CARL reads"),)
    (tmp_path / ".carl/a").symlink_to("nowhere")
    with pytest.raises(UserError, match=r"\.carl/a is not a file that can be read"):
        convert_tree(tmp_path)


def test_without_a_tree_there_is_nothing_to_migrate(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"There is no \.carl/manifest in"):
        convert_tree(tmp_path)


def test_what_is_odd_is_remarked_on(tmp_path: Path) -> None:
    project(tmp_path, ODD)
    told = [f"{r.path}:{r.line} {r.sentence}" for r in convert_tree(tmp_path).remarks]
    assert ".carl/manifest:0 The domain web_ui is called WEB_UI here." in told
    assert any("`on` is not a state" in sentence for sentence in told)
    assert ".carl/context:1 CARL never read lines 1, 5; they are comments now." in told


def test_a_plain_tree_needs_no_remark(tmp_path: Path) -> None:
    commands = PLAIN[".carl/commands"].replace(", see .carl/manifest", "")
    project(tmp_path, {**PLAIN, ".carl/commands": commands})
    found = convert_tree(tmp_path)
    assert (found.remarks, found.kept, found.left) == ((), (), ())

"""The built-in profiles, and ``[profiles.NAME]`` of the configuration, which extend one.

An unknown word is a fault with its place in the table; the rest of the profile still counts. A new
built-in profile is a table in ``systems/*/profile.py`` and a line here.
"""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import pairwise
from typing import Any

from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.formats.config_settings import Config
from synapse_ls.text.block_markup import CLIENT_TAGS, SECTION_HEADINGS
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.workspace.rule_tree import Tree

PROFILE_TABLES = {
    "synapse": "synapse", "synapse-live": "synapse:LIVE_PROFILE", "chati": "chati", "carl": "carl",
    "carl-v2": "carl:V2_PROFILE", "brainiac": "brainiac",
    "brainiac-reflection": "brainiac:REFLECTION", "brainiac-promotion": "brainiac:PROMOTION",
    "brainiac-organization": "brainiac:ORGANIZATION", "plain": "plain",
}  # fmt: skip


def load_profile_table(name: str) -> dict[str, Any] | None:
    """Return the table of the built-in profile ``name``, or None where there is none of that
    name.
    """
    if (module := PROFILE_TABLES.get(name)) is None:
        return None
    module, _, name = module.partition(":")
    loaded: dict[str, Any] = getattr(
        import_module(f"synapse_ls.engine.systems.{module}.profile"), name or "PROFILE"
    )
    return loaded


Table = dict[str, Any]
BUILT_IN = PROFILE_TABLES
ProfileSettings = Mapping[str, Mapping[str, Any]]
# Stands in an order for all sections that it does not name.
ALL_OTHERS = "*"

DEFAULT_PROFILE = "synapse"

# Names and headings stand in the block and on terminals as they are, and a tree may be anybody's.
_BRACKET_NAME = lazy_pattern("[A-Z][A-Z0-9_-]{0,31}")


@dataclass(frozen=True, slots=True)
class ProfileFault:
    """Something in a custom profile that cannot count.

    path: below ``profiles``. message: what is wrong, with its effect where there are no words.
    words: those that there are, where one of them was meant. remedy: what to do, where it is not to
    write one of these words. at_key: whether the last of the path is wrong itself, and not its
    value.
    """

    path: tuple[str | int, ...]
    message: str
    words: tuple[str, ...] = ()
    remedy: str = ""
    at_key: bool = False

    @property
    def sentence(self) -> str:
        """What is wrong, and its effect."""
        return f"{self.message}, so it does not count." if self.words else f"{self.message}."


@dataclass(slots=True)
class BuiltProfile:
    """The table of a profile, custom or not, and what is wrong with it; ``base`` is the built-in
    profile it comes from.
    """

    table: Table
    base: str
    faults: list[ProfileFault] = field(default_factory=list)


def profile_names(custom: ProfileSettings) -> tuple[str, ...]:
    """Return the names of all profiles: the built-in ones, then the custom ones of the tree."""
    return (*BUILT_IN, *(name for name in custom if name not in BUILT_IN))


def build_profile(name: str, custom: ProfileSettings) -> BuiltProfile | None:
    """Build the profile ``name``, be it custom or built in; None where there is none of that
    name.
    """
    if (builtin := load_profile_table(name)) is not None:
        return BuiltProfile(builtin, name)
    return _build_custom(name, custom) if name in custom else None


def find_faults(custom: ProfileSettings) -> Iterator[ProfileFault]:
    """Yield what is wrong with the profiles of a configuration, in their order."""
    for name in custom:
        if name in BUILT_IN:
            yield ProfileFault((name,), f"`{name}` is a profile already, so this one is never used")
        elif (profile := build_profile(name, custom)) is not None:
            yield from profile.faults


def _build_custom(name: str, custom: ProfileSettings) -> BuiltProfile:
    settings = custom[name]
    extends = settings.get("extends", "synapse")
    faults: list[ProfileFault] = []
    base = load_profile_table(extends)
    origin = extends
    circle = _find_circle(name, custom)
    if base is None and extends in custom and not circle:
        parent = _build_custom(extends, custom)
        base, origin = parent.table, parent.base
    elif base is None:
        names = tuple(other for other in profile_names(custom) if other not in (name, extends))
        what = (
            f"`{name}` extends itself by way of {circle}"
            if circle
            else f"There is no profile `{extends}`"
        )
        faults.append(ProfileFault((name, "extends"), what, names))
        base, origin = load_profile_table("synapse"), "synapse"
    assert base is not None
    table = {**base, "name": name}
    faults += _apply_settings(table, name, origin, settings)
    return BuiltProfile(table, origin, faults)


def _find_circle(name: str, custom: ProfileSettings) -> str:
    """Return the profiles by which ``name`` extends itself, "" where it does not."""
    chain = [name]
    while (extends := custom[chain[-1]].get("extends", "")) in custom:
        chain.append(extends)
        if extends == name:
            return " → ".join(f"`{link}`" for link in chain)
        if extends in chain[:-1]:
            return ""
    return ""


def _apply_settings(
    table: Table, name: str, origin: str, settings: Mapping[str, Any]
) -> Iterator[ProfileFault]:
    """Lay settings over ``table``, which comes from the built-in profile ``origin``; yield what
    cannot count.
    """
    yield from _apply_layout(table, name, origin, settings)
    if "layers" in settings:
        modules = {layer: (layer, module) for layer, module in table["layers"]}
        words = yield from _check_layers((name, "layers"), settings["layers"], tuple(modules))
        table["layers"] = tuple(modules[layer] for layer in words)
        table["brackets"] = tuple(
            {**row, "layers": tuple(layer for layer in row["layers"] if layer in words)}
            for row in table["brackets"]
        )
    if "order" in settings:
        sections = (*table["sections"], ALL_OTHERS)
        words = yield from _check_words(
            (name, "order"), settings["order"], sections, _unknown_word("section", sections)
        )
        # The sections as `words` order them: all that these do not name stand in the place of
        # `ALL_OTHERS`, else at the end.
        rest = [section for section in table["sections"] if section not in words]
        at = words.index(ALL_OTHERS) if ALL_OTHERS in words else len(words)
        table["sections"] = (*words[:at], *rest, *words[at + 1 :])
    classes = (*table["drop"], *table["protected"])
    unknown_class = _unknown_word("class of entries", classes)
    if "protect" in settings:
        words = yield from _check_words(
            (name, "protect"), settings["protect"], classes, unknown_class
        )
        added = [word for word in table["drop"] if word in words and word != "CUT_LINES"]
        table["protected"] = (*added, *table["protected"])
        table["drop"] = tuple(word for word in table["drop"] if word not in added)
    if "drop" in settings:
        words = yield from _check_words((name, "drop"), settings["drop"], classes, unknown_class)
        table["protected"] = tuple(word for word in table["protected"] if word not in words)
        table["drop"] = (*words, *(word for word in (*table["drop"], *words) if word not in words))
    for key in ("recall_prompts", "whole_first_block"):
        if key in settings:
            table[key] = settings[key]
    yield from _apply_brackets(table, name, settings)


def _apply_layout(
    table: Table, name: str, origin: str, settings: Mapping[str, Any]
) -> Iterator[ProfileFault]:
    if "renderer" in settings:
        if (other := load_profile_table(settings["renderer"])) is None:
            words = tuple(BUILT_IN)
            yield ProfileFault(
                (name, "renderer"), f"There is no profile `{settings['renderer']}`", words
            )
        elif other.get("markup") and not table.get("markup"):
            what = (
                f"The block of `{settings['renderer']}` is XML and the sections of `{origin}` are "
                "not"
            )
            yield ProfileFault((name, "renderer"), f"{what}, so `renderer` does not count")
        else:
            table["layout"] = {**other["layout"], "indent": table["layout"]["indent"]}
    yield from _apply_headings(table, name, origin, settings)
    if "tag" in settings:
        tag = settings["tag"]
        if {tag.lower(), tag.lower().replace("_", "-")} & {*CLIENT_TAGS}:
            yield ProfileFault((name, "tag"), f"`{tag}` is a tag in which agent clients speak")
        elif (
            tag
            and all(c.isascii() and (c.isalnum() or c in "-_") for c in tag)
            and tag[0].isalpha()
        ):
            between = table["layout"]["between"]
            frame = {"open": f"<{tag}>{between}", "close": f"{between}</{tag}>"}
            table["layout"], table["tag"] = {**table["layout"], **frame}, tag
        else:
            yield ProfileFault(
                (name, "tag"), f"`{tag}` is no name of a tag: letters, digits, - and _"
            )


def _apply_headings(
    table: Table, name: str, origin: str, settings: Mapping[str, Any]
) -> Iterator[ProfileFault]:
    written: Mapping[str, str] = settings.get("headings", {})
    if written and table["source"] != "synapse":
        what = f"The headings of `{origin}` are part of its format, so `headings` does not count"
        yield ProfileFault((name, "headings"), what)
        return
    sections = tuple(section for section in table["sections"] if section != "WITHDRAWN")
    headings = dict(table.get("headings", {}))
    for section, text in written.items():
        if section == "WITHDRAWN":
            what = "The heading of `WITHDRAWN` is always the same, so this one does not count"
            yield ProfileFault((name, "headings", section), what, remedy="Delete it.", at_key=True)
        elif section not in sections:
            what = f"There is no section `{section}`"
            yield ProfileFault((name, "headings", section), what, sections, at_key=True)
        elif not text.strip() or not text.isprintable():
            yield ProfileFault((name, "headings", section), f"`{section}` has no line as heading")
        elif {"<", ">"} & {*text} or neutralise_text(text, keeps_spaces=True) != text.strip():
            what = f"`{text}` would pass for other markup of the block"
            yield ProfileFault((name, "headings", section), what)
        elif "{" in text.replace("{name}", ""):
            what = f"`{text}` has a place for something else than {{name}}"
            yield ProfileFault((name, "headings", section), what)
        else:
            headings[section] = text.strip()
    if headings:
        table["headings"] = headings


def _apply_brackets(table: Table, name: str, settings: Mapping[str, Any]) -> Iterator[ProfileFault]:
    rows: dict[str, Table] = {row["name"]: dict(row) for row in table["brackets"]}
    layers = tuple(layer for layer, _ in table["layers"])
    own_layers = "layers" in settings
    unplaced = set()
    for bracket, changes in settings.get("brackets", {}).items():
        upper = bracket.upper()
        if upper in SECTION_HEADINGS or not _BRACKET_NAME.fullmatch(upper):
            what = f"`{bracket}` cannot be the name of a bracket, so it does not count"
            remedy = "Write at most 32 letters, digits, - and _, and no heading of a section."
            yield ProfileFault((name, "brackets", bracket), what, remedy=remedy, at_key=True)
            continue
        if (row := rows.get(upper)) is None:
            if "floor" not in changes:
                unplaced.add(bracket.upper())
                what = f"`{bracket}` has no `floor` that counts, so it begins at 0 percent"
                remedy = "Write the percentage that is left at least where it holds: `floor = 40`."
                yield ProfileFault((name, "brackets", bracket), what, remedy=remedy)
            # The bracket in which `floor` percent are left.
            bracket_rows = table["brackets"]
            floor = changes.get("floor", 0)
            ordered = sorted(bracket_rows, key=lambda row: -row["floor"])
            row = dict(next((row for row in ordered if floor >= row["floor"]), ordered[-1]))
            row["name"] = bracket.upper()
            rows[row["name"]] = row
        for key, value in changes.items():
            if key == "layers":
                at = (name, "brackets", bracket, "layers")
                row["layers"] = tuple(
                    (yield from _check_layers(at, value, layers, of_profile=own_layers))
                )
            else:
                row[key] = value
    if "use_brackets" in settings:
        upper = [word.upper() for word in settings["use_brackets"]]
        words = yield from _check_words(
            (name, "use_brackets"), upper, rows, _unknown_word("bracket", rows)
        )
        if words:
            rows = {word: rows[word] for word in words}
            yield from _check_bracket_order(name, settings, rows)
    if "brackets" in settings or "use_brackets" in settings:
        yield from _sort_brackets(table, name, settings, rows, unplaced)


def _check_bracket_order(
    name: str, settings: Mapping[str, Any], rows: Mapping[str, Table]
) -> Iterator[ProfileFault]:
    """Yield a fault where ``use_brackets`` names brackets neither from the first to the last nor
    the other way round.
    """
    named = list(rows.values())
    floors = [row["floor"] for row in named]
    if floors in (sorted(floors), sorted(floors, reverse=True)):
        return
    rises = [(a, b) for a, b in pairwise(named) if b["floor"] > a["floor"]]
    falls = [(a, b) for a, b in pairwise(named) if b["floor"] < a["floor"]]
    for before, row in rises if len(rises) <= len(falls) else falls:
        side = "above" if row["floor"] > before["floor"] else "below"
        what = (
            f"`{row['name']}` begins at {row['floor']}, {side} `{before['name']}` at"
            f" {before['floor']}, which `use_brackets` names before it; the floors decide"
        )
        position = [word.upper() for word in settings["use_brackets"]].index(row["name"])
        remedy = "Change a floor, or the order."
        yield ProfileFault((name, "use_brackets", position), what, remedy=remedy)


def _sort_brackets(
    table: Table,
    name: str,
    settings: Mapping[str, Any],
    rows: Mapping[str, Table],
    unplaced: Collection[str],
) -> Iterator[ProfileFault]:
    """Sort the brackets that hold at any time, each with the words for its share of the window;
    ``unplaced``: those whose floor nobody has said, which is said of them already.
    """
    ordered = sorted(rows.values(), key=lambda row: -row["floor"])
    within = [row for row in ordered if row["floor"] <= 100] or ordered[-1:]
    in_force: list[Table] = []

    def fault(row: Table, what: str, remedy: str = "") -> ProfileFault:
        bracket = row["name"]
        written = next(
            (word for word in settings.get("brackets", {}) if word.upper() == bracket), bracket
        )
        return ProfileFault((name, "brackets", written, "floor"), what, remedy=remedy)

    for row in ordered:
        if row not in within:
            what = f"`{row['name']}` begins at more than 100 percent, so it never holds"
            yield fault(row, what)
        elif in_force and row["floor"] == in_force[-1]["floor"]:
            what = f"`{row['name']}` begins where `{in_force[-1]['name']}` does, so it never holds"
            if not {row["name"], in_force[-1]["name"]} & {*unplaced}:
                yield fault(
                    row, what, "Change a floor, or leave one of them out by `use_brackets`."
                )
        else:
            in_force.append(row)
    last = in_force[-1]
    if last["floor"]:
        yield fault(last, f"`{last['name']}` is the last bracket, so it holds down to 0 percent")
        last["floor"] = 0
    upper = 100
    for row in in_force:
        row["layers"] = tuple(row["layers"])
        is_rest = row is last and upper < 100
        row["label"] = f"less than {upper}%" if is_rest else f"{row['floor']}–{upper}%"
        upper = row["floor"]
    table["brackets"] = tuple(in_force)


_UnknownWord = Callable[[tuple[str | int, ...], str], ProfileFault]


def _unknown_word(noun: str, known: Iterable[str]) -> _UnknownWord:
    words = tuple(known)
    return lambda at, word: ProfileFault(at, f"There is no {noun} `{word}`", words)


def _check_words(
    path: tuple[str, ...], words: Sequence[str], known: Collection[str], unknown: _UnknownWord
) -> Generator[ProfileFault, None, list[str]]:
    """Return the words that are known, each once; yield a fault for every other, which ``unknown``
    makes of what is not known.
    """
    words_once: list[str] = []
    for position, word in enumerate(words):
        if word in words_once:
            what = f"`{word}` is here twice, and the first one counts"
            yield ProfileFault((*path, position), what, remedy="Delete it here.")
        elif word in known:
            words_once.append(word)
        else:
            yield unknown((*path, position), word)
    return words_once


def _check_layers(
    path: tuple[str, ...], words: Sequence[str], known: Sequence[str], *, of_profile: bool = False
) -> Generator[ProfileFault, None, list[str]]:
    """Return the layers that there are, each once; yield a fault for every other. of_profile: the
    known ones are those that the profile's own ``layers`` leave.
    """

    def unknown_layer(at: tuple[str | int, ...], word: str) -> ProfileFault:
        if word.upper() in known:
            return ProfileFault(at, f"There is no layer `{word}`", (word.upper(),))
        # Layers are numbered, so that a number that is near says nothing of what was meant.
        where = "in the `layers` of this profile" if of_profile else "there"
        what = f"Layer `{word}` is not {where}, so it does not count"
        return ProfileFault(at, what, remedy=f"Write one of {', '.join(known)}, or delete it.")

    return (yield from _check_words(path, words, known, unknown_layer))


def find_profile_table(config: Config, profile: str) -> dict[str, Any] | None:
    """Return the table of a built-in or a custom profile; None for neither."""
    profile_built = build_profile(profile, config.profiles)
    return profile_built.table if profile_built else None


def profile_table_of(tree: Tree, profile: str = "") -> dict[str, Any]:
    """Return the table that ``tree`` is served with, perhaps of a custom profile; one that does not
    exist has the default in its place.
    """
    config = tree.snapshot.config
    wanted = (profile or config.profile or tree.profile, tree.profile, DEFAULT_PROFILE)
    return next(filter(None, (find_profile_table(config, name) for name in wanted)))


LAYERS: Mapping[str, str] = {
    "L0": "the constitution", "L1": "rules for everything, and those of the bracket",
    "L2": "the active agent", "L3": "the active workflow", "L4": "the task at hand", "L5": "squads",
    "L6": "domains that a keyword or a file activates", "L7": "star-commands",
}  # fmt: skip

SECTIONS: Mapping[str, str] = {
    "WITHDRAWN": "what no longer holds",
    "CONSTITUTION": "the constitution",
    "GLOBAL": "rules for everything",
    "AGENT": "boundaries and rules of the active agent",
    "WORKFLOW": "rules of the active workflow and its phase",
    "SQUAD": "rules of a squad",
    "TASK": "the task, its conditions and criteria",
    "KEYWORD": "rules that a keyword or a file has activated",
    "MEMORY": "memories",
    "BRACKET": "how much of the window is left, and the rules for that",
    "STAR": "star-commands of this prompt",
    "SYNAPSE": "answers to *synapse",
    "HANDOFF": "the warning that the window ends",
    "CONTINUATION": "where the last session was",
    "DEVMODE": "the debug view",
    "NOTICE": "what is wrong with a file, and what a prompt asks for in vain",
    "SUMMARY": "how many rules of which domain are there",
}

CLASSES: Mapping[str, str] = {
    **{name: about for name, about in SECTIONS.items() if name not in ("CONTINUATION", "DEVMODE")},
    "ALWAYS_ON": "rules of domains that are always on",
    "ASKED": "what the prompt of a first block asks for (keyword, file, task's command), in "
    "`synapse-live`",
    "ASKED_FIRST": "what this prompt asks for, once something is in context",
    "CORRECTION": "memories of what a person has corrected",
    "CUT_LINES": "the lines that name what was left out",
    "PROHIBITION": "what forbids in rules for everything, and in domains that are always on",
    "AUTHORITY": "boundaries of the active agent",
    "NON_NEGOTIABLE": "rules of domains that are marked _NON_NEGOTIABLE",
    "CONSTITUTION_SHOULD": "articles of the constitution that only advise",
}

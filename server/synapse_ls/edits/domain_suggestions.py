"""Suggest the domains that a rule belongs in, and keywords for the name of a new domain."""

from dataclasses import dataclass
from difflib import SequenceMatcher

from synapse_ls.edits import edit_targets
from synapse_ls.engine.word_matching import contains_word, fold_text, split_words
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain

# Keywords that are proposed for one domain; more would match almost every prompt.
_MOST_WORDS = 6

_SHORTEST = 3
_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")
_APOSTROPHE = lazy_pattern("['’]")

# Words that stand in prompts about anything, so that a domain recalled by one would always load.
_COMMON_WORDS = """
about add additional after again agent agents all always and another any app append appendix
application apply are article articles ask avoid back base based basic because been before begin
begins best between both but can change changed changes chapter check code coding come comes
command commands common config context convention conventions core correct create current custom
default define details develop development domain done each earlier early edit edited edits eight
end ends ensure entire ever every example examples except fake few file files find first five fix
follow following for four from full general get global goes good guide guideline guidelines guides
half has have help her his how important info information instead instruction instructions into
introduction item items its just keep keeps key large last later left less like list little live
lives long made make makes manage many may merged misc miscellaneous mode module modules more most
much must need never new next nine not note notes nothing now off often old once one only other our
out overview page part parts pattern patterns phase phases please policy practice practices
preamble previous principles process project projects prompt purpose read readme reference
references related relevant repo repository required requirements rule rules run same scope second
section sections see self separate set setup seven several short should simple six small some
something soon specific standard standards start starts step steps still stuff style such summary
sure system take taken takes task tasks team ten that the their them then there these they things
third this those three through time times tip tips too try two type types update usage usages use
used user
uses using various very was way welcome well were what when where which while who whole why will
with work workflow working write writing yet you your
"""
# The same of Portuguese, Spanish, French, German and Italian.
_COMMON_ABROAD = """
aber adicione agora ahora ainda algum alguma algumas alguna alguno alguns algún ali alle alles als
antes aos apenas após aquel aquela aquelas aquele aqueles aquella aqui assim até aucun aussi avec
avoir añade bei cada caso che chez coloque com como con conforme contra crea crie cuando cuja cujo
dal dalla dans das dass debe deben deixe deja del dela delas dele deles della dem den depois der des
desde dessa dessas desse desses desta destas deste destes deve devem dies diese disso disto doit
doivent donde dos durante ein eine einen einer ejecuta elle els entre então escreva escribe ese essa
esse esta estas este estes está estão evita evite execute faire fait fazer faça foi fois für garanta
gli hacer hasta hat hay immer isso ist isto jamais já kann kein keine las leia les leur lhe lhes los
lá mais mantenha mantén mas me mesmo meu minha mit mostrar mucha muchas mucho muchos muita muitas
muito muitos muss nach nas nella nenhum nenhuma nessa nesse nesta neste nicht nie ninguna ninguno
nisso nisto noch nomeie non nos nossa nossas nosso nossos nostro nous nuestra nuestro numa numas
nunca nuns nur não oder onde ont otra otras otro otros ou outra outras outro outros par para pas
pela pelas pelo pelos per pero peu plus pode podem pois pon por porque portanto porém pouco pour
prefiere prefira puede puis quais qual quando quanto que quem questa questo qui quoi rode sans
seguir según sem sempre senza ser seu seus sich sie siempre siga sigue sin sind sino sobre solamente
solo somente sont sous sua suas sul sur sólo também te tem tener ter teu toda todas todo todos
toujours tous tout toute tra trabalhe tras tua tutte tutti uma umas una unas und une uno unos usar
use utiliser va vai ver verifica verifique verwenden você von vos votre vous wenn werden wie wird ya
zum zur à às être
"""
_COMMON = frozenset(_COMMON_WORDS.split()) | frozenset(_COMMON_ABROAD.split())


def distinctive_words(text: str) -> tuple[str, ...]:
    """Return the first six words of ``text`` that few prompts contain by chance, each once.

    Words of fewer than three letters, numbers and words of no particular subject are left out.
    """
    words: dict[str, None] = {}
    for written in _WORD.findall(text):
        # Without what an apostrophe ties to it (owner's, l'index); nothing of one that is only
        # shortened (don't).
        word, *tail = _APOSTROPHE.split(written.casefold())
        if tail and tail != ["s"]:
            word = tail[-1] if len(word) < _SHORTEST else ""
        if len(word) >= _SHORTEST and not word.isdigit() and word not in _COMMON:
            words[word] = None
    return tuple(words)[:_MOST_WORDS]


# What each sign is worth: a keyword, a word of the name, the agent, a rule that is much alike.
RECALL_SCORE, NAME_SCORE, AGENT_SCORE, SIMILAR_SCORE = 3, 2, 1, 1

_LEAST_SIMILARITY = 0.6  # share of equal words in order from which two rules are about the same


@dataclass(frozen=True, slots=True)
class DomainSuggestion:
    """A domain's label with the sum of its signs, and what they are, the strongest first."""

    domain: str
    score: int
    reasons: tuple[str, ...]


def suggest_domains(tree: Tree, text: str) -> tuple[DomainSuggestion, ...]:
    """Return the domains that a rule text fits, the best first; those it does not fit are left out.

    Each sign counts once. Among equals, more matching keywords win, then the order of the tree.
    Raises UserError where the text is empty or not one line, and where there is no manifest.
    """
    edit_targets.require_manifest(tree)
    folded = fold_text(edit_targets.require_one_line(text, "rule"))
    candidates = [_judge_domain(tree, domain, folded) for domain in tree.domains]
    ranked = sorted(candidates, key=lambda candidate: (-candidate[0].score, -candidate[1]))
    return tuple(suggestion for suggestion, _ in ranked if suggestion.score)


def _judge_domain(tree: Tree, domain: Domain, folded: str) -> tuple[DomainSuggestion, int]:
    """Return a domain's suggestion for a folded text, and how many of its keywords the text has."""
    declared = domain.declaration
    keywords = declared.recall if declared else ()
    excludes = declared.exclude if declared else ()
    trigger = declared.agent_trigger if declared else ""
    hits = [word for word in keywords if contains_word(folded, fold_text(word))]
    if any(contains_word(folded, fold_text(word)) for word in excludes):
        hits = []
    named = [word for word in distinctive_words(domain.label) if contains_word(folded, word)]
    is_addressed = bool(trigger) and contains_word(folded, fold_text(trigger))
    # The domain's rule that is most like a folded text, if one is much alike.
    like, share = "", _LEAST_SIMILARITY
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(split_words(folded))
    for rule in tree.rules_of(domain):
        matcher.set_seq1(split_words(fold_text(rule.text)))
        if matcher.quick_ratio() >= share and (ratio := matcher.ratio()) >= share:
            like, share = rule.key or f"rule {rule.index}", ratio
    signs = (
        (hits, RECALL_SCORE, f"keyword {_quote_words(hits)}"),
        (named, NAME_SCORE, f"{_quote_words(named)} in its name"),
        (is_addressed, AGENT_SCORE, f"names @{trigger}"),
        (like, SIMILAR_SCORE, f"like {like}"),
    )
    score = sum(worth for sign, worth, _ in signs if sign)
    reasons = tuple(reason for sign, _, reason in signs if sign)
    return DomainSuggestion(domain.label, score, reasons), len(hits)


def _quote_words(words: list[str]) -> str:
    return ", ".join(f'"{word}"' for word in words)

"""This module picks the distinctive words of a name or sentence, the keywords that tell its subject
from others.
"""

from __future__ import annotations

import re

MOST_WORDS = 6
"""Keywords that are proposed for one domain; more would match almost every prompt."""

_SHORTEST = 3
_WORD = re.compile(r"[^\W_]+")

# Words that stand in prompts about anything, so that a domain recalled by one would always load.
_COMMON_WORDS = """
about add additional after agent agents all always and any app appendix application apply are
article articles ask avoid base based basic because been before best between both but can change
changes chapter check code coding command commands common config context convention conventions
core correct create current custom default define details develop development domain each eight
ensure every example examples except file files find first five fix follow following for four from
general get global good guide guideline guidelines guides has have help her his how important
info information instruction instructions into introduction item items its key like list make manage
misc miscellaneous mode module modules more most must need never new nine not note notes now off
one only other our out overview page part parts pattern patterns phase phases please policy
practice practices preamble principles process project projects prompt purpose read readme
reference references related relevant repo repository required requirements rule rules run scope
second section sections see self separate set setup seven should simple six some specific standard
standards step steps stuff style such summary system task tasks team ten that the their them
then there these they things third this those three tip tips too try two type types update usage
usages use used user uses using various very was way welcome well were what when where which
while who why will with work workflow working write writing you your
"""
# The same of Portuguese, Spanish, French, German and Italian.
_COMMON_ABROAD = """
aber alle alles als antes aqui assim aucun aussi avec avoir bei cada che chez com como con cuando
dal dalla dans das dass deben debe del della dem den depois der des desde deve devem dies diese doit
doivent donde dos durante ein eine einen einer elle els então entre ese essa esse esta estas este
estes está estão être faire fait für fazer foi fois gli hacer hasta hat immer isso isto ist jamais
kann kein keine las les leur los mais mas mesmo mit mostrar muss nach não nella nicht nie noch non
nos nosso nostro nous nunca nur oder onde ont ou par para pas pela pelo per pero peu plus podem pode
por porque pour puede puis quando quanto que quem questa questo qui quoi sans seguir sem sempre
senza ser seu seus sich sie siempre sin sind sobre solo sont sous sua suas sul sur também tem tener
ter toda todas todo todos toujours tous tout toute tra trabalhe tras tutte tutti uma umas una und
une uno unos usar use utiliser va vai ver verwenden você von votre vous wenn werden wie wird zum zur
"""
_COMMON = frozenset(_COMMON_WORDS.split()) | frozenset(_COMMON_ABROAD.split())


def distinctive_words(text: str, *, most: int | None = MOST_WORDS) -> tuple[str, ...]:
    """Returns the words of ``text`` that few prompts contain by chance, each once, at most
    ``most``.

    Words of fewer than three letters, numbers and words of no particular subject are left out.
    """
    words = (word.casefold() for word in _WORD.findall(text))
    kept = (
        word
        for word in words
        if len(word) >= _SHORTEST and not word.isdigit() and word not in _COMMON
    )
    return tuple(dict.fromkeys(kept))[:most]

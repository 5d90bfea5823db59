"""Distinctive words of a name or sentence: the keywords that tell its subject from others."""

from synapse_ls.text.lazy_pattern import lazy_pattern

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

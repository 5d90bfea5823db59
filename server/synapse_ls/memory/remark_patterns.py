"""Patterns of remarks that are worth keeping: corrections, decisions, open items, resolutions.

English and Portuguese, for corrections also Spanish, the languages of the framework's users. A
pattern is for one sentence, in lower case, with plain quotes and single spaces, without what was
pasted or quoted. Source: the signals that MIS names ("Actually, …", "No, that's wrong",
"Always/Never …").
"""

import re
from collections.abc import Iterator

from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.phrases import shorten_line


def _any_pattern(*shapes: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{shape})" for shape in shapes))


def _at_start(*shapes: str) -> str:
    """Return the pattern of what stands at the beginning, behind words that only lead to it."""
    return f"{_START}(?:{_any_pattern(*shapes).pattern})"


_START = (
    r"^[¡¿]?(?:(?:ok|okay|hey|please|well|hm+|sorry|por favor|bom|então|olha|opa|and|but|so|mas|e"
    r"|pero|oye|bueno|vale|y)[,.]? )*"
)

CORRECTION = _any_pattern(
    # English, at the beginning
    _at_start(
        r"(?:no|nope|nah)\b ?[,.!:;—–-]",
        r"no (?:that|this|it|you|not|don't|do not|we)\b",
        r"actually[, ]",
        r"(?:that's|that is|this is|it's|you're|you are) (?:\w+ )?(?:wrong|incorrect|"
        r"not (?:right|correct|what|how|true|it))\b",
        r"wrong\b",
        r"(?:stop|quit|avoid) \w+ing\b",
        r"(?:do not|don't|never) \w+",
        r"i (?:said|told you|asked (?:you )?(?:for|to)|meant|already (?:said|told))\b",
        r"(?:from now on|going forward|in (?:the )?future|next time)\b",
        r"not like (?:that|this)\b",
        r"always (?:add|answer|ask|check|create|keep|make|prefer|put|run|start|test|use|"
        r"validate|write)\b",
        r"(?:remember|note|keep in mind|bear in mind)(?: that| to|:|,)",
        r"you (?:(?:should|must)(?:n't| not| have)|(?:forgot|missed|misunderstood|keep|always) )",
        r"(?:undo|revert|restore|put back) (?:that|this|it|the)\b",
        r"(?:that|this|it|these|those) (?:isn't|wasn't|aren't|weren't|is not|was not) (?:how|"
        r"what|the|right|correct|where|supposed)\b",
        r"(?:here )?we (?:don't|do not|never) (?:add|call|catch|commit|do|import|keep|log|mock|"
        r"name|put|return|ship|store|test|throw|use|write)\b",
        r"(?:why (?:did|are|have) you\b|again[:,]|who told you\b|you (?:did|"
        r"have done) (?:it )?again\b)",
        r"(?:you're|you are|you were|you've|you have) \w+ (?:\w+ )?(?:the |a )?wrong\b",
        r"i (?:only |just )?wanted [^.]{1,60},? (?:and )?not\b",
        r"always (?!\w+s\b|a\b|been\b|had\b|was\b|good\b|great\b|happy\b|nice\b|the\b)\w+",
        r"no \w+:",
    ),
    # English, anywhere
    r", always[.!]*$",
    r"[,:;] (?:don't|do not|never|não|no) (?:add|call|change|commit|delete|log|mock|touch|use|"
    r"uses|write)\b",
    r"\b(?:as|at|by|in|is|are|on|to|with)\b [^.?]{1,60}, not \w+",
    r"\buse [^.]{1,60},? (?:not|instead of|rather than)\b",
    r"\binstead of \w+[^.]{0,60}\buse\b",
    r"\b(?:should|must) (?:have )?be(?:en)? [^.]{1,60},? not\b",
    r"\bas i (?:said|told you|mentioned)\b",
    # Portuguese, at the beginning
    _at_start(
        r"(?:não|nao) ?[,.!:;—–-]",
        r"(?:não|nao) (?:é|e|foi|era|está|use|usa|usar|faça|faz|fazer|quero|precisa|mexa|crie|"
        r"coloque|altere|apague)\b",
        r"na verdade\b",
        r"(?:isso|isto|está|tá|esta) (?:está |tá |é )?(?:errado|errada|incorreto|incorreta|"
        r"equivocado)\b",
        r"(?:errado|incorreto)\b",
        r"(?:pare|para) (?:de|com)\b",
        r"(?:nunca|jamais|evite) \w+",
        r"(?:eu )?(?:já )?(?:disse|falei|pedi|avisei)\b",
        r"(?:a partir de agora|(?:daqui|de agora) (?:em|pra|para) (?:diante|frente)|"
        r"da próxima vez)\b",
        r"assim não\b",
        r"sempre (?:adicione|coloque|crie|execute|faça|mantenha|pergunte|prefira|responda|rode|"
        r"teste|use|valide|verifique)\b",
        r"(?:lembre|lembra|lembre-se|lembra-se|anote|anota)(?: que| de|:|,)",
        r"(?:corrigindo|correção)\b",
        r"você (?:esqueceu|errou|não devia|não deveria|entendeu errado|não pode)\b",
        r"(?:não|nao) (?:adicione|assuma|chame|comente|commite|deixe|delete|edite|escreva|"
        r"execute|importe|inclua|instale|invente|mude|ponha|publique|remova|renomeie|repita|"
        r"rode|toque|troque)s?\b",
        r"(?:aqui )?(?:nós )?(?:não|nunca) (?:usamos|fazemos|escrevemos|tratamos|colocamos|"
        r"guardamos|registr?amos|chamamos|testamos|publicamos)\b",
        r"(?:desfaça|desfaz|reverta|reverte|volte atrás)\b",
        r"(?:você|voce|vc) (?:devia|deveria|não|nao|está \w+ (?:o|a) \w+ errad[oa])\b",
        r"já (?:te |lhe )?(?:disse|falei|pedi|avisei|expliquei)\b",
        r"por que (?:você|voce|vc) \w+",
    ),
    # Portuguese, anywhere
    r"\b(?:como|conforme) (?:eu )?(?:já )?(?:te |lhe )?(?:disse|falei|pedi|expliquei)\b",
    r"\b(?:deve|deveria|devia|tem de|tem que) ser [^.]{1,60},? (?:e )?não\b",
    r"\b(?:use|usa|utilize|usar) [^.]{1,60},? (?:e não|em vez d[eoa]|ao invés d[eoa]|"
    r"no lugar d[eoa])\b",
    r"\b(?:em vez|ao invés) d[eoa] \w+[^.]{0,60}\b(?:use|usa|utilize)\b",
    # Spanish, at the beginning
    _at_start(
        r"no (?:agregues|añadas|asumas|borres|cambies|comentes|crees|edites|ejecutes|elimines|"
        r"escribas|hagas|instales|inventes|llames|modifiques|muevas|pongas|publiques|renombres|"
        r"repitas|subas|toques|uses|utilices)\b",
        r"no (?:es|era|fue|quiero|puedes|debes|deberías|debías)\b",
        r"(?:en realidad|de hecho)\b",
        r"(?:(?:eso|esto|así|lo) )?(?:está|esta|es|estuvo|estaba)? ?(?:mal|incorrect[oa]|"
        r"equivocad[oa]|erróne[oa])\b",
        r"(?:eso|esto|así|aquí|aqui) (?:no|nunca)\b",
        r"(?:nunca|jamás|evita|evite) \w+",
        r"(?:ya )?(?:te |le |os )?(?:dije|pedí|avisé|expliqué)\b",
        r"(?:a partir de ahora|de ahora en adelante|en adelante|en el futuro|la próxima vez)\b",
        r"(?:(?:se )?te )?(?:has )?(?:olvidaste|olvidado|olvidó|equivoca(?:ste|do)|confundiste)\b",
        r"(?:me |lo |te )?(?:has )?(?:entendiste|entendido) mal\b",
        r"deber[íi]as? (?:haber|no)\b",
        r"(?:deja|deje|para) de \w+",
        r"(?:siempre )?(?:añade|comprueba|ejecuta|escribe|haz|mantén|pon|pregunta|prueba|"
        r"responde|revisa|usa|valida|verifica) siempre\b",
        r"siempre (?:añade|comprueba|ejecuta|escribe|haz|mantén|pon|pregunta|prueba|responde|"
        r"revisa|usa|valida|verifica)\b",
        r"recuerda(?: que| de|:|,)",
        r"(?:deshaz|deshazlo|revierte|reviértelo)\b",
        r"por qué has? \w+",
    ),
    # Spanish, anywhere
    r"\bcomo (?:ya )?(?:te |le |os )?(?:dije|pedí|expliqué|comenté)\b",
    r"\b(?:usa|utiliza|usar) [^.]{1,60},? (?:y no|en vez de|en lugar de)\b",
    r"\b(?:debe|debería|tiene que) ser [^.]{1,60},? (?:y )?no\b",
)

NOT_A_CORRECTION = _any_pattern(
    _at_start(
        r"no(?:,|\.|!)? (?:problem|worries|thanks|thank you|need|rush|hurry|idea|"
        r"changes? needed|more|one|further|other)\b",
        r"(?:no|nope|nah)[,.!]? (?:that's|that is|it's|looks) (?:it|all|fine|good|ok|okay|great|"
        r"right|correct|perfect)\b",
        r"(?:no|nope|não|nao)[.!,]?$",
        r"(?:não|nao)[,.!]? (?:tem problema|precisa|obrigad[oa]|é só isso|está (?:bom|ótimo|"
        r"certo)|tá (?:bom|certo))\b",
        r"(?:do not|don't) (?:worry|know|you think|forget to mention)\b",
        r"(?:actually|na verdade),? .{0,20}\b(?:looks?|is|was|works|it's|that's|está|ficou|"
        r"tá) (?:great|good|fine|perfect|nice|right|well|ótimo|ótima|bom|boa|perfeit[oa]|"
        r"cert[oa])\b",
        r"(?:never mind|nevermind|not now)\b",
        r"(?:i )?never (?:had|heard|knew|noticed|saw|seen|thought)\b",
        r"nunca (?:tinha|havia|vi|ouvi|pensei|había|he|(?:me|lo|la|nos) \w+)\b",
        r"(?:não|nao) se preocup\w+",
        r"no[,.]? (?:hay (?:problema|prisa|más)|pasa nada|gracias|hace falta|(?:te|se|"
        r"os) preocup\w+|está (?:bien|mal)|es (?:necesario|posible|urgente|grave|nada))\b",
        r"(?:en realidad|de hecho),? .{0,20}\b(?:bien|genial|perfect[oa]|buen[oa]?|excelente)\b",
    ),
    r"\?$",
)

LASTING = _any_pattern(
    r"\b(?:always|never|from now on|every time|whenever|in (?:the )?future|going forward|must|"
    r"must not|mustn't)\b",
    r"\b(?:do not|don't|avoid|stop)\b",
    r"\b(?:remember|keep in mind)\b",
    r"\b(?:sempre|nunca|jamais|a partir de agora|toda vez|todas as vezes|(?:daqui|"
    r"de agora) (?:em|pra|para) (?:diante|frente)|deve|evite|pare)\b",
    r"\b(?:não|nao) (?:use|usa|faça|crie|mexa|coloque|altere|apague)\b",
    r"\b(?:siempre|jamás|a partir de ahora|de ahora en adelante|cada vez|evita|recuerda|debe)\b",
    r"\bno (?:uses|hagas|crees|toques|pongas|cambies|borres|añadas|agregues|escribas)\b",
    r"\b(?:usa|utiliza) [^.]{1,60},? (?:y no|en vez|en lugar)\b",
    r"\b(?:use|usa|utilize) [^.]{1,60},? (?:not|instead|rather|e não|em vez|ao invés|no lugar)\b",
)

# Said of this one time, however it begins.
MOMENTARY = _any_pattern(
    r"\b(?:yet|for now|right now|just now|this time|this once|today|at the moment|"
    r"for the moment)\b",
    r"\b(?:por ahora|ahora mismo|de momento|por el momento|esta vez|hoy|todavía|aún)\b",
    r"\b(?:por enquanto|por ora|desta vez|dessa vez|(?<!de )agora|hoje|ainda|no momento)\b",
)

DECISION = _any_pattern(
    r"\b(?:we|i)(?:'ll| will|'ve| have)? (?:decided?|agreed?|chose|choose|settled|opted|"
    r"go with|going with|stick with|sticking with)\b",
    r"\b(?:let's|let us) (?:go with|use|keep|stick with|do|take|drop|skip|adopt)\b",
    r"\b(?:decision|decided|agreed)(?: is)?:",
    r"\bthe (?:decision|plan|approach) is\b",
    r"\b(?:i'll|i will|i'm going to|we'll|we will) (?:use|keep|go with|stick with|adopt|"
    r"switch to|drop)\b",
    r"\b(?:instead of|rather than)\b.{1,60}\b(?:because|since|so that)\b",
    r"\b(?:decidimos|decidi|decidiu-se|optamos|optei|escolhemos|escolhi|combinamos|"
    r"ficou decidido|fica decidido)\b",
    r"\b(?:decisão|decidido)(?: é| foi)?:?\b",
    r"\bvamos (?:usar|com|manter|seguir|adotar|fazer|trocar|remover)\b",
    r"\b(?:vou|iremos) (?:usar|manter|adotar|seguir com|trocar)\b",
)

# What decides when a person says it; from an agent it is advice.
ORDER = _any_pattern(
    r"^(?:use|keep|go with|take|adopt|switch to|drop) [^.?]{2,}",
    r"^(?:use|usa|mantenha|mantém|adote|troque) [^.?]{2,}",
)

OPEN = _any_pattern(
    r"\b(?:todo|fixme|tbd|wip)\b",
    r"\b(?:remaining|outstanding|still (?:open|missing|to do|failing|need(?:s|ed)?|has to|"
    r"have to)|left to do|not (?:yet )?(?:done|implemented|finished|tested|covered|handled))\b",
    r"\b(?:next(?: step)?s?|follow-?up|open (?:question|item|point)s?)(?: (?:is|are|"
    r"would be))?\s*:",
    r"^(?:next|then|later|afterwards),? (?:i|we|you)(?:'ll| will| should| need| have)\b",
    r"\b(?:needs? to be|has to be|have to be|should be) (?:done|added|fixed|tested|checked|"
    r"updated|removed|written|migrated|reviewed)\b",
    r"\b(?:i|we) (?:haven't|have not|didn't|did not|couldn't|could not) (?:yet )?\w+",
    r"\b(?:falta|faltam|faltou|pendente|pendentes|ainda (?:não|precisa|falta|falha)|por fazer|"
    r"a fazer)\b",
    r"\b(?:próximo|próximos) (?:passo|passos)\b",
    r"\b(?:precisa|precisam|deve|devem) ser (?:feito|feita|adicionad|corrigid|testad|"
    r"atualizad|removid|revisad|migrad)\w*\b",
    r"\bem aberto\b",
)

# Said of what is done, in the words of what is open.
NOT_OPEN = _any_pattern(
    r"\bnothing (?:\w+ ){0,2}(?:left|remaining|outstanding|open|missing|to do)\b",
    r"\bno (?:\w+ ){0,2}(?:todos?|fixmes?|open (?:question|item|point)s?)\b",
    r"\b(?:não|nao) (?:falta|faltam|há|ha|ficou|resta) (?:mais )?nada\b",
    r"\bnada (?:\w+ ){0,2}(?:falta|pendente|em aberto|por fazer|a fazer)\b",
)

# What agrees and asks for nothing new.
ASSENT = _any_pattern(
    r"^(?:(?:ok|okay|yes|yep|sure|right|thanks|thank you|thx|great|good|fine|nice|cool|"
    r"perfect|done|go on|keep going|and on|more|next|hello|hi|so (?:far|much)|very|a lot"
    r"|go ahead|continue|proceed|carry on|please|sim|certo|valeu|obrigad[oa]|ótimo|perfeito|"
    r"beleza|blz|show|olá|oi"
    r"|bom|pode ser|pode seguir|siga|segue|continua|prossiga|por favor|tá bom|isso"
    r"|sí|vale|gracias|muchas|sigue|dale|adelante|continúa|claro|perfecto|genial|hola)[\s,.!]*)+$"
)
# What asks about the conversation or the work, and for none.
NO_WORK = _any_pattern(
    ASSENT.pattern,
    r"^(?:(?:please|can you|could you|now|por favor|agora|ahora) )*(?:summari[sz]e|recap|sum up|"
    r"resuma|resumo|resumir|resumen|(?:resume|compact|/\w+|status)[.!?]*$)\b",
    r"^(?:how|what|where|when|why|which|who|is|are|do|does|did|como|o que|onde|quando|por que|qual|"
    r"quais|quem|cómo|qué|dónde|cuándo|por qué|cuál|quién)\b.*\?$",
)

# What a person says who asks for the next thing, and an agent that has one left.
ANNOUNCED = _any_pattern(
    r"^(?:next|then|later|afterwards|now|depois|agora|próximo|próxima)\b",
    r"\b(?:next(?: step)?s?|próximo passo)\s*:",
)

DONE = _any_pattern(
    r"\b(?:done|added|implemented|written|wrote|fixed|finished|completed|handled|created|"
    r"updated|removed|covered|resolved|migrated|merged)\b",
    r"\b(?:feito|feita|adicionad|adicionei|implementad|implementei|escrit|escrevi|corrigid|"
    r"corrigi|conclu[ií]d|conclu[ií]|criad|criei|atualizad|atualizei|removid|removi|resolvid|"
    r"resolvi|migrad|migrei)\w*",
)
NOT_DONE = _any_pattern(
    r"\b(?:not|n't|still|never|needs?|to be|todo|should|must|will|would|could|before|until)\b",
    r"\b(?:não|nao|ainda|falta|faltam|precisa|deve|será|antes|até)\b",
)

AXIOM = _any_pattern(
    r"^(?:always|never) \w+",
    r"\b(?:the (?:rule|convention|pattern) (?:here )?is|by convention|in this (?:project|repo|"
    r"repository|codebase))\b",
    r"^(?:sempre|nunca) \w+",
    r"\b(?:a (?:regra|convenção) (?:aqui )?é|por convenção|neste (?:projeto|repositório))\b",
)

RESOLUTION = _any_pattern(
    r"\b(?:fixed|resolved|solved|works? now|passes now|passing now|all (?:tests )?pass(?:es|"
    r"ed|ing)?|the (?:cause|problem|issue|bug|fix) (?:was|is))\b",
    r"\b(?:corrigi(?:do|da)?|resolvi(?:do|da)?|funciona agora|passou a funcionar|a (?:causa|"
    r"correção|solução) (?:era|foi|é)|o (?:problema|erro) (?:era|foi))\b",
)

QUESTION = _any_pattern(
    r"^(?:how|what|where|when|why|which|who|can|could|should|is|are|do|does)\b.*\?$",
    r"^(?:como|o que|onde|quando|por que|porque|qual|quais|quem|posso|pode|devo|é|está)\b.*\?$",
)

# The words by which somebody is contradicted, before those that say what is right.
CONTRADICTION = lazy_pattern(
    # A "no" that nothing parts from what follows belongs to it: "no uses…", "não use…".
    r"^(?:(?:(?:no|nope|nah|não|nao)(?=\s*(?:[,.:;!—–-]|$))|actually|wrong|"
    r"i (?:already )?said|as i said"
    r"|(?:that's|that is|this is|it's) (?:wrong|incorrect|not (?:right|correct|true|it|"
    r"what i (?:asked(?: for)?|meant|said)))"
    r"|na verdade|errado|(?:isso|isto|está|tá) (?:está |tá |é )?(?:errado|incorreto)|"
    r"(?:eu )?(?:já )?disse|en realidad|(?:eso|esto) (?:está|es) (?:mal|incorrecto)|"
    r"(?:ya )?(?:te )?dije)\b[\s,.:;!—–-]*)+",
    re.IGNORECASE,
)


def is_correction(sentence: str) -> bool:
    """Return whether a folded sentence corrects something."""
    return bool(CORRECTION.search(sentence)) and not NOT_A_CORRECTION.search(sentence)


def is_done(sentence: str) -> bool:
    """Return whether a folded sentence says that something is done."""
    return bool(DONE.search(sentence)) and not NOT_DONE.search(sentence)


LONGEST_SENTENCE = 300  # characters of a sentence that is kept; a longer one is cut at a word
LONGEST_MESSAGE = 20_000  # characters of one message that are looked at: its beginning and its end

_FENCE = lazy_pattern(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_TAGGED = lazy_pattern(r"<([a-zA-Z][\w-]{0,40})(?:\s[^<>]{0,200})?>(?:.*</\1>|.*)", re.DOTALL)
_TAG = lazy_pattern(r"</?[a-zA-Z][\w-]{0,40}(?:\s[^<>]{0,200})?/?>")
_LIST_MARK = lazy_pattern(r"^[ \t]*(?:(?:[-*+•]|\d{1,3}[.)]|#{1,6}|\[ \])[ \t]+)+")
# An agent or a command that is called first.
_ADDRESSEE = lazy_pattern(r"^(?:[@*/][\w:-]+[,:]?[ \t]+)+")
_TICKED = lazy_pattern(r"^[ \t]*(?:[-*+][ \t]+)?\[[xX]\]")
_QUOTE = lazy_pattern(r"^[ \t]*(?:>|\|)")
_LOG = lazy_pattern(
    r"^[ \t]*(?:\d{4}-\d\d-\d\d[T ]\d\d:|\[\d|at \S+ ?\(|File \"|\$ |[{}<]|\S+:\d+:\d+)"
)
# A full stop ends a sentence where a space and no lower-case letter follow.
_END = lazy_pattern(r"(?<=[.!?…])[\"')\]]?\s+(?=[^\sa-z])")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})


def split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of somebody's own words, on one line each, in their order."""
    # Without fenced blocks, tagged parts, quotations and what looks like a log.
    if len(text) > LONGEST_MESSAGE:
        half = LONGEST_MESSAGE // 2
        # What begins in the part that is left out may end in the last one, and nobody sees where.
        has_marks = any(mark in text[half:-half] for mark in ("```", "~~~", "<"))
        end = "" if has_marks else text[-half:].partition("\n")[2]
        text = f"{text[:half]}\n\n{end}"
    text = _TAG.sub(" ", _TAGGED.sub("\n", _FENCE.sub("\n", text)))
    lines = (line for line in text.splitlines() if not _QUOTE.match(line) and not _LOG.match(line))
    for paragraph in _split_paragraphs(_ADDRESSEE.sub("", "\n".join(lines).lstrip())):
        for sentence in _END.split(paragraph):
            if line := shorten_line(" ".join(sentence.split()), LONGEST_SENTENCE):
                yield line


def fold_sentence(sentence: str) -> str:
    """Return a sentence as the patterns of `remark_patterns` expect it."""
    return " ".join(sentence.translate(_QUOTES).lower().replace("*", "").replace("`", "").split())


def _split_paragraphs(text: str) -> Iterator[str]:
    """Yield items of lists one by one, other lines joined where the sentence goes on."""
    parts: list[str] = []
    for line in text.splitlines():
        content = "" if _TICKED.match(line) else line  # what is done is no news
        lead = _LIST_MARK.match(content)
        if (lead or not content.strip()) and parts:
            yield " ".join(parts)
            parts = []
        if content.strip():
            parts.append(content[lead.end() :] if lead else content.strip())
    if parts:
        yield " ".join(parts)

"""Words that tell little about a prompt, in English and Portuguese; folded, as the matcher has them.

A word that also names something a tree may wait for (`os`, `dos`, `go`) is on neither list.
"""

from __future__ import annotations

_STOP_ENGLISH = """
a about after all also am an and any are as at be because been before being both but by can could
did do does doing each few for from had has have having he her here him his how i if in into is it
its just me more most my no nor not now of off on once only or other our out over own same she
should so some such than that the their them then there these they this those through to too under
until up very was we were what when where which while who whom why will with would you your
hi hello ok okay please thanks thank yes
"""

_STOP_PORTUGUESE = """
a ao aos aquela aquele aquilo as ate com como da das de dela dele depois do e ela elas ele eles
em entre era essa esse esta estao estar estas este estes eu foi foram ha isso isto ja la lhe mais mas
me mesmo meu meus minha muito na nao nas nem no nos nossa nosso num numa o onde ou para pela pelas
pelo pelos por porque pra quais qual quando que quem se sem ser seu seus sim so sua suas tambem te tem
ter toda todas todo todos tua tu um uma voce voces
oi ola obrigada obrigado
"""

_COMMON_ENGLISH = """
add another app apply ask bug build call change changes check class clean code command config
context copy correct create data delete different directory document edit error errors example
explain feature file files find first fix fixed folder function get give good help implement import
improve input install issue issues keep last let line lines list look make method missing model move
name need new next object open option order output page parameter path plan possible problem project
prompt question read refactor remove rename repo repository request result return review rule rules
run save script search see set setup show simple something start state step steps stop string support
system task tasks tell test tests text thing things time tool tools try type update use used user
users using value variable version want way work working works write wrong
"""

_COMMON_PORTUGUESE = """
abrir adicionar agora ajuda ajudar alterar aplicacao apagar arquivo arquivos atualizar bem buscar
caminho chamar classe codigo coisa comando configuracao consertar contexto copiar corrigir criar
dados deletar deve diretorio documento editar entrada erro erros escrever exemplo explicar explique
faca falta fazer favor funcao funcionalidade funciona gerar implementar instalar lista linha linhas
melhorar metodo modelo mostrar mudar nome novo nova objeto ordem pagina passo pasta pergunta plano
pode precisa preciso primeiro problema processo projeto proximo quero refatorar regra regras remover
renomear repositorio resultado retornar revisar rodar saida salvar sistema tarefa tarefas teste testes
testar texto tipo usar usuario valor variavel veja ver verificar versao
"""

STOP_WORDS = frozenset(_STOP_ENGLISH.split()) | frozenset(_STOP_PORTUGUESE.split())
"""Words that hold a sentence together and are in nearly every one."""

COMMON_WORDS = frozenset(_COMMON_ENGLISH.split()) | frozenset(_COMMON_PORTUGUESE.split())
"""Words that are in very many of the prompts that programmers write, whatever they are about."""

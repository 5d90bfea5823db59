/** `@synapse` in the chat view, where the editor has one. */

import * as vscode from "vscode";
import { assistant, converse, type Turn, user } from "./conversation";
import type { Facts, Place } from "./facts";
import { EditorModel, modelOf } from "./model";
import { markdownOf, type Piece } from "./pieces";
import { type Asked, briefing, REQUESTS } from "./requests";
import type { Tool } from "./tools";

export function participant(
  facts: Facts,
  tools: readonly Tool[],
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  if (typeof vscode.chat?.createChatParticipant !== "function") {
    return new vscode.Disposable(() => {});
  }
  const chat = vscode.chat.createChatParticipant("synapse.chat", async (...request) => {
    try {
      await answer(facts, tools, log, ...request);
    } catch (error) {
      // The server says why it cannot tell, and what to do; so does the chat.
      const message = error instanceof Error ? error.message : String(error);
      return { errorDetails: { message } };
    }
    return {};
  });
  chat.iconPath = new vscode.ThemeIcon("layers");
  return chat;
}

async function answer(
  facts: Facts,
  tools: readonly Tool[],
  log: vscode.LogOutputChannel,
  request: vscode.ChatRequest,
  { history }: vscode.ChatContext,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<void> {
  const asked: Asked = { prompt: request.prompt.trim(), place: placeOf(request) };
  const gather = REQUESTS[request.command ?? ""] ?? REQUESTS[""];
  if (gather === undefined) {
    return;
  }
  const gathered = await gather(asked, facts);
  const { pieces, shown, task } = gathered;
  const model = task === undefined ? undefined : await modelOf(request);
  if (shown || model === undefined) {
    show(pieces, stream);
  }
  if (model === undefined) {
    return;
  }
  if (shown) {
    stream.markdown("\n\n---\n\n");
  }
  try {
    const turns = [...history.flatMap(turnOf), user(briefing(gathered, asked))];
    await converse(new EditorModel(model, token), turns, tools, (text) => stream.markdown(text));
  } catch (error) {
    if (!(error instanceof vscode.LanguageModelError)) {
      throw error;
    }
    log.warn(String(error));
    if (!shown) {
      show(pieces, stream);
    }
    stream.markdown(
      `\n\n${vscode.l10n.t("The language model did not answer: {0}", error.message)}`,
    );
  }
}

function show(pieces: readonly Piece[], stream: vscode.ChatResponseStream): void {
  for (const piece of pieces) {
    if (typeof piece === "string" || "words" in piece) {
      stream.markdown(markdownOf(piece));
    } else {
      const place = new vscode.Position(piece.line, 0);
      stream.anchor(new vscode.Location(vscode.Uri.parse(piece.uri), place), piece.title);
    }
  }
}

/** What was attached to the request, else where the cursor is. */
function placeOf({ references }: vscode.ChatRequest): Place | undefined {
  const attached = references
    .map(({ value }) => value)
    .find((one) => one instanceof vscode.Location);
  if (attached !== undefined) {
    return at(attached.uri, attached.range.start);
  }
  const editor = vscode.window.activeTextEditor;
  return editor?.document.uri.scheme === "file"
    ? at(editor.document.uri, editor.selection.active)
    : undefined;
}

function at(uri: vscode.Uri, { line, character }: vscode.Position): Place {
  return { uri: uri.toString(), position: { line, character } };
}

/** What has been said before, without the facts of that time. */
function turnOf(turn: vscode.ChatRequestTurn | vscode.ChatResponseTurn): Turn[] {
  if (turn instanceof vscode.ChatRequestTurn) {
    return turn.prompt.trim() === "" ? [] : [user(turn.prompt)];
  }
  const text = turn.response
    .map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ""))
    .join("");
  return text.trim() === "" ? [] : [assistant(text)];
}

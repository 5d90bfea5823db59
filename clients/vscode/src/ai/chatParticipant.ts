/** This module registers the chat participant `@synapse`, where the editor has a chat view. */

import * as vscode from "vscode";
import { escapeMarkdown } from "../text/markdown";
import { type AnswerPart, partMarkdown } from "./answerParts";
import { type ChatQuestion, modelPrompt, REQUEST_HANDLERS } from "./chatRequests";
import { EditorModel, selectModel } from "./editorModel";
import { assistantTurn, type ChatTurn, runConversation, userTurn } from "./modelConversation";
import type { ModelTool } from "./modelTools";
import type { EditorPosition, TreeQueries } from "./treeQueries";

export function registerParticipant(
  facts: TreeQueries,
  tools: readonly ModelTool[],
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  if (typeof vscode.chat?.createChatParticipant !== "function") {
    return new vscode.Disposable(() => {});
  }
  const chat = vscode.chat.createChatParticipant("synapse.chat", async (...request) => {
    try {
      await answerRequest(facts, tools, log, ...request);
    } catch (error) {
      // The server says why it cannot tell, and what to do; so does the chat.
      const message = error instanceof Error ? error.message : String(error);
      return { errorDetails: { message: escapeMarkdown(message) } };
    }
    return {};
  });
  chat.iconPath = new vscode.ThemeIcon("layers");
  return chat;
}

async function answerRequest(
  facts: TreeQueries,
  tools: readonly ModelTool[],
  log: vscode.LogOutputChannel,
  request: vscode.ChatRequest,
  { history }: vscode.ChatContext,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<void> {
  const question: ChatQuestion = { prompt: request.prompt.trim(), place: requestPosition(request) };
  const answerQuestion = REQUEST_HANDLERS[request.command ?? ""] ?? REQUEST_HANDLERS[""];
  if (answerQuestion === undefined) {
    return;
  }
  const answer = await answerQuestion(question, facts);
  const { parts, isShown, task } = answer;
  const model = task === undefined ? undefined : await selectModel(request);
  if (isShown || model === undefined) {
    streamAnswer(parts, stream);
  }
  if (model === undefined) {
    return;
  }
  if (isShown) {
    stream.markdown("\n\n---\n\n");
  }
  try {
    const turns = [...history.flatMap(previousTurns), userTurn(modelPrompt(answer, question))];
    await runConversation(new EditorModel(model, token), turns, tools, (text) =>
      stream.markdown(text),
    );
  } catch (error) {
    if (!(error instanceof vscode.LanguageModelError)) {
      throw error;
    }
    log.warn(String(error));
    if (!isShown) {
      streamAnswer(parts, stream);
    }
    stream.markdown(
      `\n\n${vscode.l10n.t("The language model did not answer: {0}", escapeMarkdown(error.message))}`,
    );
  }
}

function streamAnswer(parts: readonly AnswerPart[], stream: vscode.ChatResponseStream): void {
  for (const piece of parts) {
    if (typeof piece === "string" || "words" in piece) {
      stream.markdown(partMarkdown(piece));
    } else {
      const place = new vscode.Position(piece.line, 0);
      stream.anchor(new vscode.Location(vscode.Uri.parse(piece.uri), place), piece.title);
    }
  }
}

/** Returns the position that was attached to the request, else that of the cursor. */
function requestPosition({ references }: vscode.ChatRequest): EditorPosition | undefined {
  const attachment = references
    .map(({ value }) => value)
    .find((value) => value instanceof vscode.Location);
  if (attachment !== undefined) {
    return editorPosition(attachment.uri, attachment.range.start);
  }
  const editor = vscode.window.activeTextEditor;
  return editor?.document.uri.scheme === "file"
    ? editorPosition(editor.document.uri, editor.selection.active)
    : undefined;
}

function editorPosition(uri: vscode.Uri, { line, character }: vscode.Position): EditorPosition {
  return { uri: uri.toString(), position: { line, character } };
}

/** Returns the earlier turns of the chat, without the facts of that time. */
function previousTurns(turn: vscode.ChatRequestTurn | vscode.ChatResponseTurn): ChatTurn[] {
  if (turn instanceof vscode.ChatRequestTurn) {
    return turn.prompt.trim() === "" ? [] : [userTurn(turn.prompt)];
  }
  const text = turn.response
    .map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ""))
    .join("");
  return text.trim() === "" ? [] : [assistantTurn(text)];
}

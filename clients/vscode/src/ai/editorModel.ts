/**
 * This module calls a language model of the editor; an editor without tool support gets no tools.
 */

import * as vscode from "vscode";
import type { ChatModel, ChatTurn, TextPart, ToolCall } from "./modelConversation";
import type { ModelTool } from "./modelTools";
import { optionalApi } from "./optionalApi";

/** The model that the chat has chosen (VS Code 1.95), or any. */
export async function selectModel(
  request: vscode.ChatRequest,
): Promise<vscode.LanguageModelChat | undefined> {
  const requestModel = (request as { readonly model?: vscode.LanguageModelChat }).model;
  if (requestModel !== undefined || typeof vscode.lm?.selectChatModels !== "function") {
    return requestModel;
  }
  return (await vscode.lm.selectChatModels())[0];
}

export class EditorModel implements ChatModel {
  constructor(
    private readonly model: vscode.LanguageModelChat,
    private readonly token: vscode.CancellationToken,
  ) {}

  async *answer(
    turns: readonly ChatTurn[],
    tools: readonly ModelTool[],
  ): AsyncIterable<TextPart | ToolCall> {
    const offeredTools = optionalApi.LanguageModelToolResultPart === undefined ? [] : tools;
    const options = {
      justification: vscode.l10n.t("To answer your question about Synapse."),
      tools: offeredTools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema,
      })),
    };
    const response = await this.model.sendRequest(turns.map(chatMessage), options, this.token);
    const { stream } = response as { readonly stream?: AsyncIterable<unknown> };
    for await (const part of stream ?? response.text) {
      const read = parseResponsePart(part);
      if (read !== undefined) {
        yield read;
      }
    }
  }
}

/** Parts of other kinds, as the thoughts of a model, say nothing to a person. */
function parseResponsePart(part: unknown): TextPart | ToolCall | undefined {
  if (typeof part === "string") {
    return { kind: "text", text: part };
  }
  const { value, callId, name, input } = part as {
    readonly value?: unknown;
    readonly callId?: unknown;
    readonly name?: unknown;
    readonly input?: unknown;
  };
  const { LanguageModelToolCallPart: ToolCall, LanguageModelTextPart: Text } = optionalApi;
  if (ToolCall && part instanceof ToolCall) {
    return { kind: "call", id: String(callId), name: String(name), input };
  }
  return Text && part instanceof Text ? { kind: "text", text: String(value) } : undefined;
}

function chatMessage({ role, parts }: ChatTurn): vscode.LanguageModelChatMessage {
  const { User, Assistant } = vscode.LanguageModelChatMessage;
  const createMessage = (role === "user" ? User : Assistant) as (
    content: unknown,
  ) => vscode.LanguageModelChatMessage;
  const [first] = parts;
  return parts.length === 1 && first?.kind === "text"
    ? createMessage(first.text)
    : createMessage(parts.map(editorPart));
}

function editorPart(part: ChatTurn["parts"][number]): object {
  const {
    LanguageModelTextPart: Text,
    LanguageModelToolCallPart: ToolCall,
    LanguageModelToolResultPart: ToolResult,
  } = optionalApi;
  if (Text === undefined || ToolCall === undefined || ToolResult === undefined) {
    throw new Error("an editor without tools has called one");
  }
  switch (part.kind) {
    case "text":
      return new Text(part.text);
    case "call":
      return new ToolCall(part.id, part.name, (part.input ?? {}) as object);
    case "result":
      return new ToolResult(part.id, [new Text(part.text)]);
  }
}

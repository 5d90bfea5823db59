/** A language model of the editor. One that is too old for tools is asked without them. */

import * as vscode from "vscode";
import type { Call, Model, Said, Turn } from "./conversation";
import { newer } from "./newer";
import type { Tool } from "./tools";

/** The model that the chat has chosen (VS Code 1.95), or any. */
export async function modelOf(
  request: vscode.ChatRequest,
): Promise<vscode.LanguageModelChat | undefined> {
  const chosen = (request as { readonly model?: vscode.LanguageModelChat }).model;
  if (chosen !== undefined || typeof vscode.lm?.selectChatModels !== "function") {
    return chosen;
  }
  return (await vscode.lm.selectChatModels())[0];
}

export class EditorModel implements Model {
  constructor(
    private readonly model: vscode.LanguageModelChat,
    private readonly token: vscode.CancellationToken,
  ) {}

  async *answer(turns: readonly Turn[], tools: readonly Tool[]): AsyncIterable<Said | Call> {
    const offered = newer.LanguageModelToolResultPart === undefined ? [] : tools;
    const options = {
      justification: vscode.l10n.t("To answer your question about Synapse."),
      tools: offered.map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema,
      })),
    };
    const response = await this.model.sendRequest(turns.map(messageOf), options, this.token);
    const { stream } = response as { readonly stream?: AsyncIterable<unknown> };
    for await (const part of stream ?? response.text) {
      const read = partOf(part);
      if (read !== undefined) {
        yield read;
      }
    }
  }
}

/** Parts of other kinds, as the thoughts of a model, say nothing to a person. */
function partOf(part: unknown): Said | Call | undefined {
  if (typeof part === "string") {
    return { kind: "text", text: part };
  }
  const { value, callId, name, input } = part as {
    readonly value?: unknown;
    readonly callId?: unknown;
    readonly name?: unknown;
    readonly input?: unknown;
  };
  const { LanguageModelToolCallPart: ToolCall, LanguageModelTextPart: Text } = newer;
  if (ToolCall && part instanceof ToolCall) {
    return { kind: "call", id: String(callId), name: String(name), input };
  }
  return Text && part instanceof Text ? { kind: "text", text: String(value) } : undefined;
}

function messageOf({ role, parts }: Turn): vscode.LanguageModelChatMessage {
  const { User, Assistant } = vscode.LanguageModelChatMessage;
  const make = (role === "user" ? User : Assistant) as (
    content: unknown,
  ) => vscode.LanguageModelChatMessage;
  const [first] = parts;
  return parts.length === 1 && first?.kind === "text"
    ? make(first.text)
    : make(parts.map(toEditor));
}

function toEditor(part: Turn["parts"][number]): object {
  const {
    LanguageModelTextPart: Text,
    LanguageModelToolCallPart: ToolCall,
    LanguageModelToolResultPart: ToolResult,
  } = newer;
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

/**
 * This module runs a conversation with a model that calls tools, until the model has answered.
 * Pure.
 */

import { callModelTool, type ModelTool } from "./modelTools";

/** The number of rounds in which a model may call tools; then it has to answer. */
const MAX_TOOL_ROUNDS = 6;

export interface TextPart {
  readonly kind: "text";
  readonly text: string;
}

export interface ToolCall {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResult {
  readonly kind: "result";
  readonly id: string;
  readonly text: string;
}

export type ChatTurn =
  | { readonly role: "user"; readonly parts: readonly (TextPart | ToolResult)[] }
  | { readonly role: "assistant"; readonly parts: readonly (TextPart | ToolCall)[] };

export interface ChatModel {
  answer(
    turns: readonly ChatTurn[],
    tools: readonly ModelTool[],
  ): AsyncIterable<TextPart | ToolCall>;
}

/** Runs the conversation; `write` gets the text as it comes. */
export async function runConversation(
  model: ChatModel,
  firstTurns: readonly ChatTurn[],
  tools: readonly ModelTool[],
  write: (text: string) => void,
): Promise<void> {
  let turns = firstTurns;
  for (let round = 0; round <= MAX_TOOL_ROUNDS; round += 1) {
    const offeredTools = round < MAX_TOOL_ROUNDS ? tools : [];
    const parts: (TextPart | ToolCall)[] = [];
    for await (const part of model.answer(turns, offeredTools)) {
      parts.push(part);
      if (part.kind === "text") {
        write(part.text);
      }
    }
    const calls = parts.filter((part) => part.kind === "call");
    if (calls.length === 0) {
      return;
    }
    const results = await Promise.all(calls.map((call) => callTool(call, tools)));
    turns = [...turns, { role: "assistant", parts }, { role: "user", parts: results }];
  }
}

export function userTurn(text: string): ChatTurn {
  return { role: "user", parts: [{ kind: "text", text }] };
}

export function assistantTurn(text: string): ChatTurn {
  return { role: "assistant", parts: [{ kind: "text", text }] };
}

/** Runs a tool and returns its text; a failure is returned to the model as text too. */
async function callTool(
  { id, name, input }: ToolCall,
  tools: readonly ModelTool[],
): Promise<ToolResult> {
  const tool = tools.find((candidate) => candidate.name === name);
  try {
    const text = tool ? await callModelTool(tool, input) : `There is no tool ${name}.`;
    return { kind: "result", id, text };
  } catch (error) {
    return { kind: "result", id, text: error instanceof Error ? error.message : String(error) };
  }
}

/** A conversation with a model that may call tools, until it has said what it has to say. Pure. */

import { textOf } from "./pieces";
import type { Tool } from "./tools";

/** How often a model may call tools; then it has to answer. */
const ROUNDS = 6;

export interface Said {
  readonly kind: "text";
  readonly text: string;
}

export interface Call {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface Result {
  readonly kind: "result";
  readonly id: string;
  readonly text: string;
}

export type Turn =
  | { readonly role: "user"; readonly parts: readonly (Said | Result)[] }
  | { readonly role: "assistant"; readonly parts: readonly (Said | Call)[] };

export interface Model {
  answer(turns: readonly Turn[], tools: readonly Tool[]): AsyncIterable<Said | Call>;
}

/** `write` gets the words as they come. */
export async function converse(
  model: Model,
  beginning: readonly Turn[],
  tools: readonly Tool[],
  write: (text: string) => void,
): Promise<void> {
  let turns = beginning;
  for (let round = 0; round <= ROUNDS; round += 1) {
    const offered = round < ROUNDS ? tools : [];
    const parts: (Said | Call)[] = [];
    for await (const part of model.answer(turns, offered)) {
      parts.push(part);
      if (part.kind === "text") {
        write(part.text);
      }
    }
    const calls = parts.filter((part) => part.kind === "call");
    if (calls.length === 0) {
      return;
    }
    const results = await Promise.all(calls.map((call) => resultOf(call, tools)));
    turns = [...turns, { role: "assistant", parts }, { role: "user", parts: results }];
  }
}

export function user(text: string): Turn {
  return { role: "user", parts: [{ kind: "text", text }] };
}

export function assistant(text: string): Turn {
  return { role: "assistant", parts: [{ kind: "text", text }] };
}

/** A call that fails is told to the model, which may do better. */
async function resultOf({ id, name, input }: Call, tools: readonly Tool[]): Promise<Result> {
  const tool = tools.find((one) => one.name === name);
  try {
    const text = tool ? textOf(await tool.run(input)) : `There is no tool ${name}.`;
    return { kind: "result", id, text };
  } catch (error) {
    return { kind: "result", id, text: error instanceof Error ? error.message : String(error) };
  }
}

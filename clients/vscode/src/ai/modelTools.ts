/** This module implements the tools that a language model can call, and reads their input. Pure. */

import type { QuestionParams } from "../protocol";
import { inertText } from "../text/markdown";
import { type AnswerPart, plainAnswer } from "./answerParts";
import { blockAnswer, findingsAnswer } from "./chatAnswers";
import type { TreeQueries } from "./treeQueries";

/** The parameters of a question that are text. */
const TEXT_PARAMETERS = [
  "prompt",
  "agent",
  "workflow",
  "phase",
  "task",
  "story",
  "squad",
  "bracket",
] as const satisfies readonly (keyof QuestionParams)[];

type Input = Readonly<Record<string, unknown>>;

/** By their names in `contributes.languageModelTools`, which describe them to the model. */
const TOOL_HANDLERS: {
  readonly [name: string]: (facts: TreeQueries, input: Input) => Promise<readonly AnswerPart[]>;
} = {
  synapse_context: async (facts, input) => {
    const uri = fileParameter(facts, input);
    const words = TEXT_PARAMETERS.flatMap((name) =>
      textParameter(input, name) ? [[name, textParameter(input, name)]] : [],
    );
    return blockAnswer(await facts.context({ ...Object.fromEntries(words), ...(uri && { uri }) }));
  },
  synapse_check: async (facts, input) =>
    findingsAnswer(await facts.findings(fileParameter(facts, input))),
};

/** A tool as a model gets to know it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  run(input: unknown): Promise<readonly AnswerPart[]>;
}

/** Returns what a model is told by a tool; throws an error of which it may be told, too. */
export async function callModelTool(tool: ModelTool, input: unknown): Promise<string> {
  try {
    return plainAnswer(await tool.run(input));
  } catch (error) {
    throw new Error(inertText(error instanceof Error ? error.message : String(error)));
  }
}

/** The fields of `contributes.languageModelTools` that are used. */
interface ToolContribution {
  readonly name: string;
  readonly modelDescription: string;
  readonly inputSchema: object;
}

/** Returns the tools that the manifest of the extension describes. */
export function modelTools(
  contributions: readonly ToolContribution[],
  facts: TreeQueries,
): readonly ModelTool[] {
  return contributions.flatMap(({ name, modelDescription: description, inputSchema }) => {
    const run = TOOL_HANDLERS[name];
    return run === undefined
      ? []
      : [{ name, description, inputSchema, run: (input) => run(facts, parseInput(input)) }];
  });
}

/** Returns the input as an object, since a model may send anything. */
function parseInput(input: unknown): Input {
  return typeof input === "object" && input !== null ? (input as Input) : {};
}

function textParameter(input: Input, name: string): string | undefined {
  const value = input[name];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function fileParameter(facts: TreeQueries, input: Input): string | undefined {
  const file = textParameter(input, "file");
  return file === undefined ? undefined : facts.fileUri(file);
}

/** The tools that a model can call: what each does with its input. Pure. */

import type { QuestionParams } from "../protocol";
import { blockAnswer, findingsAnswer } from "./answers";
import type { Facts } from "./facts";
import type { Piece } from "./pieces";

/** Those of a question that are text. */
const WORDS = [
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
const RUNS: { readonly [name: string]: (facts: Facts, input: Input) => Promise<readonly Piece[]> } =
  {
    synapse_context: async (facts, input) => {
      const uri = fileOf(facts, input);
      const words = WORDS.flatMap((name) => (word(input, name) ? [[name, word(input, name)]] : []));
      return blockAnswer(
        await facts.context({ ...Object.fromEntries(words), ...(uri && { uri }) }),
      );
    },
    synapse_check: async (facts, input) =>
      findingsAnswer(await facts.findings(fileOf(facts, input))),
  };

/** A tool as a model gets to know it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  run(input: unknown): Promise<readonly Piece[]>;
}

/** What of `contributes.languageModelTools` is used. */
interface Contribution {
  readonly name: string;
  readonly modelDescription: string;
  readonly inputSchema: object;
}

/** The tools that the manifest of the extension describes. */
export function toolsOf(contributions: readonly Contribution[], facts: Facts): readonly Tool[] {
  return contributions.flatMap(({ name, modelDescription: description, inputSchema }) => {
    const run = RUNS[name];
    return run === undefined
      ? []
      : [{ name, description, inputSchema, run: (input) => run(facts, objectOf(input)) }];
  });
}

/** A model may send anything, whatever the schema says. */
function objectOf(input: unknown): Input {
  return typeof input === "object" && input !== null ? (input as Input) : {};
}

function word(input: Input, name: string): string | undefined {
  const value = input[name];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function fileOf(facts: Facts, input: Input): string | undefined {
  const file = word(input, "file");
  return file === undefined ? undefined : facts.uriOf(file);
}

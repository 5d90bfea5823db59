/** What the Context panel asks the server, and the view that comes of it. */

import * as vscode from "vscode";
import { type Connection, isRefusal } from "../connection";
import { type Choices, compare, context, explain } from "../protocol";
import { blockView } from "./block";
import { comparisonView, labelOf } from "./comparison";
import type { Kept, Saved, View } from "./messages";
import { questionOf } from "./simulation";

/** The view, and how its state would be called if it were kept. */
export interface Asked {
  readonly view: View;
  readonly label: string;
  /** What a person copies: the text that is shown, or the block. */
  readonly text: string;
}

export async function ask(
  client: Connection,
  root: string,
  { simulation, tab, kept }: Saved,
  { unsaved, choices }: { readonly unsaved: readonly string[]; readonly choices: Promise<Choices> },
  token: vscode.CancellationToken,
): Promise<Asked> {
  const question = questionOf(simulation, root);
  const [block, explanation, delivery, comparison, known] = await Promise.all([
    client.ask(context, question, token),
    client.ask(explain, question, token),
    tab === "delivery" ? client.ask(context, { ...question, delivery: true }, token) : undefined,
    kept && compared(client, root, kept, question, token),
    choices,
  ]);
  const commands = known.commands.map(({ id }) => id);
  const answers = { context: block, explanation, delivery, comparison, unsaved, commands };
  return {
    view: blockView(answers, simulation.prompt ?? "", tab),
    label: labelOf(simulation, block.bracket),
    text: delivery?.block ?? block.block,
  };
}

/** Why a question has no answer, in a sentence of the server; undefined where nobody waits for it. */
export function refusal(error: unknown, signal: AbortSignal): string | undefined {
  if (signal.aborted) {
    return undefined;
  }
  return isRefusal(error) ? error.message : String(error);
}

async function compared(
  client: Connection,
  root: string,
  { simulation, label }: Kept,
  after: ReturnType<typeof questionOf>,
  token: vscode.CancellationToken,
): Promise<ReturnType<typeof comparisonView>> {
  const before = questionOf(simulation, root);
  return comparisonView(label, await client.ask(compare, { uri: root, before, after }, token));
}

/** Ends with the signal. */
export function tokenOf(signal: AbortSignal): vscode.CancellationToken {
  const source = new vscode.CancellationTokenSource();
  signal.addEventListener("abort", () => source.cancel(), { once: true });
  return source.token;
}

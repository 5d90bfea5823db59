/** This module requests everything the Context panel shows from the server, and builds the view. */

import * as vscode from "vscode";
import { type Connection, isRefusal } from "../connection";
import { type Choices, compare, context, explain } from "../protocol";
import { blockView, type DeliveryTexts } from "./blockView";
import { comparisonView, stateLabel } from "./comparisonView";
import type { ComparisonBase, PanelState, PanelView } from "./panelMessages";
import { simulationParams } from "./panelState";

/** The view of the panel, and the label of its state. */
export interface PanelAnswer {
  readonly view: PanelView;
  readonly label: string;
  /** The text to copy: the shown text, or the block. */
  readonly text: string;
}

/** What the panel knows of the tree already. */
export interface TreeFacts {
  readonly unsaved: readonly string[];
  readonly choices: Promise<Choices>;
  readonly delivered: DeliveryTexts;
}

export async function requestPanelAnswer(
  client: Connection,
  root: string,
  { simulation, tab, kept }: PanelState,
  { unsaved, choices, delivered }: TreeFacts,
  token: vscode.CancellationToken,
): Promise<PanelAnswer> {
  const question = simulationParams(simulation, root);
  const [block, explanation, delivery, comparison, treeChoices] = await Promise.all([
    client.request(context, question, token),
    client.request(explain, question, token),
    tab === "delivery"
      ? client.request(context, { ...question, delivery: true }, token)
      : undefined,
    kept && requestComparison(client, root, kept, question, token),
    choices,
  ]);
  const commands = treeChoices.commands.map(({ id }) => id);
  const answers = {
    context: block,
    explanation,
    delivery,
    comparison,
    unsavedFiles: unsaved,
    commands,
    delivered,
  };
  return {
    view: blockView(answers, simulation, tab),
    label: stateLabel(simulation, block.bracket),
    text: delivery?.block ?? block.block,
  };
}

/** Returns why a request failed; undefined where it was aborted. */
export function refusalReason(error: unknown, signal: AbortSignal): string | undefined {
  if (signal.aborted) {
    return undefined;
  }
  return isRefusal(error) ? error.message : String(error);
}

async function requestComparison(
  client: Connection,
  root: string,
  { simulation, label }: ComparisonBase,
  after: ReturnType<typeof simulationParams>,
  token: vscode.CancellationToken,
): Promise<ReturnType<typeof comparisonView>> {
  const before = simulationParams(simulation, root);
  return comparisonView(label, await client.request(compare, { uri: root, before, after }, token));
}

/** Returns a cancellation token that is cancelled with the signal. */
export function cancellationToken(signal: AbortSignal): vscode.CancellationToken {
  const source = new vscode.CancellationTokenSource();
  signal.addEventListener("abort", () => source.cancel(), { once: true });
  return source.token;
}

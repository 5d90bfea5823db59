/**
 * This module shows a proposed change as a diff and waits for the decision. The question stands in
 * a notification and, as long as the page is open, in its title; closing the page means no.
 */

import * as vscode from "vscode";
import { showInformation } from "../text/messages";

const SCHEME = "synapse-proposal";
/** Whether a page waits for a decision; menus ask it. */
const CONTEXT_KEY = "synapse.isProposing";

export interface Proposal {
  readonly title: string;
  /** The text before the change; undefined where there is none, then only `after` is shown. */
  readonly before?: string;
  readonly after: string;
  readonly question: string;
  /** The label of the button that accepts. */
  readonly acceptLabel: string;
}

export class Proposals implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly subscription: vscode.Disposable;
  private decide: ((isWanted: boolean) => void) | undefined;
  private currentNumber = 0;

  constructor() {
    const register = vscode.commands.registerCommand;
    this.subscription = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
        provideTextDocumentContent: ({ query }) => this.texts.get(query) ?? "",
      }),
      register("synapse.acceptProposal", () => this.decide?.(true)),
      register("synapse.rejectProposal", () => this.decide?.(false)),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        if (closed.some((tab) => isProposalTab(tab, this.currentNumber))) {
          this.decide?.(false);
        }
      }),
    );
  }

  /**
   * Shows a proposal and returns whether it was accepted. A later proposal replaces a waiting one.
   */
  async confirm({ title, before, after, question, acceptLabel }: Proposal): Promise<boolean> {
    this.decide?.(false);
    this.currentNumber += 1;
    const number = this.currentNumber;
    this.texts.clear();
    // Before the page is there: it may be closed as soon as it is.
    const decision = new Promise<boolean>((resolve) => {
      this.decide = resolve;
    });
    const { decide } = this;
    const right = this.setPageText(title, `${number}`, after);
    if (before === undefined) {
      await vscode.window.showTextDocument(right, { preview: true });
    } else {
      const left = this.setPageText(title, `${number}-`, before);
      await vscode.commands.executeCommand("vscode.diff", left, right, title, { preview: true });
    }
    void vscode.commands.executeCommand("setContext", CONTEXT_KEY, true);
    let isAsking = true;
    void showInformation(question, acceptLabel).then((answer) => {
      isAsking = false;
      // A notification that goes by itself is no answer: the buttons in the title stay.
      if (answer === acceptLabel) {
        decide?.(true);
      }
    });
    const isWanted = await decision;
    if (isAsking) {
      await vscode.commands.executeCommand("notifications.hideToasts");
    }
    if (this.currentNumber === number) {
      this.decide = undefined;
      await vscode.commands.executeCommand("setContext", CONTEXT_KEY, false);
    }
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await vscode.window.tabGroups.close(tabs.filter((tab) => isProposalTab(tab, number)));
    return isWanted;
  }

  dispose(): void {
    this.decide?.(false);
    this.subscription.dispose();
  }

  private setPageText(title: string, query: string, text: string): vscode.Uri {
    this.texts.set(query, text);
    return vscode.Uri.from({ scheme: SCHEME, path: `/${title}.diff`, query });
  }
}

/** Whether a tab has the page of a proposal, by its number. */
function isProposalTab({ input }: vscode.Tab, number: number): boolean {
  const uri =
    input instanceof vscode.TabInputText
      ? input.uri
      : input instanceof vscode.TabInputTextDiff
        ? input.modified
        : undefined;
  return uri?.scheme === SCHEME && uri.query === `${number}`;
}

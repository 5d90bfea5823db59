/**
 * What would be written, shown until somebody decides. The question stands in a notification and,
 * for as long as the page is open, in its title; who closes the page says no.
 */

import * as vscode from "vscode";

const SCHEME = "synapse-proposal";
/** Whether a page waits for a decision; menus ask it. */
const KEY = "synapse.isProposing";

export interface Page {
  readonly title: string;
  /** Undefined where there is nothing to compare with; then `after` is shown as it is. */
  readonly before?: string;
  readonly after: string;
  readonly question: string;
  /** The word for it. */
  readonly yes: string;
}

export class Proposals implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly subscription: vscode.Disposable;
  private decide: ((isWanted: boolean) => void) | undefined;
  private shown = 0;

  constructor() {
    const register = vscode.commands.registerCommand;
    this.subscription = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
        provideTextDocumentContent: ({ query }) => this.texts.get(query) ?? "",
      }),
      register("synapse.acceptProposal", () => this.decide?.(true)),
      register("synapse.rejectProposal", () => this.decide?.(false)),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        if (closed.some((tab) => isPage(tab, this.shown))) {
          this.decide?.(false);
        }
      }),
    );
  }

  /** Whether it is to be written. A proposal that comes later takes the place of one that waits. */
  async ask({ title, before, after, question, yes }: Page): Promise<boolean> {
    this.decide?.(false);
    this.shown += 1;
    const own = this.shown;
    this.texts.clear();
    // Before the page is there: it may be closed as soon as it is.
    const decided = new Promise<boolean>((resolve) => {
      this.decide = resolve;
    });
    const { decide } = this;
    const right = this.page(title, `${own}`, after);
    if (before === undefined) {
      await vscode.window.showTextDocument(right, { preview: true });
    } else {
      const left = this.page(title, `${own}-`, before);
      await vscode.commands.executeCommand("vscode.diff", left, right, title, { preview: true });
    }
    void vscode.commands.executeCommand("setContext", KEY, true);
    let isAsking = true;
    void vscode.window.showInformationMessage(question, yes).then((answer) => {
      isAsking = false;
      // A notification that goes by itself is no answer: the buttons in the title stay.
      if (answer === yes) {
        decide?.(true);
      }
    });
    const isWanted = await decided;
    if (isAsking) {
      await vscode.commands.executeCommand("notifications.hideToasts");
    }
    if (this.shown === own) {
      this.decide = undefined;
      await vscode.commands.executeCommand("setContext", KEY, false);
    }
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await vscode.window.tabGroups.close(tabs.filter((tab) => isPage(tab, own)));
    return isWanted;
  }

  dispose(): void {
    this.decide?.(false);
    this.subscription.dispose();
  }

  private page(title: string, query: string, text: string): vscode.Uri {
    this.texts.set(query, text);
    return vscode.Uri.from({ scheme: SCHEME, path: `/${title}.diff`, query });
  }
}

/** Whether a tab has the page of a proposal, by its number. */
function isPage({ input }: vscode.Tab, number: number): boolean {
  const uri =
    input instanceof vscode.TabInputText
      ? input.uri
      : input instanceof vscode.TabInputTextDiff
        ? input.modified
        : undefined;
  return uri?.scheme === SCHEME && uri.query === `${number}`;
}

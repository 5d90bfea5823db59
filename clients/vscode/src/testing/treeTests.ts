/** This module shows and runs the tests of rule trees in the editor's Testing view. */

import * as vscode from "vscode";
import type { Connection } from "../connection";
import { runTests, type TestFile, type TestOutcome, tests } from "../protocol";
import type { Server } from "../server/server";
import { DOCUMENT_SELECTOR } from "../workspace/documentSelector";
import { casesByFile, failureText, outcomeText, type TestSelection, testItemId } from "./testRuns";

/** Milliseconds: longer than a pause between letters. */
const TYPING_DELAY = 400;

export class TreeTests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController(
    "synapse",
    vscode.l10n.t("Synapse Tests"),
  );
  private readonly subscriptions: vscode.Disposable[];
  /** The roots of the trees that the server serves, URIs. */
  private readonly roots = new Set<string>();
  /** Runs that go on whenever something changes. */
  private readonly continuousRuns = new Set<vscode.TestRunRequest>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const watcher = vscode.workspace.createFileSystemWatcher("**/.synapse/**");
    const run = (request: vscode.TestRunRequest, token: vscode.CancellationToken) =>
      this.startRun(request, token);
    const changed = (uri?: vscode.Uri): void => {
      // What agents do concerns no test.
      if (!uri?.path.includes("/.synapse/sessions/")) {
        this.scheduleUpdate();
      }
    };
    this.controller.refreshHandler = () => this.discoverTests();
    this.subscriptions = [
      this.controller,
      this.controller.createRunProfile(
        vscode.l10n.t("Run"),
        vscode.TestRunProfileKind.Run,
        run,
        true,
        undefined,
        true,
      ),
      watcher,
      watcher.onDidCreate(changed),
      watcher.onDidChange(changed),
      watcher.onDidDelete(changed),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && vscode.languages.match(DOCUMENT_SELECTOR, document) > 0) {
          changed();
        }
      }),
      server.onDidChangeContext(({ root }) => this.addRoot(root)),
      server.onDidChangeState(({ kind }) => kind === "running" && this.roots.clear()),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private addRoot(root: string): void {
    if (!this.roots.has(root)) {
      this.roots.add(root);
      void this.discoverTests();
    }
  }

  /** Looks for tests again, and runs those that are to follow changes, once typing pauses. */
  private scheduleUpdate(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.updateTests(), TYPING_DELAY);
  }

  private async updateTests(): Promise<void> {
    await this.discoverTests();
    if (this.continuousRuns.size === 0) {
      this.controller.invalidateTestResults();
    }
    for (const { include, exclude, profile } of this.continuousRuns) {
      // Each run has a request of its own; that of the person is done with when it has been run.
      await this.runOnce(new vscode.TestRunRequest(include, exclude, profile, true));
    }
  }

  private async discoverTests(): Promise<void> {
    const { connection } = this.server;
    if (connection === undefined) {
      return;
    }
    const files: TestFile[] = [];
    for (const root of this.roots) {
      files.push(...(await this.requestTests(connection, root)));
    }
    this.controller.items.replace(files.map((file) => this.updateFileItem(file)));
  }

  private async requestTests(connection: Connection, root: string): Promise<readonly TestFile[]> {
    try {
      return (await connection.request(tests, { uri: root })).files;
    } catch (error) {
      // The tree is gone.
      this.log.debug(String(error));
      this.roots.delete(root);
      return [];
    }
  }

  /** Items that stay keep their results, so they are changed and not made anew. */
  private updateFileItem(file: TestFile): vscode.TestItem {
    const uri = vscode.Uri.parse(file.uri);
    const label = vscode.workspace.asRelativePath(uri);
    const item =
      this.controller.items.get(testItemId(file.uri)) ??
      this.controller.createTestItem(testItemId(file.uri), label, uri);
    item.error = file.problem ?? undefined;
    item.children.replace(
      file.cases.map(({ number, name, range }) => {
        const id = testItemId(file.uri, number);
        const child = item.children.get(id) ?? this.controller.createTestItem(id, name, uri);
        child.label = name;
        child.range = rangeOf(range);
        child.sortText = String(number).padStart(4, "0");
        return child;
      }),
    );
    return item;
  }

  private async startRun(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
  ): Promise<void> {
    if (request.continuous) {
      this.continuousRuns.add(request);
      token.onCancellationRequested(() => this.continuousRuns.delete(request));
    }
    await this.runOnce(request);
  }

  private async runOnce(request: vscode.TestRunRequest): Promise<void> {
    const run = this.controller.createTestRun(request);
    const excludedItems = new Set(request.exclude ?? []);
    const items = request.include ?? [...this.controller.items].map(([, item]) => item);
    const selections = items.flatMap((item) => this.selectedCases(item, excludedItems));
    try {
      for (const [uri, cases] of casesByFile(selections)) {
        await this.runFile(run, uri, cases);
      }
    } finally {
      run.end();
    }
  }

  /** A file as its cases where one of them is not to be run. */
  private selectedCases(
    item: vscode.TestItem,
    excludedItems: ReadonlySet<vscode.TestItem>,
  ): TestSelection[] {
    const uri = item.uri?.toString() ?? "";
    if (excludedItems.has(item)) {
      return [];
    }
    if (item.parent === undefined) {
      const children = [...item.children].map(([, child]) => child);
      return children.some((child) => excludedItems.has(child))
        ? children.flatMap((child) => this.selectedCases(child, excludedItems))
        : [{ uri: item.id }];
    }
    return [{ uri: item.parent.id || uri, number: Number(item.id.split("#").at(-1)) }];
  }

  private async runFile(
    run: vscode.TestRun,
    uri: string,
    cases: readonly number[] | undefined,
  ): Promise<void> {
    const file = this.controller.items.get(uri);
    const all = [...(file?.children ?? [])].map(([, child]) => child);
    const items = cases === undefined ? all : cases.flatMap((number) => this.findCase(uri, number));
    items.forEach((item) => {
      run.started(item);
    });
    try {
      const params = cases === undefined ? { uri } : { uri, cases };
      const answer = await this.server.connection?.request(runTests, params);
      for (const outcome of answer?.outcomes ?? []) {
        this.reportOutcome(run, outcome);
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      for (const item of items) {
        run.errored(item, new vscode.TestMessage(message));
      }
    }
  }

  private reportOutcome(run: vscode.TestRun, outcome: TestOutcome): void {
    const [item] = this.findCase(outcome.uri, outcome.number);
    if (item === undefined) {
      return; // Its file has changed since it was looked at.
    }
    run.appendOutput(`${outcomeText(outcome)}\r\n`, undefined, item);
    if (outcome.passed) {
      run.passed(item);
      return;
    }
    const messages = outcome.failures.map((failure) => {
      const message = new vscode.TestMessage(failureText(failure));
      if (item.uri) {
        message.location = new vscode.Location(item.uri, rangeOf(failure.range));
      }
      return message;
    });
    run.failed(item, messages);
  }

  private findCase(uri: string, number: number): vscode.TestItem[] {
    const item = this.controller.items.get(uri)?.children.get(testItemId(uri, number));
    return item ? [item] : [];
  }
}

interface PlainRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

function rangeOf({ start, end }: PlainRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

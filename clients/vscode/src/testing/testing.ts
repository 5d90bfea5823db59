/** The tests of rule trees in the editor's own Testing view. */

import * as vscode from "vscode";
import type { Connection } from "../connection";
import { SELECTOR } from "../documents";
import { runTests, type TestFile, type TestOutcome, tests } from "../protocolTree";
import type { Server } from "../server";
import { type Chosen, idOf, lineOf, messageOf, wantedOf } from "./tests";

/** Milliseconds: longer than a pause between letters. */
const PAUSE = 400;

export class Testing implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController(
    "synapse",
    vscode.l10n.t("Synapse Tests"),
  );
  private readonly subscriptions: vscode.Disposable[];
  /** The roots of the trees that the server has told of, URIs. */
  private readonly roots = new Set<string>();
  /** Runs that go on whenever something changes. */
  private readonly watching = new Set<vscode.TestRunRequest>();
  private pause: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const watcher = vscode.workspace.createFileSystemWatcher("**/.synapse/**");
    const run = (request: vscode.TestRunRequest, token: vscode.CancellationToken) =>
      this.run(request, token);
    const changed = (uri?: vscode.Uri): void => {
      // What agents do concerns no test.
      if (!uri?.path.includes("/.synapse/sessions/")) {
        this.soon();
      }
    };
    this.controller.refreshHandler = () => this.discover();
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
        if (contentChanges.length > 0 && vscode.languages.match(SELECTOR, document) > 0) {
          changed();
        }
      }),
      server.onDidChangeContext(({ root }) => this.meet(root)),
      server.onDidChangeState(({ kind }) => kind === "running" && this.roots.clear()),
    ];
  }

  dispose(): void {
    clearTimeout(this.pause);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private meet(root: string): void {
    if (!this.roots.has(root)) {
      this.roots.add(root);
      void this.discover();
    }
  }

  /** Looks for tests again, and runs those that are to follow changes, once typing pauses. */
  private soon(): void {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => void this.follow(), PAUSE);
  }

  private async follow(): Promise<void> {
    await this.discover();
    if (this.watching.size === 0) {
      this.controller.invalidateTestResults();
    }
    for (const { include, exclude, profile } of this.watching) {
      // Each run has a request of its own; that of the person is done with when it has been run.
      await this.runOnce(new vscode.TestRunRequest(include, exclude, profile, true));
    }
  }

  private async discover(): Promise<void> {
    const { connection } = this.server;
    if (connection === undefined) {
      return;
    }
    const found: TestFile[] = [];
    for (const root of this.roots) {
      found.push(...(await this.testsOf(connection, root)));
    }
    this.controller.items.replace(found.map((file) => this.fileItem(file)));
  }

  private async testsOf(connection: Connection, root: string): Promise<readonly TestFile[]> {
    try {
      return (await connection.ask(tests, { uri: root })).files;
    } catch (error) {
      // The tree is gone.
      this.log.debug(String(error));
      this.roots.delete(root);
      return [];
    }
  }

  /** Items that stay keep their results, so they are changed and not made anew. */
  private fileItem(file: TestFile): vscode.TestItem {
    const uri = vscode.Uri.parse(file.uri);
    const label = vscode.workspace.asRelativePath(uri);
    const item =
      this.controller.items.get(idOf(file.uri)) ??
      this.controller.createTestItem(idOf(file.uri), label, uri);
    item.error = file.problem ?? undefined;
    item.children.replace(
      file.cases.map(({ number, name, range }) => {
        const id = idOf(file.uri, number);
        const child = item.children.get(id) ?? this.controller.createTestItem(id, name, uri);
        child.label = name;
        child.range = rangeOf(range);
        child.sortText = String(number).padStart(4, "0");
        return child;
      }),
    );
    return item;
  }

  private async run(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
  ): Promise<void> {
    if (request.continuous) {
      this.watching.add(request);
      token.onCancellationRequested(() => this.watching.delete(request));
    }
    await this.runOnce(request);
  }

  private async runOnce(request: vscode.TestRunRequest): Promise<void> {
    const run = this.controller.createTestRun(request);
    const excluded = new Set(request.exclude ?? []);
    const asked = request.include ?? [...this.controller.items].map(([, item]) => item);
    const chosen = asked.flatMap((item) => this.chosenIn(item, excluded));
    try {
      for (const [uri, cases] of wantedOf(chosen)) {
        await this.runFile(run, uri, cases);
      }
    } finally {
      run.end();
    }
  }

  /** A file as its cases where one of them is not to be run. */
  private chosenIn(item: vscode.TestItem, excluded: ReadonlySet<vscode.TestItem>): Chosen[] {
    const uri = item.uri?.toString() ?? "";
    if (excluded.has(item)) {
      return [];
    }
    if (item.parent === undefined) {
      const children = [...item.children].map(([, child]) => child);
      return children.some((child) => excluded.has(child))
        ? children.flatMap((child) => this.chosenIn(child, excluded))
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
    const wanted = cases === undefined ? all : cases.flatMap((number) => this.find(uri, number));
    wanted.forEach((item) => {
      run.started(item);
    });
    try {
      const params = cases === undefined ? { uri } : { uri, cases };
      const answer = await this.server.connection?.ask(runTests, params);
      for (const outcome of answer?.outcomes ?? []) {
        this.report(run, outcome);
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      for (const item of wanted) {
        run.errored(item, new vscode.TestMessage(message));
      }
    }
  }

  private report(run: vscode.TestRun, outcome: TestOutcome): void {
    const [item] = this.find(outcome.uri, outcome.number);
    if (item === undefined) {
      return; // Its file has changed since it was looked at.
    }
    run.appendOutput(`${lineOf(outcome)}\r\n`, undefined, item);
    if (outcome.passed) {
      run.passed(item);
      return;
    }
    const messages = outcome.failures.map((failure) => {
      const message = new vscode.TestMessage(messageOf(failure));
      if (item.uri) {
        message.location = new vscode.Location(item.uri, rangeOf(failure.range));
      }
      return message;
    });
    run.failed(item, messages);
  }

  private find(uri: string, number: number): vscode.TestItem[] {
    const item = this.controller.items.get(uri)?.children.get(idOf(uri, number));
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

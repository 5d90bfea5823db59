/** The server process and the connection to it: started, replaced one at a time, watched. */

import * as vscode from "vscode";
import type { Connection } from "./connection";
import { isSame, type Launch } from "./launch";
import { type ContextChange, DID_CHANGE_CONTEXT } from "./protocol";
import type { QuietClient } from "./quietClient";
import { failureOf, unexpected } from "./remedy";
import type { Resolver } from "./resolve";
import { Restarts } from "./restarts";
import type { ServerState } from "./status";

export class Server implements vscode.Disposable {
  private readonly stateChanged = new vscode.EventEmitter<ServerState>();
  private readonly contextChanged = new vscode.EventEmitter<ContextChange>();
  private readonly busyChanged = new vscode.EventEmitter<boolean>();
  readonly onDidChangeState = this.stateChanged.event;
  readonly onDidChangeContext = this.contextChanged.event;
  /** Whether the server reports progress: it reads a tree for the first time. */
  readonly onDidChangeBusy = this.busyChanged.event;

  private now: ServerState = { kind: "starting" };
  private client: QuietClient | undefined;
  private current: Launch | undefined;
  private replacing: Promise<void> = Promise.resolve();
  private waiting: Promise<void> | undefined;
  private asked = false;
  private pause: NodeJS.Timeout | undefined;
  private readonly restarts = new Restarts();

  /** `home` is a folder of the extension; no process of ours starts inside a workspace. */
  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly home: string,
    private readonly resolver: Resolver,
  ) {}

  get state(): ServerState {
    return this.now;
  }

  /** The connection, while there is one that answers. */
  get connection(): Connection | undefined {
    return this.now.kind === "running" ? this.client : undefined;
  }

  /** How the server was started; undefined where no interpreter fits. */
  get launch(): Launch | undefined {
    return this.current;
  }

  /** What the running server calls its version. */
  get version(): string | undefined {
    return this.connection?.initializeResult?.serverInfo?.version;
  }

  /** Starts the server anew because somebody asks for it. */
  start(): Promise<void> {
    this.restarts.forget();
    return this.replaceNext(true);
  }

  /** Looks again what would be started, and starts it if that is something else. */
  reconsider(): Promise<void> {
    return this.replaceNext(false);
  }

  async stop(): Promise<void> {
    clearTimeout(this.pause);
    await this.replacing;
    await this.discard();
  }

  dispose(): void {
    vscode.Disposable.from(this.stateChanged, this.contextChanged, this.busyChanged).dispose();
  }

  /** Calls that come while one is at work share the one after it. */
  private replaceNext(asked: boolean): Promise<void> {
    this.asked ||= asked;
    this.waiting ??= this.replacing.then(() => {
      const wanted = this.asked;
      this.waiting = undefined;
      this.asked = false;
      this.replacing = this.replace(wanted).catch((error: unknown) => this.failed(error));
      return this.replacing;
    });
    return this.waiting;
  }

  /** Unless it was `asked` for, what runs as it is goes on, and what failed as it is stays so. */
  private async replace(asked: boolean): Promise<void> {
    clearTimeout(this.pause);
    if (asked) {
      this.become({ kind: "starting" });
    }
    const { choice, launch } = await this.resolver.resolve();
    if (!asked && launch && this.current && isSame(launch, this.current)) {
      return;
    }
    await this.discard();
    this.current = launch;
    if (launch === undefined) {
      this.become({ kind: "stopped", failure: failureOf(choice) });
      return;
    }
    this.become({ kind: "starting" });
    await this.connect(launch);
  }

  private async connect({ command, args, trusted }: Launch): Promise<void> {
    const run = { command, args: [...args, "serve"], options: { cwd: this.home } };
    // Most of the extension's code is the client's, and nobody needs that until there is a server.
    const { QuietClient, State } = await import("./quietClient");
    const client = new QuietClient(run, this.log, { trusted });
    this.client = client;
    client.onDidChangeState(({ oldState, newState }) => {
      if (this.client !== client) {
        return; // A client that has been discarded reports its end too; that is no news.
      }
      if (newState === State.Running) {
        this.become({ kind: "running" });
      } else if (oldState === State.Running && newState === State.Stopped) {
        this.died();
      }
    });
    client.onDidChangeBusy((busy) => this.busyChanged.fire(busy));
    client.onNotification(DID_CHANGE_CONTEXT, (change: ContextChange) =>
      this.contextChanged.fire(change),
    );
    await client.start();
  }

  private failed(error: unknown): void {
    this.log.error(String(error));
    const problem = vscode.l10n.t("The Synapse server could not be started.");
    this.become({ kind: "stopped", failure: unexpected(problem) });
  }

  /** A server that worked and is gone is started again; one that never came up is not. */
  private died(): void {
    const pause = this.restarts.pause(Date.now());
    this.busyChanged.fire(false);
    if (pause === undefined) {
      this.log.error("The server has stopped by itself too often.");
      const problem = vscode.l10n.t("The Synapse server stops again and again.");
      this.become({ kind: "stopped", failure: unexpected(problem) });
      return;
    }
    this.log.warn(`The server has stopped by itself; it is started again in ${pause} ms.`);
    this.become({ kind: "starting" });
    this.pause = setTimeout(() => void this.replaceNext(true), pause);
  }

  private async discard(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.isRunning()) {
      await client.stop().catch((error: unknown) => this.log.warn(String(error)));
    }
    await client?.dispose().catch((error: unknown) => this.log.warn(String(error)));
  }

  private become(state: ServerState): void {
    this.now = state;
    this.stateChanged.fire(state);
  }
}

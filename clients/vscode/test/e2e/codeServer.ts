/** A real VS Code: its server, with the packaged extension installed, in folders of its own. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, openSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface Settings {
  readonly [name: string]: unknown;
}

export class CodeServer {
  readonly url: string;
  private readonly folder: string;
  private readonly settings: Settings;
  private readonly process: ChildProcess;

  private constructor(url: string, folder: string, settings: Settings, process: ChildProcess) {
    this.url = url;
    this.folder = folder;
    this.settings = settings;
    this.process = process;
  }

  /** `main` is VS Code's `server-main.js`; everything that it writes goes into `folder`. */
  static async start(
    main: string,
    folder: string,
    vsix: string,
    settings: Settings,
  ): Promise<CodeServer> {
    const home = path.join(folder, "home");
    mkdirSync(home, { recursive: true });
    write(folder, settings);
    const places = ["--server-data-dir", path.join(folder, "data")];
    places.push("--extensions-dir", path.join(folder, "extensions"));
    places.push("--accept-server-license-terms");
    const env = { ...process.env, HOME: home, EXTENSIONS_GALLERY: "{}" };
    const log = openSync(path.join(folder, "server.log"), "a");
    const install = [main, ...places, "--install-extension", vsix];
    execFileSync(process.execPath, install, { env, stdio: ["ignore", log, log] });
    const listen = ["--host", "127.0.0.1", "--port", "0", "--without-connection-token"];
    const child = spawn(
      process.execPath,
      [main, ...places, ...listen, "--telemetry-level", "off"],
      { env, stdio: ["ignore", "pipe", log] },
    );
    process.once("exit", () => child.kill()); // whatever becomes of the checks
    const port = await portOf(child);
    return new CodeServer(`http://127.0.0.1:${port}`, folder, settings, child);
  }

  /** Changes settings while VS Code runs; it watches the files. */
  set(changes: Settings): void {
    write(this.folder, { ...this.settings, ...changes });
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill();
    await gone;
  }
}

/** A remote window reads application settings from the first file, machine settings from the second. */
function write(folder: string, settings: Settings): void {
  for (const scope of ["User", "Machine"]) {
    const file = path.join(folder, "data", "data", scope, "settings.json");
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(settings, null, 2));
  }
}

function portOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout?.on("data", (data) => {
      output += data;
      const port = /listening on (\d+)/.exec(output)?.[1];
      if (port !== undefined) {
        resolve(port);
      }
    });
    child.once("exit", (code) => reject(new Error(`VS Code left with ${code}: ${output}`)));
  });
}

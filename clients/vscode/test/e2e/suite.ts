/** What a file of checks looks like, and what it is given to work with. */

import type { Environment, Settings } from "./codeServer.ts";
import type { Workbench } from "./workbench.ts";

/** A file in `checks`. */
export interface Suite {
  checks(context: SuiteContext): Promise<void>;
  /** Settings that hold in its window, over those that hold in all. */
  readonly settings?: Settings;
  /** Variables of the machine that its window is connected to, over those of this one. */
  readonly environment?: Environment;
  /** The language that its window is in, as VS Code spells it, where that is not English. */
  readonly language?: string;
  /** Changes the copy before the window opens, and may say what is opened. */
  prepare?(place: SuiteWorkspace): Promise<WindowTarget | undefined>;
}

/** Those that share a window on a new copy of the showcase, in this order; each finds the folder as it was. */
export interface Suites {
  readonly [name: string]: Suite;
}

/** What a window opens; the copy of the showcase unless something else is said. */
export interface WindowTarget {
  /** A folder, or a file that lists folders. */
  readonly folder?: string;
  /** A file to show at once. */
  readonly file?: string;
}

/** Where a suite works. All paths that are given to it are below `workspace`. */
export interface SuiteWorkspace {
  /** The copy of the showcase. */
  readonly workspace: string;
  /** A folder for whatever else a check needs, outside of the workspace. */
  readonly scratch: string;
  /** The folder of the person's settings, which all suites share. */
  readonly profile: string;
  /** The Python in which the server is installed. */
  readonly python: string;
  read(path: string): string;
  /** Writes a file as another program would, behind the editor's back. */
  write(path: string, text: string): void;
}

export interface SuiteContext extends SuiteWorkspace {
  readonly window: Workbench;
  /** Adds a check. It passes when `body` returns; those after a failed one run all the same. */
  check(name: string, body: () => Promise<void>): Promise<void>;
  /** Keeps a picture of the window; those of good runs are the ones in `docs/images`. */
  picture(name: string): Promise<void>;
  /** Changes settings while VS Code runs. What is left out is as it was when the window opened. */
  changeSettings(changes: Settings): void;
  /** The id of the language server's process, if it runs. */
  serverProcess(): number | undefined;
  /** A figure for the end of the report. */
  addFigure(name: string, milliseconds: number): void;
}

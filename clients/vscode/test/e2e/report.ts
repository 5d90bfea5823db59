/** Runs checks one after another, says how each went, and counts. */

import { stripVTControlCharacters } from "node:util";

export class Report {
  private passed = 0;
  private failed = 0;
  private readonly figures: string[] = [];

  /**
   * What is said of the checks in one window, with `title` over it. It is printed as a whole when it
   * closes, for another window is at work meanwhile.
   */
  chapter(title: string): Chapter {
    return new Chapter(title, (good) => {
      this.passed += good ? 1 : 0;
      this.failed += good ? 0 : 1;
    });
  }

  get good(): boolean {
    return this.failed === 0 && this.passed > 0;
  }

  /** Keeps a figure for the end. */
  measured(name: string, milliseconds: number): void {
    this.figures.push(`${name}: ${Math.round(milliseconds)} ms`);
  }

  /** Prints figures and totals; the exit code. */
  close(): number {
    console.log(["", ...this.figures].join("\n"));
    console.log(`${this.passed} passed, ${this.failed} failed`);
    return this.good ? 0 : 1;
  }
}

export class Chapter {
  private readonly lines: string[];
  private readonly start = performance.now();
  private readonly count: (good: boolean) => void;

  constructor(title: string, count: (good: boolean) => void) {
    this.lines = ["", title];
    this.count = count;
  }

  /**
   * A check passes when `body` returns. Those after a failed one run all the same. `onFailure` may
   * take a picture of what a failed check has left behind.
   */
  async check(
    name: string,
    body: () => Promise<void>,
    onFailure: (name: string) => Promise<void>,
  ): Promise<void> {
    const start = performance.now();
    try {
      await body();
      this.count(true);
      this.lines.push(`ok      ${name} (${since(start)})`);
    } catch (error) {
      this.count(false);
      this.lines.push(`FAILED  ${name} (${since(start)})`, indented(String(error)));
      await onFailure(name.replace(/\W+/g, "-"));
    }
  }

  close(): void {
    console.log(
      [...this.lines, `        all of it, with the window: ${since(this.start)}`].join("\n"),
    );
  }
}

function since(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

function indented(text: string): string {
  return stripVTControlCharacters(text).trimEnd().replace(/^/gm, "        ");
}

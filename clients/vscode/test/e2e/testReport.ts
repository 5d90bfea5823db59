/** Runs checks one after another, says how each went, and counts. */

import { stripVTControlCharacters } from "node:util";

export class TestReport {
  private passed = 0;
  private failed = 0;
  private readonly figures: string[] = [];

  /**
   * What is said of the checks in one window, with `title` over it. It is printed as a whole when it
   * closes, for another window is at work meanwhile.
   */
  openChapter(title: string): Chapter {
    return new Chapter(title, (good) => {
      this.passed += good ? 1 : 0;
      this.failed += good ? 0 : 1;
    });
  }

  get isSuccess(): boolean {
    return this.failed === 0 && this.passed > 0;
  }

  /** Keeps a figure for the end. */
  addFigure(name: string, milliseconds: number): void {
    this.figures.push(`${name}: ${Math.round(milliseconds)} ms`);
  }

  /** Prints figures and totals; the exit code. */
  close(): number {
    console.log(["", ...this.figures].join("\n"));
    console.log(`${this.passed} passed, ${this.failed} failed`);
    return this.isSuccess ? 0 : 1;
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
      this.lines.push(`ok      ${name} (${elapsedTime(start)})`);
    } catch (error) {
      this.count(false);
      this.lines.push(`FAILED  ${name} (${elapsedTime(start)})`, indentText(String(error)));
      await onFailure(name.replace(/\W+/g, "-"));
    }
  }

  close(): void {
    console.log(
      [...this.lines, `        all of it, with the window: ${elapsedTime(this.start)}`].join("\n"),
    );
  }
}

function elapsedTime(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

function indentText(text: string): string {
  return stripVTControlCharacters(text).trimEnd().replace(/^/gm, "        ");
}

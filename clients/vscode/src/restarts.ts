/** When a server that dies is started again, and after how often somebody has to look at it. Pure. */

/** Milliseconds before each further start: at once, and then with growing patience. */
const PAUSES = [0, 1_000, 4_000, 10_000] as const;
/** Milliseconds; deaths that lie further apart do not add up. */
const WITHIN = 3 * 60_000;

export class Restarts {
  private times: readonly number[] = [];

  /** Milliseconds to wait after a death at `now`; undefined where starting again is no use. */
  pause(now: number): number | undefined {
    this.times = [...this.times.filter((time) => now - time < WITHIN), now];
    return PAUSES[this.times.length - 1];
  }

  /** Somebody has looked at it. */
  forget(): void {
    this.times = [];
  }
}

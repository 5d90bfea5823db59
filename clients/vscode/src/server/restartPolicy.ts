/**
 * This module decides when a crashed server is started again, and when it has crashed too often.
 * Pure.
 */

/** Milliseconds before each further start: at once, and then with growing patience. */
const DELAYS = [0, 1_000, 4_000, 10_000] as const;
/** Milliseconds; deaths that lie further apart do not add up. */
const CRASH_WINDOW = 3 * 60_000;

export class RestartPolicy {
  private times: readonly number[] = [];

  /** Milliseconds to wait after a death at `now`; undefined where starting again is no use. */
  nextDelay(now: number): number | undefined {
    this.times = [...this.times.filter((time) => now - time < CRASH_WINDOW), now];
    return DELAYS[this.times.length - 1];
  }

  /** Forgets earlier crashes. */
  reset(): void {
    this.times = [];
  }
}

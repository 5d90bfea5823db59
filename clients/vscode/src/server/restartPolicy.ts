/**
 * This module decides when a crashed server is started again: soon, and later where it goes on crashing.
 * Pure.
 */

/** Milliseconds before each further start: at once, and then with growing patience. */
const DELAYS = [0, 1_000, 4_000, 10_000] as const;
/** Milliseconds before a start that follows many crashes: what made it crash may be gone by then. */
export const LATER = 5 * 60_000;
/** Milliseconds; deaths that lie further apart do not add up. */
const CRASH_WINDOW = 3 * 60_000;

export class RestartPolicy {
  private times: readonly number[] = [];

  /** Milliseconds to wait after a death at `now`. */
  nextDelay(now: number): number {
    this.times = [...this.times.filter((time) => now - time < CRASH_WINDOW), now];
    return DELAYS[this.times.length - 1] ?? LATER;
  }

  /** Forgets earlier crashes. */
  reset(): void {
    this.times = [];
  }
}

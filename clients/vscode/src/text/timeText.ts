/** This module formats times for people. Pure. */

/** The time of day, with the date where that is not today's. `now` is in milliseconds. */
export function formatTime(iso: string, now: number, locale: string, seconds = false): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) {
    return "";
  }
  const clock: Intl.DateTimeFormatOptions = {
    hour: "2-digit",
    minute: "2-digit",
    ...(seconds ? { second: "2-digit" } : {}),
  };
  const today = new Date(now).toDateString() === time.toDateString();
  const day: Intl.DateTimeFormatOptions = today ? {} : { month: "short", day: "numeric" };
  return new Intl.DateTimeFormat(locale, { ...day, ...clock, hourCycle: "h23" }).format(time);
}

/** What sessions had left of the window, as small pictures. Pure. */

/** Percents at which one bracket gives way to the next. */
const FLOORS = [60, 40, 25];
const ICON = 16;
const CHART = { width: 260, height: 72, margin: 4 };

/** Shades that stand out from light and from dark themes, as their icons do. */
export const INK = { light: "#424242", dark: "#c5c5c5" } as const;

/** A line of 16 by 16 pixels; `points` are percents of the window, the oldest first. */
export function sparkline(points: readonly number[], ink: string): string {
  const area = { x: 1, y: 2, width: ICON - 2, height: ICON - 4 };
  const line = pathOf(points, area);
  return svg(
    ICON,
    ICON,
    `<path d="${line}V${ICON - 1}H${area.x}z" fill="${ink}" fill-opacity=".3"/><path d="${line}" fill="none" stroke="${ink}" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/>`,
  );
}

/** The same at a size at which one sees where the brackets are. */
export function chart(points: readonly number[], ink: string): string {
  const { width, height, margin } = CHART;
  const area = { x: margin, y: margin, width: width - 2 * margin, height: height - 2 * margin };
  const line = pathOf(points, area);
  const bottom = area.y + area.height;
  const floors = FLOORS.map((percent) => {
    const y = place(percent, area);
    return `<path d="M${area.x} ${y}h${area.width}" stroke="${ink}" stroke-opacity=".35" stroke-dasharray="2 3"/>`;
  });
  return svg(
    width,
    height,
    `${floors.join("")}<path d="${line}V${bottom}H${area.x}z" fill="${ink}" fill-opacity=".15"/><path d="${line}" fill="none" stroke="${ink}" stroke-width="1.5" stroke-linejoin="round"/>`,
  );
}

/** An address that has the picture in it. */
export function dataUri(picture: string): string {
  return `data:image/svg+xml;base64,${Buffer.from(picture).toString("base64")}`;
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function pathOf(points: readonly number[], area: Area): string {
  // A single point is a level line: nothing is known of what came before.
  const [only] = points;
  const drawn = points.length === 1 && only !== undefined ? [only, only] : points;
  const step = area.width / Math.max(1, drawn.length - 1);
  return drawn
    .map(
      (percent, index) =>
        `${index === 0 ? "M" : "L"}${round(area.x + index * step)} ${place(percent, area)}`,
    )
    .join("");
}

function place(percent: number, { y, height }: Area): number {
  const bounded = Math.min(100, Math.max(0, percent));
  return round(y + height * (1 - bounded / 100));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function svg(width: number, height: number, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${content}</svg>`;
}

/** This module draws the remaining window of a session as small SVG charts. Pure. */

/** Percents at which one bracket gives way to the next. */
const BRACKET_FLOORS = [60, 40, 25];
const ICON_SIZE = 16;
const CHART = { width: 260, height: 72, margin: 4 };

/** Shades that stand out from light and from dark themes, as their icons do. */
export const INK_COLORS = { light: "#424242", dark: "#c5c5c5" } as const;

/** A line of 16 by 16 pixels; `points` are percents of the window, the oldest first. */
export function usageSparkline(points: readonly number[], ink: string): string {
  const area = { x: 1, y: 2, width: ICON_SIZE - 2, height: ICON_SIZE - 4 };
  const line = linePath(points, area);
  return svgPicture(
    ICON_SIZE,
    ICON_SIZE,
    `<path d="${line}V${ICON_SIZE - 1}H${area.x}z" fill="${ink}" fill-opacity=".3"/><path d="${line}" fill="none" stroke="${ink}" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/>`,
  );
}

/** Returns a larger chart with lines at the bracket floors. */
export function usageChart(points: readonly number[], ink: string): string {
  const { width, height, margin } = CHART;
  const area = { x: margin, y: margin, width: width - 2 * margin, height: height - 2 * margin };
  const line = linePath(points, area);
  const bottom = area.y + area.height;
  const floors = BRACKET_FLOORS.map((percent) => {
    const y = yCoordinate(percent, area);
    return `<path d="M${area.x} ${y}h${area.width}" stroke="${ink}" stroke-opacity=".35" stroke-dasharray="2 3"/>`;
  });
  return svgPicture(
    width,
    height,
    `${floors.join("")}<path d="${line}V${bottom}H${area.x}z" fill="${ink}" fill-opacity=".15"/><path d="${line}" fill="none" stroke="${ink}" stroke-width="1.5" stroke-linejoin="round"/>`,
  );
}

/** Returns a data URI with the picture. */
export function pictureDataUri(picture: string): string {
  return `data:image/svg+xml;base64,${Buffer.from(picture).toString("base64")}`;
}

interface ChartArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function linePath(points: readonly number[], area: ChartArea): string {
  // A single point is a level line: nothing is known of what came before.
  const [only] = points;
  const shownPoints = points.length === 1 && only !== undefined ? [only, only] : points;
  const step = area.width / Math.max(1, shownPoints.length - 1);
  return shownPoints
    .map(
      (percent, index) =>
        `${index === 0 ? "M" : "L"}${roundTenth(area.x + index * step)} ${yCoordinate(percent, area)}`,
    )
    .join("");
}

function yCoordinate(percent: number, { y, height }: ChartArea): number {
  const percentInRange = Math.min(100, Math.max(0, percent));
  return roundTenth(y + height * (1 - percentInRange / 100));
}

function roundTenth(value: number): number {
  return Math.round(value * 10) / 10;
}

function svgPicture(width: number, height: number, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${content}</svg>`;
}

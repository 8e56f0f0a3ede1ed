type Point = { readonly queryCount: number; readonly zeroResultCount: number; readonly clickCount: number };

/** Column of the chart: its position, its height, and the share without results; in units of the picture. */
type Bar = { readonly x: number; readonly width: number; readonly height: number; readonly zero: number };

/** Columns of queries and a line of clicks, on one scale, the highest of either filling the height. */
export function barsOf(
  points: readonly Point[],
  width: number,
  height: number,
): { readonly bars: readonly Bar[]; readonly line: string } {
  const top = Math.max(1, ...points.map(({ queryCount, clickCount }) => Math.max(queryCount, clickCount)));
  const step = width / Math.max(1, points.length);
  const gap = Math.min(6, step * 0.25);
  const scale = (n: number) => Math.round((n / top) * (height - 4) * 100) / 100;
  const bars = points.map(({ queryCount, zeroResultCount }, index) => ({
    x: Math.round((index * step + gap / 2) * 100) / 100,
    width: Math.round((step - gap) * 100) / 100,
    height: scale(queryCount),
    zero: scale(zeroResultCount),
  }));
  const line = points
    .map(({ clickCount }, index) => `${index === 0 ? 'M' : 'L'}${(index + 0.5) * step} ${height - scale(clickCount)}`)
    .join('');
  return { bars, line };
}

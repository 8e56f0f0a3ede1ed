const MILLION = 1_000_000;

/** Exact difference of two scores; undefined where one of them is missing, which is not the same as 0. */
export function scoreChange(before: number | null | undefined, after: number | null | undefined): number | undefined {
  if (typeof before !== 'number' || typeof after !== 'number') return undefined;
  return (Math.round(after * MILLION) - Math.round(before * MILLION)) / MILLION;
}

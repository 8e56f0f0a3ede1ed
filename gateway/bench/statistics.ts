/** Quantile `q` of the values (nearest rank). */
export const quantile = (values: readonly number[], q: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('no values');
  return value;
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

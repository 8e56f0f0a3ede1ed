/** Arithmetic of the score model in parts per million (ppm): integers from 0 to 1 000 000 (proofs 0). */

export const MILLION = 1_000_000;

/** Product of two ppm values, rounded half up. It is exact: the product of two doubles below 10^6 is below 2^53. */
export const multiply = (left: number, right: number): number => Math.floor((left * right + 500_000) / MILLION);

/** Pattern of a decimal from 0 to 1 with at most twelve fraction digits, the form of an EPSS probability. */
export const PROBABILITY = '^(?:0(?:\\.[0-9]{1,12})?|1(?:\\.0{1,12})?)$';

/** Converts such a decimal to ppm, rounded half up on the seventh digit. It is read as text, never as a double. */
export const parsePpm = (decimal: string): number => {
  const [whole, fraction = ''] = decimal.split('.');
  const digits = fraction.padEnd(7, '0');
  return Number(whole) * MILLION + Number(digits.slice(0, 6)) + (digits.charAt(6) >= '5' ? 1 : 0);
};

/** Value of a piecewise linear table at `x`, each step rounded half up; the first and last value outside the table. */
export const interpolate = (table: readonly (readonly [x: number, y: number])[], x: number): number => {
  let [x0, y0] = table[0] ?? [0, 0];
  if (x <= x0) return y0;
  for (const [x1, y1] of table) {
    if (x <= x1) return y0 + Math.floor((2 * (y1 - y0) * (x - x0) + (x1 - x0)) / (2 * (x1 - x0)));
    [x0, y0] = [x1, y1];
  }
  return y0;
};

/** Number that an API response has for a ppm value: one correctly rounded division, at most six digits. */
export const toDecimal = (ppm: number): number => ppm / MILLION;

type Factor = {
  readonly name: string;
  readonly weight: number;
  readonly raw: number;
  readonly weighted: number;
  readonly source: string;
};

/** Factor with the part of the scale from 0 to 1 that it covers: from `start`, the sum before it, to `end`. */
export type WaterfallBar = Factor & { readonly start: number; readonly end: number };

type Waterfall = {
  readonly bars: readonly WaterfallBar[];
  readonly sum: number;
  /** Whether the factors sum to the score to the last decimal. */
  readonly isExact: boolean;
};

const MILLION = 1_000_000;

/** Parts per million of a decimal, which the server writes with at most six digits: sums of them are exact. */
const ppmOf = (value: number): number => Math.round(value * MILLION);

/** Bars of a score's factors in their order, each beginning where the one before it ended. */
export function waterfall(factors: readonly Factor[], score: number): Waterfall {
  let sum = 0;
  const bars = factors.map((factor) => {
    const start = sum;
    sum += ppmOf(factor.weighted);
    return { ...factor, start: start / MILLION, end: sum / MILLION };
  });
  return { bars, sum: sum / MILLION, isExact: sum === ppmOf(score) };
}

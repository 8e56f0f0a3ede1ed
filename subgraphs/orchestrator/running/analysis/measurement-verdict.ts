import { Fault } from '@landfall/kernel/core/fault';
import type { AnalysisPolicy } from '../../catalogue/environments/analysis-policy.ts';
import type { Measured } from '../rollout/ports.ts';

type Bounds = Pick<AnalysisPolicy, 'min' | 'max'>;

/** Distance of a value from its bounds; negative inside them. */
const excess = (value: number, { min, max }: Bounds): number =>
  Math.max(min === null ? -Infinity : min - value, max === null ? -Infinity : value - max);

const inWords = (value: number, { min, max }: Bounds): string => {
  if (min !== null && value < min) return `${value} is below ${min}`;
  if (max !== null && value > max) return `${value} is above ${max}`;
  return `${value} is within its bounds`;
};

/** Judges the answer of a metrics server by its worst series; unknown if one is not a number and none fails. */
export const judgeMeasurement = (answer: readonly number[] | Fault, bounds: Bounds): Measured => {
  const unknown = (detail: string): Measured => ({ value: null, verdict: 'unknown', detail });
  if (answer instanceof Fault) return unknown(answer.message);
  if (answer.length === 0) return unknown('the query gave no data');
  const numbers = answer.filter((value) => Number.isFinite(value));
  const [worst] = numbers.toSorted((a, b) => excess(b, bounds) - excess(a, bounds));
  const among = answer.length === 1 ? '' : `, the worst of ${answer.length} series`;
  const isFail = worst !== undefined && excess(worst, bounds) > 0;
  if (!isFail && numbers.length < answer.length)
    return unknown(
      `the query gave ${answer.find((value) => !Number.isFinite(value))}${among && ` among ${answer.length} series`}`,
    );
  if (worst === undefined) return unknown('the query gave no number');
  return { value: worst, verdict: isFail ? 'fail' : 'pass', detail: `${inWords(worst, bounds)}${among}` };
};

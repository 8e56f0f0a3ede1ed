import type { AnalysisPolicy } from '../../catalogue/environments/analysis-policy.ts';
import type { Measured } from '../rollout/ports.ts';

type Outcome = 'open' | 'halt' | 'wait';

/**
 * Decides a gate by its measurements, oldest first. Fails are counted in total, passes in a row; an unknown interrupts
 * the row. An unknown is no fail, so a gate with only unknowns stays closed for a person to decide.
 */
export const decideGate = (
  verdicts: readonly Measured['verdict'][],
  { passes, failures }: Pick<AnalysisPolicy, 'passes' | 'failures'>,
): Outcome => {
  if (verdicts.filter((verdict) => verdict === 'fail').length >= failures) return 'halt';
  const row = verdicts.length - 1 - verdicts.findLastIndex((verdict) => verdict !== 'pass');
  return row >= passes ? 'open' : 'wait';
};

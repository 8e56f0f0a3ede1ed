import type { AnalysisPolicy } from '../../catalogue/environments/analysis-policy.ts';
import type { Measured } from '../rollout/ports.ts';

type Outcome = 'open' | 'halt' | 'wait';

/**
 * Decides a gate by its measurements, oldest first. Fails count in all; passes count in a row, and whatever is
 * no pass ends the row: a minute that nobody saw is none that went well. An unknown is no fail either, so a gate with
 * nothing but unknowns stays closed, for a person to decide.
 */
export const decideGate = (
  verdicts: readonly Measured['verdict'][],
  { passes, failures }: Pick<AnalysisPolicy, 'passes' | 'failures'>,
): Outcome => {
  if (verdicts.filter((verdict) => verdict === 'fail').length >= failures) return 'halt';
  const row = verdicts.length - 1 - verdicts.findLastIndex((verdict) => verdict !== 'pass');
  return row >= passes ? 'open' : 'wait';
};

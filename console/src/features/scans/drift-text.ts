import type { DriftSinkFragment } from '../../generated/operations.ts';
import { symbolParts } from '../../lib/purl-text.ts';
import { t } from './labels.ts';

type Cause = Omit<DriftSinkFragment['cause'], '__typename'>;
type Step = Omit<DriftSinkFragment['path'][number], '__typename'>;

/** First difference between the two programs that explains a sink, in words. */
export function causeText({ kind, symbol, caller }: Cause): string {
  const names = { symbol: symbolParts(symbol).name, caller: caller === null ? '' : symbolParts(caller).name };
  return t(`cause.${kind}`, names);
}

/** Steps of a path as they are shown: the symbol of the cause is marked, a gap says how many symbols it stands for. */
export const pathSteps = (path: readonly Step[], cause: Cause) =>
  path.map(({ symbol, elided }, index) => {
    if (symbol === null) return { key: String(index), name: t('path.elided', { n: elided ?? 0 }), isElided: true };
    return { key: String(index), ...symbolParts(symbol), isMarked: symbol === cause.symbol };
  });

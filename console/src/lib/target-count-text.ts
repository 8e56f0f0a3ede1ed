import { t } from './i18n.ts';
import type { TargetCounts } from './target-counts.ts';

const PARTS = ['verified', 'unverified', 'mismatch', 'failed', 'running', 'held', 'cancelled', 'waiting'] as const;

/** Counts as text: `24 verified, 2 unverified of 34`; when all ended alike, `12 of 12 verified`. */
export function targetCountText(counts: TargetCounts): string {
  const existing = PARTS.filter((part) => counts[part] > 0);
  const [only] = existing;
  if (only === undefined) return t('tally.none');
  if (existing.length === 1)
    return t('tally.all', { n: counts.total, of: counts.total, what: t(`tally.status.${only}`) });
  const text = existing.map((part) => t('tally.part', { n: counts[part], what: t(`tally.status.${part}`) })).join(', ');
  return t('tally.of', { parts: text, n: counts.total });
}

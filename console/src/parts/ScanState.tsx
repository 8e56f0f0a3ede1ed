import type { ScanStatus } from '../generated/operations.ts';
import { scanLabel as t } from '../lib/scan-labels.ts';
import { scoreText } from '../lib/score.ts';
import { type Looks, StateLabel } from '../ui/StateLabel.tsx';

const STATUS: Looks<ScanStatus> = { QUEUED: 'queued', RUNNING: 'running', COMPLETED: 'verified', FAILED: 'failed' };

export const ScanStatusLabel = ({ status }: { readonly status: ScanStatus }) => (
  <StateLabel look={STATUS[status]}>{t(`scan.status.${status}`)}</StateLabel>
);

type ScanScoreProps = { readonly scan: { readonly status: ScanStatus; readonly score: number | null } };

/** Score of a scan, or the reason why it has none: a missing score is never shown as 0. */
export function ScanScore({ scan: { status, score } }: ScanScoreProps) {
  if (score !== null) return <b>{scoreText(score)}</b>;
  if (status === 'COMPLETED') return <StateLabel look="unobserved">{t('scan.score.none')}</StateLabel>;
  return status === 'FAILED' ? null : <span className="quiet">{t('scan.score.pending')}</span>;
}

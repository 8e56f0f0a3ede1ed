import type { AirGapFactsFragment, TimeFactsFragment } from '../../generated/operations.ts';
import { span } from '../../lib/time.ts';
import { TimeStateLabel } from '../../parts/TimeStateLabel.tsx';
import { Digest } from '../../ui/Digest.tsx';
import { Gauge, Gauges } from '../../ui/Gauges.tsx';
import { Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';

type FiguresProps = { readonly airgap: AirGapFactsFragment; readonly time: TimeFactsFragment };

/** Figures of the page: since when and by whom, the policy, the trusted time. */
export function AirGapFigures({ airgap, time }: FiguresProps) {
  const { mode, policy, policyDigest, sealedAt, changedAt, changedBy, reason } = airgap;
  const since = mode === 'SEALED' ? sealedAt : changedAt;
  const by = changedBy === null ? '' : t('airgap.by', { name: changedBy.displayName });
  return (
    <Gauges label={t('airgap.figures')}>
      <Gauge
        label={t(mode === 'SEALED' ? 'airgap.sealedAt' : 'airgap.changedAt')}
        value={since === null ? t('airgap.never') : <Time at={since} />}
        sub={[by, reason ?? ''].filter(Boolean).join(': ')}
      />
      <Gauge
        label={t('egressPolicy.title')}
        value={policy === null ? t('egressPolicy.unset') : t('egressPolicy.rules.n', { n: policy.allowRules.length })}
        sub={policyDigest === null ? undefined : <Digest value={policyDigest} />}
      />
      <Gauge
        label={t('trustedTime.title')}
        value={<TimeStateLabel state={time.state} />}
        sub={time.ageSeconds === null ? t('anchor.none') : t('anchor.age', { age: span(time.ageSeconds * 1000) })}
      />
    </Gauges>
  );
}

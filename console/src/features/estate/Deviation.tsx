import { useState } from 'react';
import {
  AcceptDeviationDocument,
  type EstateRowFragment,
  RevokeDeviationDocument,
} from '../../generated/operations.ts';
import { useNow } from '../../lib/now.ts';
import { ConfirmAction, ReasonDialog } from '../../parts/dialogs.tsx';
import { SegmentedControl } from '../../ui/Form.tsx';
import { t } from './labels.ts';

interface SelectedAction {
  readonly row: EstateRowFragment;
  readonly close: () => void;
}

const DAY_MS = 86_400_000;
const DAYS = ['1', '7', '30', '90'] as const;

/** Accepts a drift until a day: it stays a drift, and has an owner. */
export function AcceptDeviation({ row: { id, component, target, observedDigest }, close }: SelectedAction) {
  const now = useNow();
  const [days, choose] = useState<(typeof DAYS)[number]>('7');
  return (
    <ReasonDialog
      document={AcceptDeviationDocument}
      input={(reason) =>
        observedDigest === null
          ? undefined
          : {
              observationId: id,
              seenDigest: observedDigest,
              reason,
              expiresAt: new Date(now.getTime() + Number(days) * DAY_MS).toISOString(),
            }
      }
      title={t('estate.accept.title', { component, target: target.name })}
      verb={t('estate.accept.verb')}
      close={close}
    >
      <p className="soft">{t('estate.accept.lead')}</p>
      <SegmentedControl
        label={t('estate.accept.days')}
        value={days}
        options={DAYS.map((value) => ({ value, label: t('estate.days', { n: Number(value) }) }))}
        choose={choose}
      />
    </ReasonDialog>
  );
}

/** Withdraws the acceptance of a drift. */
export function RevokeDeviation({ row: { component, target, deviation }, close }: SelectedAction) {
  return (
    <ConfirmAction
      document={RevokeDeviationDocument}
      input={{ id: deviation?.id ?? '' }}
      title={t('estate.revoke.title', { component, target: target.name })}
      lead={t('estate.revoke.lead', { owner: deviation?.owner.displayName ?? '' })}
      verb={t('estate.revoke.verb')}
      close={close}
    />
  );
}

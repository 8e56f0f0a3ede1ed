import { useState } from 'react';
import {
  AcceptDeviationDocument,
  type EstateRowFragment,
  RevokeDeviationDocument,
} from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import { useNow } from '../../lib/now.ts';
import { ActionError } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { SegmentedControl } from '../../ui/Form.tsx';
import { ReasonDialog } from '../../ui/ReasonDialog.tsx';
import { t } from './labels.ts';

interface Asked {
  readonly row: EstateRowFragment;
  readonly close: () => void;
}

const DAY_MS = 86_400_000;
const DAYS = ['1', '7', '30', '90'] as const;

/** Somebody answers for a drift until a day: it stays a drift, and has an owner. */
export function AcceptDeviation({ row, close }: Asked) {
  const { id, component, target, observedDigest } = row;
  const verb = useAction(AcceptDeviationDocument);
  const now = useNow();
  const [days, choose] = useState<(typeof DAYS)[number]>('7');
  const submit = async (reason: string) => {
    if (observedDigest === null) return;
    const expiresAt = new Date(now.getTime() + Number(days) * DAY_MS).toISOString();
    const done = await verb.run({ observationId: id, seenDigest: observedDigest, reason, expiresAt });
    if (done !== undefined) close();
  };
  return (
    <ReasonDialog
      title={t('estate.accept.title', { component, target: target.name })}
      verb={t('estate.accept.verb')}
      busy={verb.busy}
      problem={verb.problem}
      submit={submit}
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

/** Nobody answers for it any more. */
export function RevokeDeviation({ row: { component, target, deviation }, close }: Asked) {
  const verb = useAction(RevokeDeviationDocument);
  const revoke = async () => {
    if (deviation === null) return;
    if ((await verb.run({ id: deviation.id })) !== undefined) close();
  };
  return (
    <Dialog title={t('estate.revoke.title', { component, target: target.name })} close={close}>
      <p className="soft">{t('estate.revoke.lead', { owner: deviation?.owner.displayName ?? '' })}</p>
      <ActionError problem={verb.problem} />
      <DialogFoot>
        <Button onClick={close}>{t('cancel')}</Button>
        <Button weight="primary" busy={verb.busy} onClick={() => void revoke()}>
          {t('estate.revoke.verb')}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

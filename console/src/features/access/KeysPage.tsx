import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import {
  RotateSigningKeyDocument,
  type SigningKeyRowFragment,
  SigningKeysDocument,
} from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useAction, useLiveQuery } from '../../lib/graph.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { StateLabel, type StateStyle } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { AccessLayout, isAdministrator } from './AccessLayout.tsx';
import { t } from './labels.ts';

/** The ring of keys that sign tokens. */
export function KeysPage() {
  const [rotating, rotate] = useState(false);
  useCommands(
    isAdministrator() ? [{ id: 'key.rotate', group: 'act', title: t('key.rotate'), run: () => rotate(true) }] : [],
  );
  return (
    <AccessLayout tab="keys" verbs={<Button onClick={() => rotate(true)}>{t('key.rotate')}</Button>}>
      <Ring rotating={rotating} close={() => rotate(false)} />
    </AccessLayout>
  );
}

function Ring({ rotating, close }: { readonly rotating: boolean; readonly close: () => void }) {
  const ring = useLiveQuery(SigningKeysDocument, {}, ['SigningKey']);
  const current = ring.data?.signingKeys.find(({ state }) => state === 'CURRENT');
  return (
    <>
      <QueryResult of={ring} skeleton={<SkeletonRows rows={3} />} fault={t('keys.fault')}>
        {({ signingKeys }) =>
          signingKeys.length === 0 ? (
            <EmptyState>{t('keys.never')}</EmptyState>
          ) : (
            <DataTable label={t('tab.keys')} columns={columns()} rows={signingKeys} labelled />
          )
        }
      </QueryResult>
      {rotating && current !== undefined && <Rotate current={current.id} close={close} />}
    </>
  );
}

const LOOKS: Readonly<Record<SigningKeyRowFragment['state'], StateStyle>> = {
  NEXT: { shape: 'queued', tone: 'waiting' },
  CURRENT: { shape: 'verified', tone: 'good' },
  RETIRED: { shape: 'missing', tone: 'muted' },
};

const columns = (): Column<SigningKeyRowFragment>[] => [
  { name: t('key.id'), cell: ({ id }) => <span className="code">{id}</span> },
  { name: t('key.state'), cell: ({ state }) => <StateLabel {...LOOKS[state]}>{t(`key.${state}`)}</StateLabel> },
  { name: t('key.means'), cell: ({ state }) => <span className="soft">{t(`key.${state}.means`)}</span> },
  { name: t('key.algorithm'), cell: ({ algorithm }) => algorithm },
  { name: t('key.since'), number: true, cell: ({ since }) => <Time at={since} /> },
];

function Rotate({ current, close }: { readonly current: string; readonly close: () => void }) {
  const verb = useAction(RotateSigningKeyDocument);
  const client = useApolloClient();
  // Whoever asks at the same time rotates once: the key that was seen is the key that is retired.
  const [expectedCurrent] = useState(current);
  const run = async () => {
    if ((await verb.run({ expectedCurrent })) === undefined) return;
    toast(t('key.rotated'));
    close();
    await client.refetchQueries({ include: [SigningKeysDocument] });
  };
  return (
    <ConfirmDialog
      title={t('key.rotate.title')}
      lead={t('key.rotate.lead')}
      verb={t('key.rotate.verb')}
      act={verb}
      run={run}
      close={close}
    >
      <p className="soft">{t('key.rotate.all')}</p>
    </ConfirmDialog>
  );
}

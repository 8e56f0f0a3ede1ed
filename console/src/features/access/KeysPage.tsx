import { useState } from 'react';
import {
  RotateSigningKeyDocument,
  type SigningKeyRowFragment,
  SigningKeysDocument,
} from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { ConfirmAction } from '../../parts/dialogs.tsx';
import type { Column } from '../../ui/DataTable.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { type Looks, StateLabel } from '../../ui/StateLabel.tsx';
import { Time } from '../../ui/Time.tsx';
import { AccessLayout } from './AccessLayout.tsx';
import { t } from './labels.ts';

/** Keys that sign tokens: the next, the current and the retired ones. */
export function KeysPage() {
  const [rotating, rotate] = useState(false);
  return (
    <AccessLayout tab="keys" actions={[{ id: 'key.rotate', title: t('key.rotate'), run: () => rotate(true) }]}>
      <SigningKeys rotating={rotating} close={() => rotate(false)} />
    </AccessLayout>
  );
}

function SigningKeys({ rotating, close }: { readonly rotating: boolean; readonly close: () => void }) {
  const keys = useLiveQuery(SigningKeysDocument, {}, ['SigningKey']);
  const current = keys.data?.signingKeys.find(({ state }) => state === 'CURRENT');
  return (
    <>
      <ListResult
        of={keys}
        rows={({ signingKeys }) => signingKeys}
        fault={t('keys.fault')}
        empty={t('keys.empty')}
        skeleton={3}
        label={t('tab.keys')}
        columns={columns()}
        labelled
      />
      {rotating && current !== undefined && <Rotate current={current.id} close={close} />}
    </>
  );
}

const LOOKS: Looks<SigningKeyRowFragment['state']> = {
  NEXT: 'queued-waiting',
  CURRENT: 'verified',
  RETIRED: 'missing',
};

const columns = (): Column<SigningKeyRowFragment>[] => [
  { name: t('key.id'), cell: ({ id }) => <span className="code">{id}</span> },
  { name: t('key.state'), cell: ({ state }) => <StateLabel look={LOOKS[state]}>{t(`key.${state}`)}</StateLabel> },
  { name: t('key.means'), className: 'soft', cell: ({ state }) => t(`key.${state}.means`) },
  { name: t('key.algorithm'), cell: ({ algorithm }) => algorithm },
  { name: t('key.since'), number: true, cell: ({ since }) => <Time at={since} /> },
];

function Rotate({ current, close }: { readonly current: string; readonly close: () => void }) {
  // Two administrators at the same time rotate once: the key that was seen is the key that is retired.
  const [expectedCurrent] = useState(current);
  return (
    <ConfirmAction
      document={RotateSigningKeyDocument}
      input={{ expectedCurrent }}
      title={t('key.rotate.title')}
      lead={t('key.rotate.lead')}
      verb={t('key.rotate.verb')}
      done={t('key.rotated')}
      refetch={[SigningKeysDocument]}
      close={close}
    >
      <p className="soft">{t('key.rotate.all')}</p>
    </ConfirmAction>
  );
}

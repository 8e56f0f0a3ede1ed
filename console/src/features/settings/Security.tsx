import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import {
  AddPasskeyDocument,
  BeginPasskeyDocument,
  RemovePasskeyDocument,
  SecurityDocument,
  type SecurityQuery,
} from '../../generated/operations.ts';
import { readFields } from '../../lib/form-fields.ts';
import { useAction, useLiveQuery } from '../../lib/graph-hooks.ts';
import type { Problem } from '../../lib/problem.ts';
import { actionsColumn, RowAction } from '../../parts/RowAction.tsx';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { DataTable } from '../../ui/DataTable.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form, TextField } from '../../ui/Form.tsx';
import { FormFooter } from '../../ui/FormFooter.tsx';
import { QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { RelativeTime } from '../../ui/Time.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';
import { canRegisterPasskey, createPasskey } from './passkey.ts';

type Passkey = SecurityQuery['me']['passkeys'][number];

/** Sign-in methods of the user. Password and second factor are on the authority's own page. */
export function Security() {
  const security = useLiveQuery(SecurityDocument, {}, ['Passkey', 'User']);
  const [adding, add] = useState(false);
  return (
    <Section title={t('security.title')}>
      <QueryResult of={security} skeleton={<SkeletonRows rows={2} />} fault={t('security.fault')}>
        {({ me: { passkeys, accountUrl } }) => (
          <div className="stack" style={{ paddingBlock: 12 }}>
            <p className="row" style={{ flexWrap: 'wrap' }}>
              <a className={buttonClass()} href={accountUrl}>
                {t('security.account')}
              </a>
              {canRegisterPasskey(accountUrl, location, isSecureContext) && (
                <Button onClick={() => add(true)}>{t('passkey.add')}</Button>
              )}
            </p>
            <p className="small quiet">{t('security.account.hint')}</p>
            <Passkeys passkeys={passkeys} />
          </div>
        )}
      </QueryResult>
      {adding && <AddPasskey close={() => add(false)} />}
    </Section>
  );
}

const Passkeys = ({ passkeys }: { readonly passkeys: readonly Passkey[] }) => (
  <DataTable
    label={t('passkeys.title')}
    labelled
    empty={t('passkeys.empty')}
    rows={passkeys}
    columns={[
      { name: t('passkeys.title'), cell: ({ name }) => name },
      { name: t('passkey.storage'), cell: ({ backedUp }) => t(backedUp ? 'passkey.synced' : 'passkey.device') },
      {
        name: t('passkey.used'),
        cell: ({ lastUsedAt }) =>
          lastUsedAt === null ? t('passkey.unused') : <RelativeTime at={lastUsedAt} as="relative" />,
      },
      actionsColumn((passkey: Passkey) => <RemovePasskey {...passkey} />),
    ]}
  />
);

function AddPasskey({ close }: { readonly close: () => void }) {
  const begin = useAction(BeginPasskeyDocument);
  const finish = useAction(AddPasskeyDocument);
  const client = useApolloClient();
  const [problem, setProblem] = useState<Problem>();
  const submit = async (data: FormData) => {
    setProblem(undefined);
    const started = await begin.run({ name: readFields(data).text('name') });
    if (started === undefined) return;
    const { options, ticket } = started.beginPasskey;
    const response = await createPasskey(options);
    if (typeof response !== 'string') return setProblem(response);
    const finished = await finish.run({ ticket, response });
    if (finished === undefined) return;
    toast(t('passkey.added', { name: finished.addPasskey.name }));
    close();
    await client.refetchQueries({ include: [SecurityDocument] });
  };
  const visible = problem ?? begin.problem ?? finish.problem;
  return (
    <Dialog title={t('passkey.add')} close={close}>
      <Form problems={visible?.fields} submit={submit}>
        <p className="soft">{t('passkey.lead')}</p>
        <TextField name="name" label={t('passkey.name')} hint={t('passkey.name.hint')} maxLength={64} autoFocus />
        <FormFooter
          state={{ busy: begin.busy || finish.busy, problem: visible }}
          verb={t('passkey.verb')}
          close={close}
        />
      </Form>
    </Dialog>
  );
}

const RemovePasskey = ({ id, name }: Passkey) => (
  <RowAction
    label={t('component.remove', { name })}
    document={RemovePasskeyDocument}
    input={{ id }}
    title={t('passkey.remove', { name })}
    lead={t('passkey.remove.lead')}
    verb={t('passkey.remove.verb')}
    done={t('passkey.removed', { name })}
    refetch={[SecurityDocument]}
  >
    {t('target.remove')}
  </RowAction>
);

import { type ReactNode, useState } from 'react';
import {
  type ClientFactsFragment,
  ClientsDocument,
  CreateClientDocument,
  UpdateClientDocument,
} from '../../generated/operations.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { ClientFields } from './ClientFields.tsx';
import { ClientSecret } from './ClientSecret.tsx';
import { clientInput, initialChoices, mergeLineProblems } from './client-input.ts';
import { t } from './labels.ts';

/** Registers a client. Its secret is shown here and nowhere else. */
export function RegisterClient({ close }: { readonly close: () => void }): ReactNode {
  const [selected, choose] = useState(() => initialChoices(undefined));
  const [hasSecret, setSecret] = useState(false);
  return (
    <FormDialog
      document={CreateClientDocument}
      problems={mergeLineProblems}
      input={(_fields, data) => {
        const { plan, ...rest } = clientInput(data, selected);
        // A new client without a plan of its own has the tenant's.
        return plan ? { ...rest, plan } : rest;
      }}
      result={({ createClient: { client, secret } }) => {
        setSecret(secret !== null);
        return <ClientSecret id={client.id} secret={secret} close={close} />;
      }}
      guarded={hasSecret}
      refetch={[ClientsDocument]}
      title={t('client.register')}
      verb={t('client.register.verb')}
      wide
      close={close}
    >
      <p className="soft">{t('client.register.lead')}</p>
      <ClientFields client={undefined} chosen={selected} choose={choose} />
    </FormDialog>
  );
}

export function EditClient({ client, close }: { readonly client: ClientFactsFragment; readonly close: () => void }) {
  // The version that the form was opened with, so that a change made meanwhile is a conflict.
  const [initialClient] = useState(client);
  const [selected, choose] = useState(() => initialChoices(initialClient));
  return (
    <FormDialog
      document={UpdateClientDocument}
      problems={mergeLineProblems}
      input={(_fields, data) => ({
        ...clientInput(data, selected),
        id: initialClient.id,
        expectedVersion: initialClient.version,
      })}
      done={({ updateClient: { name } }) => t('client.saved', { name })}
      title={t('edit.title', { name: initialClient.name })}
      verb={t('save')}
      wide
      close={close}
    >
      <p className="soft">{t('client.edit.lead')}</p>
      <ClientFields client={initialClient} chosen={selected} choose={choose} />
    </FormDialog>
  );
}

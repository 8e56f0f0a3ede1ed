import { useApolloClient } from '@apollo/client/react';
import { type ReactNode, useState } from 'react';
import {
  type ClientFactsFragment,
  ClientsDocument,
  CreateClientDocument,
  type CreateClientInput,
  UpdateClientDocument,
} from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import type { Problem } from '../../lib/problem.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { toast } from '../../ui/Toast.tsx';
import { ClientFields } from './ClientFields.tsx';
import { ClientSecret } from './ClientSecret.tsx';
import { clientInput, initialChoices, mergeLineProblems } from './client-input.ts';
import { t } from './labels.ts';

/** Registers a program. Its secret is on this page and nowhere else. */
export function RegisterClient({ close }: { readonly close: () => void }) {
  const verb = useAction(CreateClientDocument);
  const client = useApolloClient();
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string | null }>();
  const submit = async (input: CreateClientInput) => {
    const { plan, ...rest } = input;
    // A new client without a plan of its own has the tenant's.
    const done = await verb.run(plan ? input : rest);
    if (done === undefined) return;
    const { client: created, secret } = done.createClient;
    setMade({ id: created.id, secret });
    await client.refetchQueries({ include: [ClientsDocument] });
  };
  return (
    <Dialog title={t('client.register')} close={close} wide guarded={made !== undefined && made.secret !== null}>
      {made === undefined ? (
        <ClientForm verb={t('client.register.verb')} act={verb} submit={submit} close={close}>
          <p className="soft">{t('client.register.lead')}</p>
        </ClientForm>
      ) : (
        <ClientSecret {...made} close={close} />
      )}
    </Dialog>
  );
}

/** Changes what is registered of a client. */
export function EditClient({ client, close }: { readonly client: ClientFactsFragment; readonly close: () => void }) {
  const verb = useAction(UpdateClientDocument);
  // The version that was seen when the writing began.
  const [seen] = useState(client);
  const submit = async (input: CreateClientInput) => {
    if ((await verb.run({ ...input, id: seen.id, expectedVersion: seen.version })) === undefined) return;
    toast(t('client.saved', { name: input.name }));
    close();
  };
  return (
    <Dialog title={t('edit.title', { name: seen.name })} close={close} wide>
      <ClientForm verb={t('save')} act={verb} client={seen} submit={submit} close={close}>
        <p className="soft">{t('client.edit.lead')}</p>
      </ClientForm>
    </Dialog>
  );
}

function ClientForm({
  verb,
  act: { busy, problem },
  client,
  submit,
  close,
  children,
}: {
  readonly verb: string;
  readonly act: { readonly busy: boolean; readonly problem: Problem | undefined };
  readonly client?: ClientFactsFragment;
  readonly submit: (input: CreateClientInput) => Promise<void>;
  readonly close: () => void;
  readonly children: ReactNode;
}) {
  const [chosen, choose] = useState(() => initialChoices(client));
  return (
    <Form problems={mergeLineProblems(problem?.fields ?? [])} submit={(data) => submit(clientInput(data, chosen))}>
      {children}
      <ClientFields client={client} chosen={chosen} choose={choose} />
      <FormFoot act={{ busy, problem }} verb={verb} close={close} />
    </Form>
  );
}

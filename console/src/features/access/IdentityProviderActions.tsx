import { useApolloClient } from '@apollo/client/react';
import { type ReactNode, useState } from 'react';
import {
  CreateIdentityProviderDocument,
  DeleteIdentityProviderDocument,
  type IdentityProviderFactsFragment,
  IdentityProvidersDocument,
  UpdateIdentityProviderDocument,
} from '../../generated/operations.ts';
import { readFields } from '../../lib/form-fields.ts';
import { useAction } from '../../lib/graph.ts';
import type { Problem } from '../../lib/problem.ts';
import { Banner } from '../../ui/Banner.tsx';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogFoot } from '../../ui/DialogFoot.tsx';
import { Checkbox, Form, TextField } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { copy, toast } from '../../ui/Toast.tsx';
import { mergeLineProblems } from './client-input.ts';
import { t } from './labels.ts';

export type ProviderAction = 'edit' | 'disable' | 'enable' | 'delete';

type Asked = { readonly provider: IdentityProviderFactsFragment; readonly close: () => void };

/** What is done to a provider, asked about first. */
export function ProviderDialog({ name, ...asked }: Asked & { readonly name: ProviderAction }) {
  switch (name) {
    case 'edit':
      return <Edit {...asked} />;
    case 'disable':
    case 'enable':
      return <Switch {...asked} />;
    case 'delete':
      return <Delete {...asked} />;
  }
}

/** Trusts a provider. The server reads its discovery document before it says yes. */
export function CreateIdentityProvider({ close }: { readonly close: () => void }) {
  const verb = useAction(CreateIdentityProviderDocument);
  const client = useApolloClient();
  const [createsUsers, create] = useState(false);
  const [made, setMade] = useState<IdentityProviderFactsFragment>();
  const submit = async (data: FormData) => {
    const { text, maybe } = readFields(data);
    const done = await verb.run({
      ...trusted(data, createsUsers),
      issuer: text('issuer'),
      clientSecret: text('clientSecret'),
      groupsClaim: maybe('groupsClaim'),
    });
    if (done === undefined) return;
    setMade(done.createIdentityProvider);
    await client.refetchQueries({ include: [IdentityProvidersDocument] });
  };
  return (
    <Dialog title={t('idp.create')} close={close} wide>
      {made !== undefined && <Made provider={made} close={close} />}
      {made === undefined && (
        <ProviderForm
          verb={t('idp.create.verb')}
          act={verb}
          createsUsers={createsUsers}
          create={create}
          submit={submit}
          close={close}
        >
          <p className="soft">{t('idp.create.lead')}</p>
          <TextField
            name="issuer"
            label={t('idp.issuer')}
            hint={t('idp.issuer.hint')}
            placeholder={t('idp.issuer.example')}
            maxLength={2000}
            autoFocus
          />
        </ProviderForm>
      )}
    </Dialog>
  );
}

/** What is left to do at the provider. */
function Made({ provider: { name, redirectUri }, close }: Asked) {
  return (
    <div className="stack">
      <Banner tone="attention" title={t('idp.created', { name })} />
      <CodeBlock label={t('idp.redirect')} text={redirectUri} wrap />
      <DialogFoot>
        <Button onClick={() => copy(redirectUri, t('idp.redirect.copied'))}>{t('idp.redirect.copy')}</Button>
        <Button weight="primary" onClick={close}>
          {t('close')}
        </Button>
      </DialogFoot>
    </div>
  );
}

function Edit({ provider, close }: Asked) {
  const verb = useAction(UpdateIdentityProviderDocument);
  // The version that was seen when the writing began.
  const [seen] = useState(provider);
  const [createsUsers, create] = useState(seen.createsUsers);
  const submit = async (data: FormData) => {
    const { text, maybe } = readFields(data);
    const secret = text('clientSecret');
    const done = await verb.run({
      ...trusted(data, createsUsers),
      ...(secret !== '' && { clientSecret: secret }),
      groupsClaim: maybe('groupsClaim'),
      id: seen.id,
      expectedVersion: seen.version,
    });
    if (done === undefined) return;
    toast(t('idp.saved', { name: done.updateIdentityProvider.name }));
    close();
  };
  return (
    <Dialog title={t('edit.title', { name: seen.name })} close={close} wide>
      <ProviderForm
        verb={t('save')}
        act={verb}
        provider={seen}
        createsUsers={createsUsers}
        create={create}
        submit={submit}
        close={close}
      />
    </Dialog>
  );
}

/** What both forms say. */
function trusted(data: FormData, createsUsers: boolean) {
  const { text } = readFields(data);
  const words = (name: string) =>
    text(name)
      .split(/[\s,]+/)
      .filter(Boolean);
  const scopes = words('scopes');
  return {
    name: text('name'),
    clientId: text('clientId'),
    domains: words('domains'),
    ...(scopes.length > 0 && { scopes }),
    createsUsers,
  };
}

function ProviderForm({
  verb,
  act: { busy, problem },
  provider,
  createsUsers,
  create,
  submit,
  close,
  children,
}: {
  readonly verb: string;
  readonly act: { readonly busy: boolean; readonly problem: Problem | undefined };
  readonly provider?: IdentityProviderFactsFragment;
  readonly createsUsers: boolean;
  readonly create: (createsUsers: boolean) => void;
  readonly submit: (data: FormData) => Promise<void>;
  readonly close: () => void;
  readonly children?: ReactNode;
}) {
  const fields = [
    { name: 'name', hint: t('idp.name.hint'), was: provider?.name },
    { name: 'clientId', hint: t('idp.client.hint'), was: provider?.clientId },
  ] as const;
  return (
    <Form problems={mergeLineProblems(problem?.fields ?? [])} keeps={false} submit={submit}>
      {children}
      {fields.map(({ name, hint, was }) => (
        <TextField
          key={name}
          name={name}
          label={t(`idp.field.${name}`)}
          hint={hint}
          defaultValue={was ?? ''}
          maxLength={512}
        />
      ))}
      <TextField
        name="clientSecret"
        label={t('idp.secret')}
        hint={t(provider === undefined ? 'sealed' : 'idp.secret.kept')}
        type="password"
        maxLength={4096}
      />
      <TextField
        name="domains"
        label={t('idp.domains')}
        hint={t('idp.domains.hint')}
        defaultValue={provider?.domains.join(', ') ?? ''}
        maxLength={2000}
      />
      <TextField
        name="scopes"
        label={t('scopes')}
        hint={t('idp.scopes.hint')}
        defaultValue={provider?.scopes.join(' ') ?? ''}
        maxLength={1000}
      />
      <TextField
        name="groupsClaim"
        label={t('idp.groups')}
        hint={t('idp.groups.hint')}
        defaultValue={provider?.groupsClaim ?? ''}
        maxLength={128}
      />
      <Checkbox label={t('idp.strangers.let')} checked={createsUsers} onValue={create} />
      <FormFoot act={{ busy, problem }} verb={verb} close={close} />
    </Form>
  );
}

/** Trusts a provider no more for now, or again. */
function Switch({ provider: { id, name, version, active }, close }: Asked) {
  const verb = useAction(UpdateIdentityProviderDocument);
  const what = active ? 'disable' : 'enable';
  const run = async () => {
    if ((await verb.run({ id, expectedVersion: version, active: !active })) === undefined) return;
    toast(t(`idp.${what}.done`, { name }));
    close();
  };
  return (
    <ConfirmDialog
      title={t(`idp.${what}.of`, { name })}
      lead={t(`idp.${what}.lead`)}
      verb={t(`idp.${what}.verb`)}
      act={verb}
      run={run}
      close={close}
    />
  );
}

function Delete({ provider: { id, name, version }, close }: Asked) {
  const verb = useAction(DeleteIdentityProviderDocument);
  const client = useApolloClient();
  const run = async () => {
    if ((await verb.run({ id, expectedVersion: version })) === undefined) return;
    toast(t('idp.delete.done', { name }));
    close();
    await client.refetchQueries({ include: [IdentityProvidersDocument] });
  };
  return (
    <ConfirmDialog
      title={t('idp.delete.of', { name })}
      lead={t('idp.delete.lead')}
      verb={t('idp.delete.verb')}
      act={verb}
      run={run}
      close={close}
    />
  );
}

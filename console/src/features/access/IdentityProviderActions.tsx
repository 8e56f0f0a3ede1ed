import { useState } from 'react';
import {
  CreateIdentityProviderDocument,
  DeleteIdentityProviderDocument,
  type IdentityProviderFactsFragment,
  IdentityProvidersDocument,
  UpdateIdentityProviderDocument,
} from '../../generated/operations.ts';
import type { FormFields } from '../../lib/form-fields.ts';
import { CopyOnce } from '../../parts/CopyOnce.tsx';
import { ConfirmAction, FormDialog } from '../../parts/dialogs.tsx';
import { Checkbox, TextField } from '../../ui/Form.tsx';
import { mergeLineProblems } from './client-input.ts';
import { field, t } from './labels.ts';

export type ProviderAction = 'edit' | 'disable' | 'enable' | 'delete';

type Props = { readonly provider: IdentityProviderFactsFragment; readonly close: () => void };

export function ProviderDialog({ name: action, ...props }: Props & { readonly name: ProviderAction }) {
  const { provider, close } = props;
  const { id, name, version, active } = provider;
  if (action === 'edit') return <Edit {...props} />;
  const labels = {
    title: t(`idp.${action}.of`, { name }),
    lead: t(`idp.${action}.lead`),
    verb: t(`idp.${action}.verb`),
    done: t(`idp.${action}.done`, { name }),
    close,
  };
  return action === 'delete' ? (
    <ConfirmAction
      document={DeleteIdentityProviderDocument}
      input={{ id, expectedVersion: version }}
      refetch={[IdentityProvidersDocument]}
      {...labels}
    />
  ) : (
    <ConfirmAction
      document={UpdateIdentityProviderDocument}
      input={{ id, expectedVersion: version, active: !active }}
      {...labels}
    />
  );
}

/** Adds a provider. The server reads its discovery document before it accepts it. */
export function CreateIdentityProvider({ close }: { readonly close: () => void }) {
  const [createsUsers, create] = useState(false);
  return (
    <FormDialog
      document={CreateIdentityProviderDocument}
      problems={mergeLineProblems}
      keeps={false}
      input={(fields) => ({
        ...settingsOf(fields, createsUsers),
        issuer: fields.text('issuer'),
        clientSecret: fields.text('clientSecret'),
      })}
      result={({ createIdentityProvider }) => <NextSteps provider={createIdentityProvider} close={close} />}
      guarded={false}
      refetch={[IdentityProvidersDocument]}
      title={t('idp.create')}
      verb={t('idp.create.verb')}
      wide
      close={close}
    >
      <p className="soft">{t('idp.create.lead')}</p>
      <TextField {...field('issuer', 'idp.issuer')} maxLength={2000} autoFocus />
      <ProviderFields createsUsers={createsUsers} create={create} />
    </FormDialog>
  );
}

/** Steps that are left to do at the provider. */
function NextSteps({ provider: { name, redirectUri }, close }: Props) {
  return (
    <CopyOnce
      title={t('idp.created', { name })}
      values={[
        {
          label: t('idp.redirect'),
          text: redirectUri,
          copy: t('idp.redirect.copy'),
          copied: t('idp.redirect.copied'),
        },
      ]}
      close={close}
    />
  );
}

function Edit({ provider, close }: Props) {
  // The version that the form was opened with, so that a change made meanwhile is a conflict.
  const [initialProvider] = useState(provider);
  const [createsUsers, create] = useState(initialProvider.createsUsers);
  return (
    <FormDialog
      document={UpdateIdentityProviderDocument}
      problems={mergeLineProblems}
      keeps={false}
      input={(fields) => ({
        ...settingsOf(fields, createsUsers),
        ...(fields.text('clientSecret') !== '' && { clientSecret: fields.text('clientSecret') }),
        id: initialProvider.id,
        expectedVersion: initialProvider.version,
      })}
      done={({ updateIdentityProvider: { name } }) => t('idp.saved', { name })}
      title={t('edit.title', { name: initialProvider.name })}
      verb={t('save')}
      wide
      close={close}
    >
      <ProviderFields provider={initialProvider} createsUsers={createsUsers} create={create} />
    </FormDialog>
  );
}

/** Settings that a new provider and a changed one share. */
const settingsOf = ({ text, maybe, list }: FormFields, createsUsers: boolean) => ({
  name: text('name'),
  clientId: text('clientId'),
  domains: list('domains'),
  ...(list('scopes').length > 0 && { scopes: list('scopes') }),
  createsUsers,
  groupsClaim: maybe('groupsClaim'),
});

type ProviderFieldsProps = {
  readonly provider?: IdentityProviderFactsFragment;
  readonly createsUsers: boolean;
  readonly create: (createsUsers: boolean) => void;
};

function ProviderFields({ provider, createsUsers, create }: ProviderFieldsProps) {
  return (
    <>
      <TextField {...field('name', 'idp.field.name')} defaultValue={provider?.name ?? ''} maxLength={512} />
      <TextField {...field('clientId', 'idp.field.clientId')} defaultValue={provider?.clientId ?? ''} maxLength={512} />
      <TextField
        {...field('clientSecret', 'idp.secret')}
        hint={t(provider === undefined ? 'sealed' : 'idp.secret.kept')}
        type="password"
        maxLength={4096}
      />
      <TextField
        {...field('domains', 'idp.domains')}
        defaultValue={provider?.domains.join(', ') ?? ''}
        maxLength={2000}
      />
      <TextField {...field('scopes', 'scopes')} defaultValue={provider?.scopes.join(' ') ?? ''} maxLength={1000} />
      <TextField {...field('groupsClaim', 'idp.groups')} defaultValue={provider?.groupsClaim ?? ''} maxLength={128} />
      <Checkbox label={t('idp.newPeople.create')} checked={createsUsers} onValue={create} />
    </>
  );
}

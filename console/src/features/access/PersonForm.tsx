import { useState } from 'react';
import {
  AccessVocabularyDocument,
  CreateUserDocument,
  InviteUserDocument,
  PeopleDocument,
  type PersonFactsFragment,
  UpdateUserDocument,
} from '../../generated/operations.ts';
import type { FormFields } from '../../lib/form-fields.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { CheckboxGroup } from '../../ui/CheckboxGroup.tsx';
import { TextField } from '../../ui/Form.tsx';
import { field, t } from './labels.ts';
import { OneTimeSecret } from './OneTimeSecret.tsx';

type Roles = readonly string[];

const personInput = ({ text, maybe }: FormFields, roles: Roles) => ({
  username: text('username'),
  displayName: text('displayName'),
  email: maybe('email'),
  roles: [...roles],
});

/** Dialog that invites a person, who chooses a password by a link. The link is shown once. */
export function InvitePerson({ close }: { readonly close: () => void }) {
  const [roles, choose] = useState<Roles>(['viewer']);
  return (
    <FormDialog
      document={InviteUserDocument}
      input={(fields) => personInput(fields, roles)}
      result={({ inviteUser: { link, expiresAt } }) => (
        <OneTimeSecret what="link" text={link} expiresAt={expiresAt} close={close}>
          <p className="soft">{t('invite.warning')}</p>
        </OneTimeSecret>
      )}
      refetch={[PeopleDocument]}
      title={t('person.invite')}
      verb={t('invite.verb')}
      wide
      close={close}
    >
      <p className="soft">{t('invite.lead')}</p>
      <Username />
      <PersonFields roles={roles} choose={choose} />
    </FormDialog>
  );
}

/** Creates a person with a password that the administrator chooses. */
export function CreatePerson({ close }: { readonly close: () => void }) {
  const [roles, choose] = useState<Roles>(['viewer']);
  return (
    <FormDialog
      document={CreateUserDocument}
      // A password may begin or end with spaces.
      input={(fields) => ({ ...personInput(fields, roles), password: fields.raw('password') })}
      done={({ createUser: { displayName } }) => t('person.created', { name: displayName })}
      refetch={[PeopleDocument]}
      keeps={false}
      title={t('person.create')}
      verb={t('create.verb')}
      wide
      close={close}
    >
      <p className="soft">{t('person.create.lead')}</p>
      <Username />
      <TextField {...field('password', 'person.password')} type="password" maxLength={256} />
      <PersonFields roles={roles} choose={choose} />
    </FormDialog>
  );
}

export function EditPerson({ person, close }: { readonly person: PersonFactsFragment; readonly close: () => void }) {
  // The version that the form was opened with, so that a change made meanwhile is a conflict.
  const [{ id, version, displayName, email, roles: before }] = useState(person);
  const [roles, choose] = useState<Roles>(before ?? []);
  return (
    <FormDialog
      document={UpdateUserDocument}
      // An empty address removes the stored one.
      input={({ text }) => ({
        id,
        expectedVersion: version,
        displayName: text('displayName'),
        email: text('email'),
        roles: [...roles],
      })}
      done={({ updateUser }) => t('person.saved', { name: updateUser.displayName })}
      title={t('edit.title', { name: displayName })}
      verb={t('save')}
      wide
      close={close}
    >
      <p className="soft">{t('person.edit.lead')}</p>
      <PersonFields person={{ displayName, email }} roles={roles} choose={choose} />
    </FormDialog>
  );
}

const Username = () => <TextField {...field('username', 'person.username')} maxLength={64} autoFocus />;

type RolesProps = { readonly roles: Roles; readonly choose: (roles: Roles) => void };

type PersonFieldsProps = RolesProps & {
  readonly person?: { readonly displayName: string; readonly email: string | null };
};

function PersonFields({ person, ...roles }: PersonFieldsProps) {
  return (
    <>
      <TextField
        {...field('displayName', 'person.name')}
        defaultValue={person?.displayName ?? ''}
        maxLength={200}
        autoFocus={person !== undefined}
      />
      <TextField {...field('email', 'person.email')} type="email" defaultValue={person?.email ?? ''} maxLength={254} />
      <RoleChoices {...roles} />
    </>
  );
}

export function RoleChoices({ roles, choose }: RolesProps) {
  const { data } = useLiveQuery(AccessVocabularyDocument, {});
  const known = data?.accessVocabulary.roles ?? [];
  const scopes = new Set(known.filter(({ role }) => roles.includes(role)).flatMap((one) => one.scopes));
  return (
    <CheckboxGroup
      name="roles"
      legend={t('roles')}
      hint={t('roles.hint', { n: scopes.size })}
      options={known.map(({ role }) => ({ value: role, label: role }))}
      chosen={roles}
      choose={choose}
    />
  );
}

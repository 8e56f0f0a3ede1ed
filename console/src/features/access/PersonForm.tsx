import { useApolloClient } from '@apollo/client/react';
import { type ReactNode, useState } from 'react';
import {
  AccessWordsDocument,
  CreateUserDocument,
  InviteUserDocument,
  PeopleDocument,
  type PersonFactsFragment,
  UpdateUserDocument,
} from '../../generated/operations.ts';
import { readFields } from '../../lib/form-fields.ts';
import { useAction, useLiveQuery } from '../../lib/graph.ts';
import type { Problem } from '../../lib/problem.ts';
import { CheckboxGroup } from '../../ui/CheckboxGroup.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form, TextField } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';
import { OneTimeSecret } from './OneTimeSecret.tsx';

/** A link that was told once. */
type Told = { readonly link: string; readonly expiresAt: string };

/** Lets somebody in who chooses a password by a link. The link is on this page and nowhere else. */
export function InvitePerson({ close }: { readonly close: () => void }) {
  const verb = useAction(InviteUserDocument);
  const client = useApolloClient();
  const [told, tell] = useState<Told>();
  const [roles, choose] = useState<readonly string[]>(['viewer']);
  const submit = async (data: FormData) => {
    const { text, maybe } = readFields(data);
    const done = await verb.run({
      username: text('username'),
      displayName: text('displayName'),
      email: maybe('email'),
      roles: [...roles],
    });
    if (done === undefined) return;
    tell(done.inviteUser);
    await client.refetchQueries({ include: [PeopleDocument] });
  };
  return (
    <Dialog title={t('person.invite')} close={close} wide guarded={told !== undefined}>
      {told === undefined ? (
        <PersonForm verb={t('invite.verb')} act={verb} roles={roles} choose={choose} submit={submit} close={close}>
          <p className="soft">{t('invite.lead')}</p>
          <Username />
        </PersonForm>
      ) : (
        <OneTimeSecret what="link" text={told.link} expiresAt={told.expiresAt} close={close}>
          <p className="soft">{t('invite.told')}</p>
        </OneTimeSecret>
      )}
    </Dialog>
  );
}

/** Lets somebody in with a password that the administrator chooses. */
export function CreatePerson({ close }: { readonly close: () => void }) {
  const verb = useAction(CreateUserDocument);
  const client = useApolloClient();
  const [roles, choose] = useState<readonly string[]>(['viewer']);
  const submit = async (data: FormData) => {
    const { text, maybe } = readFields(data);
    const done = await verb.run({
      username: text('username'),
      displayName: text('displayName'),
      email: maybe('email'),
      // A password keeps its spaces.
      password: String(data.get('password')),
      roles: [...roles],
    });
    if (done === undefined) return;
    toast(t('person.created', { name: done.createUser.displayName }));
    close();
    await client.refetchQueries({ include: [PeopleDocument] });
  };
  return (
    <Dialog title={t('person.create')} close={close} wide>
      <PersonForm
        verb={t('create.verb')}
        act={verb}
        roles={roles}
        choose={choose}
        submit={submit}
        close={close}
        keeps={false}
      >
        <p className="soft">{t('person.create.lead')}</p>
        <Username />
        <TextField
          name="password"
          label={t('person.password')}
          hint={t('person.password.hint')}
          type="password"
          maxLength={256}
        />
      </PersonForm>
    </Dialog>
  );
}

/** Changes what is known of a person, and the roles that are their own. */
export function EditPerson({ person, close }: { readonly person: PersonFactsFragment; readonly close: () => void }) {
  const verb = useAction(UpdateUserDocument);
  // The version that was seen when the writing began.
  const [{ id, version, displayName, email, roles: before }] = useState(person);
  const [roles, choose] = useState<readonly string[]>(before ?? []);
  const submit = async (data: FormData) => {
    const { text } = readFields(data);
    // An empty address takes away the one there was.
    const input = { displayName: text('displayName'), email: text('email'), roles: [...roles] };
    if ((await verb.run({ id, expectedVersion: version, ...input })) === undefined) return;
    toast(t('person.saved', { name: input.displayName }));
    close();
  };
  return (
    <Dialog title={t('edit.title', { name: displayName })} close={close} wide>
      <PersonForm
        verb={t('save')}
        act={verb}
        person={{ displayName, email }}
        roles={roles}
        choose={choose}
        submit={submit}
        close={close}
      >
        <p className="soft">{t('person.edit.lead')}</p>
      </PersonForm>
    </Dialog>
  );
}

const Username = () => (
  <TextField name="username" label={t('person.username')} hint={t('person.username.hint')} maxLength={64} autoFocus />
);

function PersonForm({
  verb,
  act: { busy, problem },
  person,
  roles,
  choose,
  keeps = true,
  submit,
  close,
  children,
}: {
  readonly verb: string;
  readonly act: { readonly busy: boolean; readonly problem: Problem | undefined };
  readonly person?: { readonly displayName: string; readonly email: string | null };
  readonly roles: readonly string[];
  readonly choose: (roles: readonly string[]) => void;
  readonly keeps?: boolean;
  readonly submit: (data: FormData) => Promise<void>;
  readonly close: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Form problems={problem?.fields} keeps={keeps} submit={submit}>
      {children}
      <TextField
        name="displayName"
        label={t('person.name')}
        defaultValue={person?.displayName ?? ''}
        maxLength={200}
        {...(person === undefined ? {} : { autoFocus: true })}
      />
      <TextField
        name="email"
        label={t('person.email')}
        hint={t('person.email.hint')}
        type="email"
        defaultValue={person?.email ?? ''}
        maxLength={254}
      />
      <RoleChoices roles={roles} choose={choose} />
      <FormFoot act={{ busy, problem }} verb={verb} close={close} />
    </Form>
  );
}

/** The roles there are, as the server names them. */
export function RoleChoices({
  roles,
  choose,
}: {
  readonly roles: readonly string[];
  readonly choose: (roles: readonly string[]) => void;
}) {
  const { data } = useLiveQuery(AccessWordsDocument, {});
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

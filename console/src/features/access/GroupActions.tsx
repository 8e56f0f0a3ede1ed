import { useApolloClient } from '@apollo/client/react';
import { useState } from 'react';
import {
  CreateGroupDocument,
  DeleteGroupDocument,
  type GroupRowFragment,
  GroupsDocument,
  IdentityProvidersDocument,
  MapGroupRolesDocument,
  PeopleChoicesDocument,
} from '../../generated/operations.ts';
import { readFields } from '../../lib/form-fields.ts';
import { useAction, useLiveQuery } from '../../lib/graph.ts';
import { CheckboxGroup } from '../../ui/CheckboxGroup.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Form, TextField } from '../../ui/Form.tsx';
import { FormFoot } from '../../ui/FormFoot.tsx';
import { toast } from '../../ui/Toast.tsx';
import { t } from './labels.ts';
import { RoleChoices } from './PersonForm.tsx';

type Member = { readonly value: string; readonly label: string };

/** Makes a group by hand. */
export function CreateGroup({ close }: { readonly close: () => void }) {
  const verb = useAction(CreateGroupDocument);
  const client = useApolloClient();
  const [roles, choose] = useState<readonly string[]>([]);
  const [sources, setSources] = useState<readonly string[]>([]);
  const [members, setMembers] = useState<readonly Member[]>([]);
  const submit = async (data: FormData) => {
    const displayName = readFields(data).text('displayName');
    const input = { displayName, roles: [...roles], sources: [...sources], members: members.map(({ value }) => value) };
    if ((await verb.run(input)) === undefined) return;
    toast(t('group.created', { name: displayName }));
    close();
    await client.refetchQueries({ include: [GroupsDocument] });
  };
  return (
    <Dialog title={t('group.create')} close={close} wide>
      <Form problems={verb.problem?.fields} submit={submit}>
        <p className="soft">{t('group.create.lead')}</p>
        <TextField name="displayName" label={t('group.name')} hint={t('group.name.hint')} maxLength={128} autoFocus />
        <RoleChoices roles={roles} choose={choose} />
        <Sources sources={sources} choose={setSources} />
        <Members members={members} choose={setMembers} />
        <FormFoot act={verb} verb={t('group.create.verb')} close={close} />
      </Form>
    </Dialog>
  );
}

/** Sources that fill a group beside administrators: the directory, and providers by their groups claim. */
function Sources({
  sources,
  choose,
}: {
  readonly sources: readonly string[];
  readonly choose: (sources: readonly string[]) => void;
}) {
  const { data } = useLiveQuery(IdentityProvidersDocument, {});
  const providers = (data?.identityProviders ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const options = [{ value: 'scim', label: t('group.source.scim') }, ...providers];
  return (
    <CheckboxGroup name="sources" legend={t('group.sources')} options={options} chosen={sources} choose={choose} />
  );
}

/** People of the tenant, found by words; those who are chosen stay in sight. */
function Members({
  members,
  choose,
}: {
  readonly members: readonly Member[];
  readonly choose: (members: readonly Member[]) => void;
}) {
  const [words, write] = useState('');
  const text = words.trim();
  const { data } = useLiveQuery(PeopleChoicesDocument, { filter: { active: true, ...(text !== '' && { text }) } });
  const found = (data?.users.edges ?? []).map(({ node }) => ({
    value: node.id,
    label: `${node.displayName} (${node.username})`,
  }));
  const chosen = members.map(({ value }) => value);
  const options = [...members, ...found.filter(({ value }) => !chosen.includes(value))];
  return (
    <>
      <TextField name="find" label={t('group.find')} hint={t('group.find.hint')} value={words} onValue={write} />
      <CheckboxGroup
        name="members"
        legend={t('group.members')}
        options={options}
        chosen={chosen}
        choose={(next) => choose(options.filter(({ value }) => next.includes(value)))}
      />
    </>
  );
}

/** Says which roles a group brings. */
export function MapRoles({ group, close }: { readonly group: GroupRowFragment; readonly close: () => void }) {
  const verb = useAction(MapGroupRolesDocument);
  const [{ id, version, displayName: name, memberCount, roles: before, sources: fillers }] = useState(group);
  const [roles, choose] = useState<readonly string[]>(before);
  const [sources, setSources] = useState<readonly string[]>(fillers);
  const submit = async () => {
    const input = { id, expectedVersion: version, roles: [...roles], sources: [...sources] };
    if ((await verb.run(input)) === undefined) return;
    toast(t('group.mapped', { name }));
    close();
  };
  return (
    <Dialog title={t('group.map.title', { name })} close={close}>
      <Form problems={verb.problem?.fields} submit={submit}>
        <p className="soft">{t('group.map.lead', { n: memberCount })}</p>
        <RoleChoices roles={roles} choose={choose} />
        <Sources sources={sources} choose={setSources} />
        <FormFoot act={verb} verb={t('save')} close={close} />
      </Form>
    </Dialog>
  );
}

/** Removes a group: what its people had by it ends. */
export function DeleteGroup({ group, close }: { readonly group: GroupRowFragment; readonly close: () => void }) {
  const { id, version, displayName: name, memberCount } = group;
  const verb = useAction(DeleteGroupDocument);
  const client = useApolloClient();
  const run = async () => {
    if ((await verb.run({ id, expectedVersion: version })) === undefined) return;
    toast(t('group.deleted', { name }));
    close();
    await client.refetchQueries({ include: [GroupsDocument] });
  };
  return (
    <ConfirmDialog
      title={t('group.delete.title', { name })}
      lead={t('group.delete.lead', { n: memberCount })}
      verb={t('group.delete.verb')}
      act={verb}
      run={run}
      close={close}
    />
  );
}

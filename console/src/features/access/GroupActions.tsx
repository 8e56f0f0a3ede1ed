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
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { FormDialog } from '../../parts/dialogs.tsx';
import { RowAction } from '../../parts/RowAction.tsx';
import { CheckboxGroup } from '../../ui/CheckboxGroup.tsx';
import { TextField } from '../../ui/Form.tsx';
import { field, t } from './labels.ts';
import { RoleChoices } from './PersonForm.tsx';

type Member = { readonly value: string; readonly label: string };

export function CreateGroup({ close }: { readonly close: () => void }) {
  const [roles, choose] = useState<readonly string[]>([]);
  const [sources, setSources] = useState<readonly string[]>([]);
  const [members, setMembers] = useState<readonly Member[]>([]);
  return (
    <FormDialog
      document={CreateGroupDocument}
      input={({ text }) => ({
        displayName: text('displayName'),
        roles: [...roles],
        sources: [...sources],
        members: members.map(({ value }) => value),
      })}
      done={({ createGroup: { displayName } }) => t('group.created', { name: displayName })}
      refetch={[GroupsDocument]}
      title={t('group.create')}
      verb={t('group.create.verb')}
      wide
      close={close}
    >
      <p className="soft">{t('group.create.lead')}</p>
      <TextField {...field('displayName', 'group.name')} maxLength={128} autoFocus />
      <RoleChoices roles={roles} choose={choose} />
      <Sources sources={sources} choose={setSources} />
      <Members members={members} choose={setMembers} />
    </FormDialog>
  );
}

type SourcesProps = {
  readonly sources: readonly string[];
  readonly choose: (sources: readonly string[]) => void;
};

/** Sources that fill a group beside administrators: the directory, and providers by their groups claim. */
function Sources({ sources, choose }: SourcesProps) {
  const { data } = useLiveQuery(IdentityProvidersDocument, {});
  const providers = (data?.identityProviders ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const options = [{ value: 'scim', label: t('group.source.scim') }, ...providers];
  return (
    <CheckboxGroup name="sources" legend={t('group.sources')} options={options} chosen={sources} choose={choose} />
  );
}

type MembersProps = {
  readonly members: readonly Member[];
  readonly choose: (members: readonly Member[]) => void;
};

/** Picker of the tenant's people by part of a name; chosen people stay listed. */
function Members({ members, choose }: MembersProps) {
  const [typed, type] = useState('');
  const text = typed.trim();
  const { data } = useLiveQuery(PeopleChoicesDocument, { filter: { active: true, ...(text !== '' && { text }) } });
  const found = (data?.users.edges ?? []).map(({ node }) => ({
    value: node.id,
    label: `${node.displayName} (${node.username})`,
  }));
  const selected = members.map(({ value }) => value);
  const options = [...members, ...found.filter(({ value }) => !selected.includes(value))];
  return (
    <>
      <TextField {...field('find', 'group.find')} value={typed} onValue={type} />
      <CheckboxGroup
        name="members"
        legend={t('group.members')}
        options={options}
        chosen={selected}
        choose={(next) => choose(options.filter(({ value }) => next.includes(value)))}
      />
    </>
  );
}

type Props = { readonly group: GroupRowFragment; readonly close: () => void };

export function MapRoles({ group, close }: Props) {
  const [{ id, version, displayName: name, memberCount, roles: before, sources: groupSources }] = useState(group);
  const [roles, choose] = useState<readonly string[]>(before);
  const [sources, setSources] = useState<readonly string[]>(groupSources);
  return (
    <FormDialog
      document={MapGroupRolesDocument}
      input={() => ({ id, expectedVersion: version, roles: [...roles], sources: [...sources] })}
      done={t('group.mapped', { name })}
      title={t('group.map.title', { name })}
      verb={t('save')}
      close={close}
    >
      <p className="soft">{t('group.map.lead', { n: memberCount })}</p>
      <RoleChoices roles={roles} choose={choose} />
      <Sources sources={sources} choose={setSources} />
    </FormDialog>
  );
}

/** Button that deletes a group: the roles that its members had by it end. */
export function DeleteGroup({ id, version, displayName: name, memberCount }: GroupRowFragment) {
  return (
    <RowAction
      label={t('group.delete.title', { name })}
      document={DeleteGroupDocument}
      input={{ id, expectedVersion: version }}
      title={t('group.delete.title', { name })}
      lead={t('group.delete.lead', { n: memberCount })}
      verb={t('group.delete.verb')}
      done={t('group.deleted', { name })}
      refetch={[GroupsDocument]}
    >
      {t('group.delete')}
    </RowAction>
  );
}

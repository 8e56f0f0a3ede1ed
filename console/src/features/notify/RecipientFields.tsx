import { useState } from 'react';
import { PeopleChoicesDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { hasScope } from '../../lib/session.ts';
import { CheckboxGroup } from '../../ui/CheckboxGroup.tsx';
import { Checkbox, TextField } from '../../ui/Form.tsx';
import { field, t } from './labels.ts';
import styles from './Notify.module.css';
import { RECIPIENT_ROLES, type RecipientsRow } from './rule-draft.ts';

type RecipientFieldsProps = {
  /** Name of the recipients in the input. */
  readonly name: string;
  readonly recipients: RecipientsRow;
  readonly change: (recipients: RecipientsRow) => void;
};

/** People whom an action tells: approvers, everybody who has a role, and people by name. */
export function RecipientFields({ name, recipients, change }: RecipientFieldsProps) {
  const { approvers, roles, users } = recipients;
  const known = [...new Set([...RECIPIENT_ROLES, ...roles])];
  return (
    <div className={`stack ${styles.whole}`}>
      <Checkbox
        label={t('action.approvers')}
        checked={approvers}
        onValue={(next) => change({ ...recipients, approvers: next })}
      />
      <CheckboxGroup
        name={`${name}.roles`}
        legend={t('recipients.roles')}
        options={known.map((role) => ({ value: role, label: role }))}
        chosen={roles}
        choose={(next) => change({ ...recipients, roles: [...next] })}
      />
      {(users.length > 0 || mayListPeople()) && <People name={name} recipients={recipients} change={change} />}
    </div>
  );
}

const mayListPeople = (): boolean => hasScope('authority:admin');

/** People by name: those who are chosen, and for administrators of people those who are found. */
function People({ name, recipients, change }: RecipientFieldsProps) {
  const [text, find] = useState('');
  const { data } = useLiveQuery(
    PeopleChoicesDocument,
    mayListPeople() ? { filter: { active: true, ...(text !== '' && { text }) } } : undefined,
  );
  const found = data?.users.edges.map(({ node }) => node) ?? [];
  const people = new Map([...recipients.users, ...found].map(({ id, displayName }) => [id, displayName]));
  const choose = (ids: readonly string[]) =>
    change({
      ...recipients,
      userIds: [...ids],
      users: ids.map((id) => ({ __typename: 'User' as const, id, displayName: people.get(id) ?? id })),
    });
  return (
    <div>
      {mayListPeople() && <TextField {...field(`${name}.find`, 'recipients.find')} value={text} onValue={find} />}
      <CheckboxGroup
        name={`${name}.userIds`}
        legend={t('recipients.people')}
        options={[...people].map(([value, label]) => ({ value, label }))}
        chosen={recipients.userIds}
        choose={choose}
      />
    </div>
  );
}

import { getRouteApi } from '@tanstack/react-router';
import { PeopleDocument, type PersonRowFragment } from '../../generated/operations.ts';
import { filterChanges } from '../../lib/filter-changes.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { ChipGroup, Filters, TextFilter } from '../../ui/Filters.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { AccessLayout } from './AccessLayout.tsx';
import { PersonLabel } from './AccountState.tsx';
import { t } from './labels.ts';
import { CreatePerson, InvitePerson } from './PersonForm.tsx';
import { effectiveRoles } from './roles.ts';

const route = getRouteApi('/access');

/** People who can sign in to the tenant. */
export function PeoplePage() {
  const { ask } = route.useSearch();
  const navigate = route.useNavigate();
  const asking = (next: typeof ask) =>
    void navigate({ search: (before) => ({ ...before, ask: next }), replace: true, resetScroll: false });
  const close = () => asking(undefined);
  return (
    <AccessLayout
      tab="people"
      actions={[
        { id: 'person.create', title: t('person.create'), run: () => asking('create') },
        { id: 'person.invite', keys: 'c', title: t('person.invite'), weight: 'primary', run: () => asking('invite') },
      ]}
    >
      <People />
      {ask === 'invite' && <InvitePerson close={close} />}
      {ask === 'create' && <CreatePerson close={close} />}
    </AccessLayout>
  );
}

function People() {
  const view = route.useSearch();
  const { text, active, after } = view;
  const navigate = route.useNavigate();
  const { change, clear } = filterChanges(view, (search) => void navigate({ search }), {});
  const filter = { ...(text && { text }), ...(active && { active: active === 'yes' }) };
  const people = useLiveQuery(PeopleDocument, { filter, after: after ?? null }, ['User', 'Group']);
  return (
    <>
      <Filters clear={clear}>
        <TextFilter label={t('people.find')} value={text} find={(words) => change({ text: words })} />
        <ChipGroup
          value={active}
          options={['yes', 'no']}
          label={(value) => t(`active.${value}`)}
          choose={(value) => change({ active: value })}
        />
      </Filters>
      <ListResult
        of={people}
        rows={({ users }) => users}
        fault={t('people.fault')}
        empty={t(clear ? 'people.filtered' : 'people.never')}
        clear={clear}
        skeleton={8}
        label={t('tab.people')}
        columns={columns()}
        open={(id) => void navigate({ to: '/access/people/$id', params: { id } })}
        pages={{ after, go: (next) => change({ after: next }) }}
        labelled
      />
    </>
  );
}

const columns = (): Column<PersonRowFragment>[] => [
  {
    name: t('person.name'),
    cell: ({ id, displayName }) => (
      <Link look="name" data-open="" to="/access/people/$id" params={{ id }}>
        {displayName}
      </Link>
    ),
  },
  { name: t('person.username'), cell: ({ username }) => <span className="code">{username}</span> },
  { name: t('person.email'), className: 'soft', cell: ({ email }) => email ?? t('none') },
  {
    name: t('roles'),
    className: 'soft',
    cell: (person) =>
      effectiveRoles(person)
        .map(({ role }) => role)
        .join(', ') || t('none'),
  },
  { name: t('standing'), cell: (person) => <PersonLabel {...person} /> },
];

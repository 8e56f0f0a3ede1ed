import { getRouteApi } from '@tanstack/react-router';
import { PeopleDocument, type PersonRowFragment } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { usePageView } from '../../lib/url-state.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { AccessLayout } from './AccessLayout.tsx';
import { AccountFilters, accountVariables } from './AccountFilters.tsx';
import { PersonLabel } from './AccountState.tsx';
import { t } from './labels.ts';
import { CreatePerson, InvitePerson } from './PersonForm.tsx';
import { effectiveRoles } from './roles.ts';

const route = getRouteApi('/access');

export function PeoplePage() {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const close = () => set({ ask: undefined });
  return (
    <AccessLayout
      tab="people"
      actions={[
        { id: 'person.create', title: t('person.create'), run: () => set({ ask: 'create' }) },
        {
          id: 'person.invite',
          keys: 'c',
          title: t('person.invite'),
          weight: 'primary',
          run: () => set({ ask: 'invite' }),
        },
      ]}
    >
      <People />
      {view.ask === 'invite' && <InvitePerson close={close} />}
      {view.ask === 'create' && <CreatePerson close={close} />}
    </AccessLayout>
  );
}

function People() {
  const navigate = route.useNavigate();
  const list = usePageView(route.useSearch(), navigate);
  const people = useLiveQuery(PeopleDocument, accountVariables(list.view), ['User', 'Group']);
  return (
    <ListResult
      of={people}
      rows={({ users }) => users}
      fault={t('people.fault')}
      empty={t(list.clear ? 'people.noMatch' : 'people.empty')}
      list={list}
      filters={<AccountFilters find={t('people.find')} list={list} />}
      skeleton={8}
      label={t('tab.people')}
      columns={columns()}
      open={(id) => void navigate({ to: '/access/people/$id', params: { id } })}
      labelled
    />
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
  { name: t('accountStatus'), cell: (person) => <PersonLabel {...person} /> },
];

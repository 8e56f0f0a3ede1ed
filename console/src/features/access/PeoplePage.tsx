import { getRouteApi } from '@tanstack/react-router';
import { PeopleDocument, type PersonRowFragment } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useCursor } from '../../lib/cursor.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import type { Search } from '../../lib/url-state.ts';
import { Button, Chip } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Filters, TextFilter } from '../../ui/Filters.tsx';
import { Link } from '../../ui/Link.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { AccessLayout, isAdministrator } from './AccessLayout.tsx';
import { PersonLabel } from './AccountState.tsx';
import { t } from './labels.ts';
import { CreatePerson, InvitePerson } from './PersonForm.tsx';
import { effectiveRoles } from './roles.ts';

const route = getRouteApi('/access');

type View = Search<{ text: string; active: 'yes' | 'no'; after: string; ask: 'invite' | 'create' }>;

/** Everybody who can sign in to the tenant. */
export function PeoplePage() {
  const { ask } = route.useSearch();
  const navigate = route.useNavigate();
  const asking = (next: View['ask']) =>
    void navigate({ search: (before) => ({ ...before, ask: next }), replace: true, resetScroll: false });
  useCommands(
    isAdministrator()
      ? [
          { id: 'person.invite', group: 'act', keys: 'c', title: t('person.invite'), run: () => asking('invite') },
          { id: 'person.create', group: 'act', title: t('person.create'), run: () => asking('create') },
        ]
      : [],
  );
  const close = () => asking(undefined);
  return (
    <AccessLayout
      tab="people"
      verbs={
        <>
          <Button onClick={() => asking('create')}>{t('person.create')}</Button>
          <Button weight="primary" onClick={() => asking('invite')}>
            {t('person.invite')}
          </Button>
        </>
      }
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
  const filter = { ...(text && { text }), ...(active && { active: active === 'yes' }) };
  const people = useLiveQuery(PeopleDocument, { filter, after: after ?? null }, ['User', 'Group']);
  const change = (next: View) => void navigate({ search: { ...view, after: undefined, ...next } });
  const clear = text || active ? () => void navigate({ search: {} }) : undefined;
  useCommands(
    clear ? [{ id: 'filter.clear', group: 'move', keys: 'Escape', title: t('filter.clear'), run: clear }] : [],
  );
  return (
    <>
      <Filters>
        <TextFilter
          label={t('people.find')}
          value={text ?? ''}
          find={(words) => change({ text: words === '' ? undefined : words })}
        />
        {(['yes', 'no'] as const).map((value) => (
          <Chip
            key={value}
            pressed={active === value}
            onPress={() => change({ active: active === value ? undefined : value })}
          >
            {t(`active.${value}`)}
          </Chip>
        ))}
      </Filters>
      <QueryResult of={people} skeleton={<SkeletonRows rows={8} />} fault={t('people.fault')}>
        {({ users: { edges, pageInfo } }) => (
          <>
            {edges.length === 0 ? (
              <EmptyState clear={clear}>{t(clear ? 'people.filtered' : 'people.never')}</EmptyState>
            ) : (
              <Rows rows={edges.map(({ node }) => node)} />
            )}
            <Pager
              after={after}
              end={pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined}
              go={(next) => change({ after: next })}
            />
          </>
        )}
      </QueryResult>
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
  { name: t('person.email'), cell: ({ email }) => <span className="soft">{email ?? t('none')}</span> },
  {
    name: t('roles'),
    cell: (person) => (
      <span className="soft">
        {effectiveRoles(person)
          .map(({ role }) => role)
          .join(', ') || t('none')}
      </span>
    ),
  },
  { name: t('standing'), cell: (person) => <PersonLabel {...person} /> },
];

function Rows({ rows }: { readonly rows: readonly PersonRowFragment[] }) {
  const navigate = route.useNavigate();
  const cursor = useCursor(
    rows.map(({ id }) => id),
    (id) => void navigate({ to: '/access/people/$id', params: { id } }),
  );
  return <DataTable label={t('tab.people')} columns={columns()} rows={rows} cursor={cursor} labelled />;
}

import { getRouteApi } from '@tanstack/react-router';
import { PeopleDocument, type PersonRowFragment } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useCursor } from '../../lib/cursor.ts';
import { useLive } from '../../lib/graph.ts';
import type { Search } from '../../lib/url-state.ts';
import { Button, Chip } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Filters, Find } from '../../ui/Filters.tsx';
import { Link } from '../../ui/Link.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Empty, SkeletonRows, States } from '../../ui/States.tsx';
import { administers, Frame } from './Frame.tsx';
import { PersonMark } from './Marks.tsx';
import { CreatePerson, InvitePerson } from './PersonForm.tsx';
import { heldRoles } from './roles.ts';
import { t } from './words.ts';

const route = getRouteApi('/access');

type View = Search<{ text: string; active: 'yes' | 'no'; after: string; ask: 'invite' | 'create' }>;

/** Everybody who can sign in to the tenant. */
export function PeoplePage() {
  const { ask } = route.useSearch();
  const navigate = route.useNavigate();
  const asking = (next: View['ask']) =>
    void navigate({ search: (before) => ({ ...before, ask: next }), replace: true, resetScroll: false });
  useCommands(
    administers()
      ? [
          { id: 'person.invite', group: 'act', keys: 'c', title: t('person.invite'), run: () => asking('invite') },
          { id: 'person.create', group: 'act', title: t('person.create'), run: () => asking('create') },
        ]
      : [],
  );
  const close = () => asking(undefined);
  return (
    <Frame
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
    </Frame>
  );
}

function People() {
  const view = route.useSearch();
  const { text, active, after } = view;
  const navigate = route.useNavigate();
  const filter = { ...(text && { text }), ...(active && { active: active === 'yes' }) };
  const people = useLive(PeopleDocument, { filter, after: after ?? null }, ['User', 'Group']);
  const change = (next: View) => void navigate({ search: { ...view, after: undefined, ...next } });
  const clear = text || active ? () => void navigate({ search: {} }) : undefined;
  useCommands(
    clear ? [{ id: 'filter.clear', group: 'move', keys: 'Escape', title: t('filter.clear'), run: clear }] : [],
  );
  return (
    <>
      <Filters>
        <Find
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
      <States of={people} skeleton={<SkeletonRows rows={8} />} fault={t('people.fault')}>
        {({ users: { edges, pageInfo } }) => (
          <>
            {edges.length === 0 ? (
              <Empty clear={clear}>{t(clear ? 'people.filtered' : 'people.never')}</Empty>
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
      </States>
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
        {heldRoles(person)
          .map(({ role }) => role)
          .join(', ') || t('none')}
      </span>
    ),
  },
  { name: t('standing'), cell: (person) => <PersonMark {...person} /> },
];

function Rows({ rows }: { readonly rows: readonly PersonRowFragment[] }) {
  const navigate = route.useNavigate();
  const cursor = useCursor(
    rows.map(({ id }) => id),
    (id) => void navigate({ to: '/access/people/$id', params: { id } }),
  );
  return <DataTable label={t('tab.people')} columns={columns()} rows={rows} cursor={cursor} labelled />;
}

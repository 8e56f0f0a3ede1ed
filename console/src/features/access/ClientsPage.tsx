import { getRouteApi } from '@tanstack/react-router';
import { type ClientRowFragment, ClientsDocument } from '../../generated/operations.ts';
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
import { Time } from '../../ui/Time.tsx';
import { AccessLayout, isAdministrator } from './AccessLayout.tsx';
import { ActiveLabel } from './AccountState.tsx';
import { RegisterClient } from './ClientForm.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/access/clients');

type View = Search<{ text: string; active: 'yes' | 'no'; after: string; ask: 'register' }>;

/** The programs that ask for tokens. */
export function ClientsPage() {
  const { ask } = route.useSearch();
  const navigate = route.useNavigate();
  const asking = (next: View['ask']) =>
    void navigate({ search: (before) => ({ ...before, ask: next }), replace: true, resetScroll: false });
  useCommands(
    isAdministrator()
      ? [{ id: 'client.register', group: 'act', keys: 'c', title: t('client.register'), run: () => asking('register') }]
      : [],
  );
  return (
    <AccessLayout
      tab="clients"
      verbs={
        <Button weight="primary" onClick={() => asking('register')}>
          {t('client.register')}
        </Button>
      }
    >
      <Clients />
      {ask === 'register' && <RegisterClient close={() => asking(undefined)} />}
    </AccessLayout>
  );
}

function Clients() {
  const view = route.useSearch();
  const { text, active, after } = view;
  const navigate = route.useNavigate();
  const filter = { ...(text && { text }), ...(active && { active: active === 'yes' }) };
  const clients = useLiveQuery(ClientsDocument, { filter, after: after ?? null }, ['Client']);
  const change = (next: View) => void navigate({ search: { ...view, after: undefined, ...next } });
  const clear = text || active ? () => void navigate({ search: {} }) : undefined;
  useCommands(
    clear ? [{ id: 'filter.clear', group: 'move', keys: 'Escape', title: t('filter.clear'), run: clear }] : [],
  );
  return (
    <>
      <Filters>
        <TextFilter
          label={t('clients.find')}
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
      <QueryResult of={clients} skeleton={<SkeletonRows rows={8} />} fault={t('clients.fault')}>
        {({ clients: { edges, pageInfo } }) => (
          <>
            {edges.length === 0 ? (
              <EmptyState clear={clear}>{t(clear ? 'clients.filtered' : 'clients.never')}</EmptyState>
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

const columns = (): Column<ClientRowFragment>[] => [
  {
    name: t('client.name'),
    cell: ({ id, name }) => (
      <Link look="name" data-open="" to="/access/clients/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  {
    name: t('client.grants'),
    cell: ({ grants }) => <span className="soft">{grants.map((grant) => t(`grant.${grant}`)).join(', ')}</span>,
  },
  {
    name: t('scopes'),
    cell: ({ scopes }) => (
      <span className="soft" title={scopes.join(' ')}>
        {t('scopes.n', { n: scopes.length })}
      </span>
    ),
  },
  { name: t('client.bound'), cell: ({ dpopBound, tlsBound }) => t(`sender.${senderOf(dpopBound, tlsBound)}`) },
  { name: t('standing'), cell: (client) => <ActiveLabel {...client} /> },
  { name: t('created'), number: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** What its tokens must be bound to. */
const senderOf = (dpop: boolean, tls: boolean) => (dpop ? 'DPOP' : tls ? 'MTLS' : 'NONE');

function Rows({ rows }: { readonly rows: readonly ClientRowFragment[] }) {
  const navigate = route.useNavigate();
  const cursor = useCursor(
    rows.map(({ id }) => id),
    (id) => void navigate({ to: '/access/clients/$id', params: { id } }),
  );
  return <DataTable label={t('tab.clients')} columns={columns()} rows={rows} cursor={cursor} labelled />;
}

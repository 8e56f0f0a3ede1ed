import { getRouteApi } from '@tanstack/react-router';
import { type ClientRowFragment, ClientsDocument } from '../../generated/operations.ts';
import { filterChanges } from '../../lib/filter-changes.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { ChipGroup, Filters, TextFilter } from '../../ui/Filters.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { Time } from '../../ui/Time.tsx';
import { AccessLayout } from './AccessLayout.tsx';
import { ActiveLabel } from './AccountState.tsx';
import { RegisterClient } from './ClientForm.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/access/clients');

/** Programs that ask for tokens. */
export function ClientsPage() {
  const { ask } = route.useSearch();
  const navigate = route.useNavigate();
  const asking = (next: 'register' | undefined) =>
    void navigate({ search: (before) => ({ ...before, ask: next }), replace: true, resetScroll: false });
  return (
    <AccessLayout
      tab="clients"
      actions={[
        {
          id: 'client.register',
          keys: 'c',
          title: t('client.register'),
          weight: 'primary',
          run: () => asking('register'),
        },
      ]}
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
  const { change, clear } = filterChanges(view, (search) => void navigate({ search }), {});
  const filter = { ...(text && { text }), ...(active && { active: active === 'yes' }) };
  const clients = useLiveQuery(ClientsDocument, { filter, after: after ?? null }, ['Client']);
  return (
    <>
      <Filters clear={clear}>
        <TextFilter label={t('clients.find')} value={text} find={(words) => change({ text: words })} />
        <ChipGroup
          value={active}
          options={['yes', 'no']}
          label={(value) => t(`active.${value}`)}
          choose={(value) => change({ active: value })}
        />
      </Filters>
      <ListResult
        of={clients}
        rows={(data) => data.clients}
        fault={t('clients.fault')}
        empty={t(clear ? 'clients.filtered' : 'clients.never')}
        clear={clear}
        skeleton={8}
        label={t('tab.clients')}
        columns={columns()}
        open={(id) => void navigate({ to: '/access/clients/$id', params: { id } })}
        pages={{ after, go: (next) => change({ after: next }) }}
        labelled
      />
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
    className: 'soft',
    cell: ({ grants }) => grants.map((grant) => t(`grant.${grant}`)).join(', '),
  },
  {
    name: t('scopes'),
    className: 'soft',
    cell: ({ scopes }) => <span title={scopes.join(' ')}>{t('scopes.n', { n: scopes.length })}</span>,
  },
  { name: t('client.bound'), cell: ({ dpopBound, tlsBound }) => t(`sender.${senderOf(dpopBound, tlsBound)}`) },
  { name: t('standing'), cell: (client) => <ActiveLabel {...client} /> },
  { name: t('created'), number: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** The binding that the client's tokens must have. */
const senderOf = (dpop: boolean, tls: boolean) => (dpop ? 'DPOP' : tls ? 'MTLS' : 'NONE');

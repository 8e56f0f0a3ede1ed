import { getRouteApi } from '@tanstack/react-router';
import { type ClientRowFragment, ClientsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { usePageView } from '../../lib/url-state.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { Time } from '../../ui/Time.tsx';
import { AccessLayout } from './AccessLayout.tsx';
import { AccountFilters, accountVariables } from './AccountFilters.tsx';
import { ActiveLabel } from './AccountState.tsx';
import { RegisterClient } from './ClientForm.tsx';
import { t } from './labels.ts';

const route = getRouteApi('/access/clients');

export function ClientsPage() {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  return (
    <AccessLayout
      tab="clients"
      actions={[
        {
          id: 'client.register',
          keys: 'c',
          title: t('client.register'),
          weight: 'primary',
          run: () => set({ ask: 'register' }),
        },
      ]}
    >
      <Clients />
      {view.ask === 'register' && <RegisterClient close={() => set({ ask: undefined })} />}
    </AccessLayout>
  );
}

function Clients() {
  const navigate = route.useNavigate();
  const list = usePageView(route.useSearch(), navigate);
  const clients = useLiveQuery(ClientsDocument, accountVariables(list.view), ['Client']);
  return (
    <ListResult
      of={clients}
      rows={(data) => data.clients}
      fault={t('clients.fault')}
      empty={t(list.clear ? 'clients.noMatch' : 'clients.empty')}
      list={list}
      filters={<AccountFilters find={t('clients.find')} list={list} />}
      skeleton={8}
      label={t('tab.clients')}
      columns={columns()}
      open={(id) => void navigate({ to: '/access/clients/$id', params: { id } })}
      labelled
    />
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
  {
    name: t('client.tokenBinding'),
    cell: ({ dpopBound, tlsBound }) => t(`tokenBinding.${senderOf(dpopBound, tlsBound)}`),
  },
  { name: t('accountStatus'), cell: (client) => <ActiveLabel {...client} /> },
  { name: t('created'), number: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** Binding that the client's tokens must have. */
const senderOf = (dpop: boolean, tls: boolean) => (dpop ? 'DPOP' : tls ? 'MTLS' : 'NONE');

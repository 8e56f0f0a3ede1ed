import { useState } from 'react';
import { type AgentRowFragment, AgentsDocument } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { hasScope } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { AgentLabel } from '../../ui/EntityStates.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { RelativeTime, Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';
import { RegistrationToken } from './RegistrationToken.tsx';

/** The agents that deploy: who they are, whether they answer, and how long their certificate holds. */
export function AgentsPage() {
  const [registering, register] = useState(false);
  const agents = useLiveQuery(AgentsDocument, {}, ['Agent']);
  const mayRegister = hasScope('orch:admin');
  useCommands(
    mayRegister
      ? [{ id: 'agent.register', group: 'act', keys: 'c', title: t('agents.register'), run: () => register(true) }]
      : [],
  );
  const verb = mayRegister && (
    <Button weight="primary" onClick={() => register(true)}>
      {t('agents.register')}
    </Button>
  );
  return (
    <>
      <PageHead title={t('agents.title')} verbs={verb}>
        {t('agents.lead')}
      </PageHead>
      <QueryResult of={agents} skeleton={<SkeletonRows rows={4} />} fault={t('agents.fault')}>
        {({ agents: rows }) =>
          rows.length === 0 ? (
            <EmptyState>{t('agents.never')}</EmptyState>
          ) : (
            <DataTable label={t('agents.title')} columns={columns()} rows={rows} labelled />
          )
        }
      </QueryResult>
      {registering && (
        <RegistrationToken environments={agents.data?.environments ?? []} close={() => register(false)} />
      )}
    </>
  );
}

const columns = (): Column<AgentRowFragment>[] => [
  {
    name: t('agents.column.name'),
    cell: ({ id, name }) => (
      <Link look="name" to="/agents/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  { name: t('agents.column.state'), cell: ({ state }) => <AgentLabel state={state} /> },
  {
    name: t('agents.column.beat'),
    cell: ({ lastHeartbeatAt }) =>
      lastHeartbeatAt === null ? (
        <span className="quiet">{t('agents.silent')}</span>
      ) : (
        <RelativeTime at={lastHeartbeatAt} as="relative" />
      ),
  },
  {
    name: t('agents.column.skew'),
    number: true,
    cell: ({ clockSkewMs }) => (clockSkewMs === null ? '' : t('time.ms', { n: clockSkewMs })),
  },
  { name: t('agents.column.version'), cell: ({ softwareVersion }) => softwareVersion },
  {
    name: t('agents.column.drivers'),
    cell: ({ capabilities }) => (
      <span className="soft">{capabilities.map(({ driver, version }) => `${driver} ${version}`).join(', ')}</span>
    ),
  },
  {
    name: t('agents.column.certificate'),
    number: true,
    cell: ({ certificateNotAfter }) => <Time at={certificateNotAfter} />,
  },
];

import { useState } from 'react';
import { type AgentRowFragment, AgentsDocument } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLive } from '../../lib/graph.ts';
import { may } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Head } from '../../ui/Head.tsx';
import { Link } from '../../ui/Link.tsx';
import { Empty, SkeletonRows, States } from '../../ui/States.tsx';
import { AgentMark } from '../../ui/Status.tsx';
import { Distance, Time } from '../../ui/Time.tsx';
import { RegistrationToken } from './RegistrationToken.tsx';
import { t } from './words.ts';

/** The agents that deploy: who they are, whether they answer, and how long their certificate holds. */
export function AgentsPage() {
  const [registering, register] = useState(false);
  const agents = useLive(AgentsDocument, {}, ['Agent']);
  const mayRegister = may('orch:admin');
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
      <Head title={t('agents.title')} verbs={verb}>
        {t('agents.lead')}
      </Head>
      <States of={agents} skeleton={<SkeletonRows rows={4} />} fault={t('agents.fault')}>
        {({ agents: rows }) =>
          rows.length === 0 ? (
            <Empty>{t('agents.never')}</Empty>
          ) : (
            <DataTable label={t('agents.title')} columns={columns()} rows={rows} labelled />
          )
        }
      </States>
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
  { name: t('agents.column.state'), cell: ({ state }) => <AgentMark state={state} /> },
  {
    name: t('agents.column.beat'),
    cell: ({ lastHeartbeatAt }) =>
      lastHeartbeatAt === null ? (
        <span className="quiet">{t('agents.silent')}</span>
      ) : (
        <Distance at={lastHeartbeatAt} as="relative" />
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

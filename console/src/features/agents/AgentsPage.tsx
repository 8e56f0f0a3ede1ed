import { useState } from 'react';
import { type AgentRowFragment, AgentsDocument } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { hasScope } from '../../lib/session.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { AgentLink } from '../../ui/EntityLink.tsx';
import { AgentLabel } from '../../ui/EntityStates.tsx';
import { ListResult } from '../../ui/ListResult.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { type PageAction, PageHead } from '../../ui/PageHead.tsx';
import { RelativeTime, Time } from '../../ui/Time.tsx';
import { t } from './labels.ts';
import { RegistrationToken } from './RegistrationToken.tsx';

export function AgentsPage() {
  const [registering, register] = useState(false);
  const agents = useLiveQuery(AgentsDocument, {}, ['Agent']);
  const registration: PageAction = {
    id: 'agent.register',
    keys: 'c',
    title: t('agents.register'),
    weight: 'primary',
    run: () => register(true),
  };
  return (
    <>
      <PageHead title={t('agents.title')} actions={hasScope('orch:admin') ? [registration] : []}>
        {t('agents.lead')}
      </PageHead>
      <ListResult
        of={agents}
        rows={(data) => data.agents}
        fault={t('agents.fault')}
        empty={t('agents.empty')}
        label={t('agents.title')}
        columns={columns()}
        labelled
      />
      {registering && (
        <RegistrationToken environments={agents.data?.environments ?? []} close={() => register(false)} />
      )}
    </>
  );
}

const columns = (): Column<AgentRowFragment>[] => [
  { name: t('agents.column.name'), cell: (agent) => <AgentLink agent={agent} /> },
  { name: t('agents.column.state'), cell: ({ state }) => <AgentLabel state={state} /> },
  {
    name: t('agents.column.heartbeat'),
    cell: ({ lastHeartbeatAt }) =>
      optional(lastHeartbeatAt, t('agents.noHeartbeat'), (at) => <RelativeTime at={at} as="relative" />),
  },
  {
    name: t('agents.column.skew'),
    number: true,
    cell: ({ clockSkewMs }) => (clockSkewMs === null ? '' : t('time.ms', { n: clockSkewMs })),
  },
  { name: t('agents.column.version'), cell: ({ softwareVersion }) => softwareVersion },
  {
    name: t('agents.column.drivers'),
    className: 'soft',
    cell: ({ capabilities }) => capabilities.map(({ driver, version }) => `${driver} ${version}`).join(', '),
  },
  {
    name: t('agents.column.certificate'),
    number: true,
    cell: ({ certificateNotAfter }) => <Time at={certificateNotAfter} />,
  },
];

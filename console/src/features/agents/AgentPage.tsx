import { getRouteApi } from '@tanstack/react-router';
import { AgentDocument, type AgentQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { listText } from '../../lib/i18n.ts';
import { usePageView } from '../../lib/url-state.ts';
import { Banner } from '../../ui/Banner.tsx';
import { EnvironmentLink, TargetLink } from '../../ui/EntityLink.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { AgentLabel, TargetLabel } from '../../ui/EntityStates.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { ForbiddenAction } from '../../ui/Forbidden.tsx';
import { Gauge, Gauges } from '../../ui/Gauges.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Section } from '../../ui/Section.tsx';
import { TableSection } from '../../ui/TableSection.tsx';
import { RelativeTime, Time } from '../../ui/Time.tsx';
import styles from './Agents.module.css';
import { t } from './labels.ts';
import { RevokeAgent } from './RevokeAgent.tsx';

const route = getRouteApi('/agents/$id');

type Agent = NonNullable<AgentQuery['agent']>;

/** Page of an agent: its state, its targets, its drivers and its certificate. */
export function AgentPage() {
  const { id } = route.useParams();
  const answer = useLiveQuery(AgentDocument, { id }, ['Target']);
  return (
    <EntityPage of={answer} entity={(data) => data.agent} fault={t('agent.fault')} gone={t('agent.notFound')}>
      {(agent) => <Page agent={agent} />}
    </EntityPage>
  );
}

function Page({ agent }: { readonly agent: Agent }) {
  const { name, state, revocation, targets, viewerCanRevoke } = agent;
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const canRevoke = viewerCanRevoke.allowed;
  return (
    <>
      <PageHead
        crumbs={[{ path: '/agents', label: t('agents.title') }]}
        title={name}
        state={<AgentLabel state={state} />}
        actions={canRevoke ? [{ id: 'agent.revoke', title: t('agent.revoke'), run: () => set({ ask: 'revoke' }) }] : []}
      >
        {lead(agent)}
      </PageHead>
      {revocation !== null && (
        <Banner tone="bad" title={t('agent.revoked', { who: revocation.actor.displayName })}>
          <span>{revocation.reason}</span>
          <Time at={revocation.at} />
        </Banner>
      )}
      {!canRevoke && revocation === null && (
        <div className={styles.rule}>
          <ForbiddenAction name={t('agent.revoke.name')} scope="orch:admin" permission={viewerCanRevoke} />
        </div>
      )}
      <Health agent={agent} />
      <ServedTargets targets={targets} />
      <Identity agent={agent} />
      {view.ask === 'revoke' && canRevoke && <RevokeAgent agent={agent} close={() => set({ ask: undefined })} />}
    </>
  );
}

function lead({ targets, revocation }: Agent): string {
  if (targets.length === 0) return t('agent.lead.idle');
  const text = { n: targets.length, where: whereOf(targets) };
  return revocation === null ? t('agent.lead', text) : t('agent.lead.revoked', text);
}

const whereOf = (targets: Agent['targets']): string =>
  listText([...new Set(targets.map(({ environment }) => environment.name))]);

type HealthProps = { readonly agent: Agent };

function Health(props: HealthProps) {
  const {
    agent: { lastHeartbeatAt, clockSkewMs, certificateNotAfter, softwareVersion, revocation },
  } = props;
  return (
    <Gauges label={t('agent.gauges')}>
      <Gauge
        label={t('agents.column.heartbeat')}
        value={optional(lastHeartbeatAt, t('agents.noHeartbeat'), (at) => <RelativeTime at={at} as="relative" />)}
      />
      <Gauge
        label={t('agents.column.skew')}
        value={optional(clockSkewMs, t('agent.skew.none'), (n) => t('time.ms', { n }))}
        sub={t('agent.skew.sub')}
      />
      <Gauge
        label={t('agents.column.certificate')}
        value={<Time at={certificateNotAfter} />}
        sub={t(revocation === null ? 'agent.renews' : 'agent.refused')}
      />
      <Gauge label={t('agents.column.version')} value={softwareVersion} />
    </Gauges>
  );
}

function ServedTargets({ targets }: { readonly targets: Agent['targets'] }) {
  return (
    <TableSection
      title={t('agent.serves')}
      empty={t('agent.serves.none')}
      labelled
      rows={targets}
      columns={[
        {
          name: t('environments.target'),
          cell: (target) => <TargetLink target={target} environmentId={target.environment.id} />,
        },
        {
          name: t('environments.column.name'),
          cell: ({ environment }) => <EnvironmentLink environment={environment} />,
        },
        { name: t('target.driver'), className: 'soft', cell: ({ driver }) => t(`driver.${driver}`) },
        { name: t('environments.state'), cell: ({ state }) => <TargetLabel state={state} /> },
        {
          name: t('target.observed'),
          className: 'soft breaks',
          cell: ({ observations }) =>
            observations
              .filter(({ running }) => running)
              .map(({ component }) => component)
              .join(', ') || t('none'),
        },
      ]}
    />
  );
}

/** Identity of the agent, and its drivers. */
function Identity({ agent: { spiffeId, createdAt, capabilities } }: { readonly agent: Agent }) {
  return (
    <Section title={t('agent.identity')}>
      <div className={styles.identity}>
        <Facts look="pairs">
          <Fact label={t('agent.spiffe')} code={spiffeId} />
          <Fact label={t('agent.since')} at={createdAt} />
          {capabilities.map(({ driver, version }) => (
            <Fact key={driver} label={driver}>
              {version}
            </Fact>
          ))}
        </Facts>
      </div>
    </Section>
  );
}

import { useRouter } from '@tanstack/react-router';
import { TodayDocument, type TodayQuery } from '../../generated/operations.ts';
import { useCursor } from '../../lib/cursor.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count, listText, t } from '../../lib/i18n.ts';
import { hasScope } from '../../lib/session.ts';
import { Gauge, Gauges } from '../../ui/Gauges.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { EmptyState, QueryResult, SkeletonPage } from '../../ui/QueryResult.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { RelativeTime, Time } from '../../ui/Time.tsx';
import { FirstSteps, stepsOf } from './FirstSteps.tsx';
import { trafficOf } from './in-progress.ts';
import { LandingsPanel } from './LandingsPanel.tsx';
import { QueueTable } from './QueueTable.tsx';
import { queuesOf } from './queues.tsx';
import styles from './Today.module.css';

/** Seven queues, each with its action: work that waits for a person, and work in progress. */
export function TodayPage() {
  return hasScope('orch:read') ? <Today /> : <NothingToRead />;
}

/** Page for a person without a role that reads anything. */
const NothingToRead = () => (
  <>
    <PageHead title={t('today.title')}>{t('today.lead.roleless')}</PageHead>
    <EmptyState>{t(hasScope('authority:admin') ? 'today.roleless.admin' : 'today.roleless')}</EmptyState>
  </>
);

function Today() {
  const today = useLiveQuery(TodayDocument, {}, [
    'Promotion',
    'Deployment',
    'Release',
    'Agent',
    'Target',
    'Environment',
  ]);
  return (
    <QueryResult of={today} skeleton={<SkeletonPage />} fault={t('today.fault')}>
      {(data) => <Queues data={data} />}
    </QueryResult>
  );
}

function Queues({ data }: { readonly data: TodayQuery }) {
  const { inProgress, checkedAt } = data.today;
  const router = useRouter();
  const queues = queuesOf(data);
  const rows = new Map(queues.flatMap((queue) => queue.rows.map((row) => [row.id, row] as const)));
  const open = (id: string) => {
    const row = rows.get(id);
    if (row !== undefined) router.history.push(row.page ?? row.path);
  };
  const steps = stepsOf(data);
  const isVerified = steps.every(({ done: isDone }) => isDone);
  const cursor = useCursor([...rows.keys()], open);
  // Running deployments are listed but need no action.
  const total = rows.size - inProgress.filter(({ waitsFor }) => waitsFor !== 'PERSON').length;
  return (
    <>
      <PageHead title={t('today.title')} tab={total === 0 ? t('today.title') : t('today.tab', { n: total })}>
        {lead(data)}
      </PageHead>
      <Numbers data={data} />
      <div className={styles.today}>
        <div>
          {!isVerified && <FirstSteps steps={steps} environmentId={data.environments[0]?.id} />}
          {total === 0 && isVerified && (
            <EmptyState mark={<StateLabel look="verified">{t('today.nothing')}</StateLabel>}>
              <span className="quiet">
                {t('today.checked')} <Time at={checkedAt} as="clock" />
              </span>
            </EmptyState>
          )}
          {queues.map((queue) => (
            <QueueTable key={queue.title} queue={queue} cursor={cursor} />
          ))}
        </div>
        <LandingsPanel landed={data.landed.edges.map(({ node }) => node)} />
      </div>
    </>
  );
}

function lead(data: TodayQuery): string {
  const { waiting, launchable, inProgress, failed, unverified, silentAgents, unsettled } = data.today;
  const awaitingPerson = inProgress.filter(({ waitsFor }) => waitsFor === 'PERSON').length;
  const moving = inProgress.length - awaitingPerson;
  const counts = [
    ['waiting', waiting.length],
    ['launchable', launchable.length],
    ['held', awaitingPerson],
    ['moving', moving],
    ['failed', failed.length],
    ['unverified', unverified.length],
    ['unsettled', unsettled.length],
    ['silent', silentAgents.length],
  ] as const;
  const parts = counts.filter(([, n]) => n > 0).map(([queue, n]) => t(`today.lead.${queue}`, { n }));
  if (parts.length === 0) return summary(data);
  const sentence = listText(parts);
  return t('today.lead', { sentence: sentence.charAt(0).toUpperCase() + sentence.slice(1) });
}

/** Sentence for the case that nothing waits, as far as that is known. */
function summary(data: TodayQuery): string {
  if (!stepsOf(data).every(({ done: isDone }) => isDone)) return t('today.lead.unset');
  if (data.landed.edges.length === 0) return t('today.lead.unlanded');
  const unhealthy = data.environments.flatMap(({ targets }) =>
    targets.filter(({ state }) => UNHEALTHY_STATES.has(state)),
  ).length;
  return unhealthy === 0 ? t('today.lead.nothing') : t('today.lead.dark', { n: unhealthy });
}

const UNHEALTHY_STATES: ReadonlySet<string> = new Set(['UNKNOWN', 'UNHEALTHY']);

function Numbers({ data: { today } }: { readonly data: TodayQuery }) {
  const oldest = today.waiting[0]?.createdAt;
  const causes = today.failed.reduce((sum, { failureGroups }) => sum + failureGroups.length, 0);
  const silent = today.unverified.flatMap(({ targets }) =>
    targets.filter(({ landing }) => landing?.verdict !== 'VERIFIED'),
  );
  return (
    <Gauges label={t('today.gauges')}>
      <Gauge
        label={t('today.waiting')}
        big={count(today.waiting.length)}
        sub={
          oldest === undefined ? (
            t('today.none')
          ) : (
            <>
              {t('today.oldest')} <RelativeTime at={oldest} />
            </>
          )
        }
      />
      <Gauge
        label={t('today.launchable')}
        big={count(today.launchable.length)}
        sub={today.launchable.length === 0 ? t('today.none') : t('today.approved')}
      />
      <Gauge label={t('today.progress')} big={count(today.inProgress.length)} sub={awaitingSummary(today.inProgress)} />
      <Gauge
        label={t('today.failed')}
        big={count(today.failed.length)}
        sub={today.failed.length === 0 ? t('today.none') : t('today.causes', { n: causes })}
      />
      <Gauge
        label={t('today.unverified')}
        big={count(today.unverified.length)}
        sub={silent.length === 0 ? t('today.none') : t('targets', { n: silent.length })}
      />
      <Gauge
        label={t('today.silent')}
        big={count(today.silentAgents.length)}
        sub={today.silentAgents.length === 0 ? t('today.none') : <Link to="/agents">{t('today.action.agents')}</Link>}
      />
    </Gauges>
  );
}

function awaitingSummary(rows: TodayQuery['today']['inProgress']): string {
  const waiting = rows.filter(({ waitsFor }) => waitsFor === 'PERSON').length;
  const [only] = rows.map(trafficOf).filter((weight) => weight !== undefined);
  if (rows.length === 0) return t('today.none');
  if (rows.length === 1 && only !== undefined) return t('today.progress.traffic', { weight: only });
  return waiting > 0 ? t('today.progress.waiting', { n: waiting }) : t('today.progress.moving');
}

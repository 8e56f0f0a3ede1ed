import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { DeploymentDocument, type DeploymentQuery } from '../../generated/operations.ts';
import { useLive } from '../../lib/graph.ts';
import { useWide } from '../../lib/phone.ts';
import { adverse } from '../../parts/outcomes.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Refusal } from '../../ui/Banner.tsx';
import { CrumbGap, Head } from '../../ui/Head.tsx';
import { Link } from '../../ui/Link.tsx';
import { Missing } from '../../ui/Missing.tsx';
import { Split } from '../../ui/Panel.tsx';
import { Section } from '../../ui/Section.tsx';
import { SkeletonPage, States } from '../../ui/States.tsx';
import { Analysis } from './Analysis.tsx';
import { Causes } from './Causes.tsx';
import styles from './Deployment.module.css';
import { GatePanel } from './GatePanel.tsx';
import { PhaseStrip } from './PhaseStrip.tsx';
import { Relations } from './Relations.tsx';
import { type Only, TargetGrid } from './TargetGrid.tsx';
import { TargetPanel } from './TargetPanel.tsx';
import { Truths } from './Truths.tsx';
import { type Acts, type Question, useDeploymentVerbs } from './use-verbs.ts';
import { Questions, Rules, Verb } from './Verbs.tsx';
import { t } from './words.ts';

const route = getRouteApi('/deployments/$id');

type Deployment = NonNullable<DeploymentQuery['deployment']>;

/** One deployment, live: what the job says, what landed, why anything failed, and each target. */
export function DeploymentPage() {
  const { id } = route.useParams();
  const deployment = useLive(DeploymentDocument, { id });
  const gone = <Missing what={t('deployment.gone')} />;
  return (
    <States of={deployment} skeleton={<SkeletonPage />} fault={t('deployment.fault')} gone={gone}>
      {(data) => (data.deployment === null ? gone : <Page key={id} deployment={data.deployment} />)}
    </States>
  );
}

function onlyFailed(targets: Deployment['targets']): string | undefined {
  const failed = targets.filter(({ status }) => status === 'FAILED');
  return failed.length === 1 ? failed[0]?.target.id : undefined;
}

/** What the address says of the page, each part of it changed without the others. */
function useView() {
  const { target, only, ask } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: { target?: string | undefined; only?: Only | undefined; ask?: Question | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  return { target, only, ask, change };
}

function Page({ deployment }: { readonly deployment: Deployment }) {
  const { id, release, environment, targets } = deployment;
  const { target: chosen, only, ask, change } = useView();
  // A retry asks how the same digests fared since, but not of the failure that it is about.
  const others = release.outcomes.filter((outcome) => outcome.deployment.id !== id);
  const acts = useDeploymentVerbs(deployment, adverse(others), (question) => change({ ask: question }));
  const beside = useWide();
  const [closed, setClosed] = useState(false);
  // Where one target failed, its cause and its log are read without a click, until the reader closes them.
  const target = chosen ?? (beside && !closed && deployment.status === 'FAILED' ? onlyFailed(targets) : undefined);
  const shown = targets.find((one) => one.target.id === target);
  const show = (next: string) => change({ target: next });
  const step = (by: 1 | -1) => {
    const at = targets.findIndex((one) => one.target.id === target);
    const next = targets[(at + by + targets.length) % targets.length];
    if (next !== undefined) show(next.target.id);
  };
  const title = t('arrow', { what: `${release.name} ${release.semver}`, where: environment.name });
  return (
    <Split
      panel={
        shown && (
          <TargetPanel
            deploymentId={id}
            targetId={shown.target.id}
            chosen={chosen !== undefined}
            acts={acts}
            close={() => {
              setClosed(true);
              change({ target: undefined });
            }}
            step={step}
          />
        )
      }
    >
      <DeploymentHead deployment={deployment} acts={acts} title={title} />
      <Refusal problem={acts.problem} />
      <Truths deployment={deployment} />
      <GatePanel deployment={deployment} acts={acts} />
      <PhaseStrip deployment={deployment} />
      <Causes deployment={deployment} open={show} chosen={target} />
      {deployment.status !== 'PAUSED' && deployment.measurements.length > 0 && (
        <Section title={t('analysis.title')}>
          <div className={styles.held}>
            <Analysis deployment={deployment} />
          </div>
        </Section>
      )}
      <TargetGrid
        deployment={deployment}
        chosen={target}
        open={show}
        only={only}
        setOnly={(next) => change({ only: next })}
      />
      {ask !== undefined && (
        <Questions
          question={ask}
          deploymentId={id}
          environmentId={environment.id}
          title={title}
          outcomes={others}
          close={() => change({ ask: undefined })}
        />
      )}
    </Split>
  );
}

function DeploymentHead({
  deployment,
  acts,
  title,
}: {
  readonly deployment: Deployment;
  readonly acts: Acts;
  readonly title: string;
}) {
  const { kind, status, strategy, environment, plan } = deployment;
  const isHeld = status === 'PAUSED';
  return (
    <>
      <Head
        crumbs={
          <>
            <Link look="bare" to="/deployments">
              {t('deployments.title')}
            </Link>
            <CrumbGap />
            <Link look="bare" to="/deployments" search={{ env: environment.id }}>
              {environment.name}
            </Link>
          </>
        }
        title={title}
        tab={t(`job.tab.${status}`, { title })}
        state={
          <>
            {kind === 'ROLLBACK' && <Badge>{t('rollback.badge')}</Badge>}
            <Badge>{t(`strategy.${strategy}`)}</Badge>
          </>
        }
        verbs={
          // At a gate the verbs stand where what is held is told.
          !isHeld &&
          acts.allowed.size > 0 && (
            <>
              <Verb acts={acts} name="pause" />
              <Verb acts={acts} name="retry" weight="primary" />
              <Verb acts={acts} name="halt" />
              <Verb acts={acts} name="cancel" />
              <Verb acts={acts} name="rollback" />
            </>
          )
        }
      >
        {lead(deployment)}
      </Head>
      {!isHeld && <Rules acts={acts} />}
      <Relations deployment={deployment} behaviour={plan.effectiveBehaviour} />
    </>
  );
}

/** Who wanted it and why; of a rollback, what it brings back. */
function lead({ kind, launchedBy, promotion, release, undoes, reason }: Deployment): string {
  const who = launchedBy.displayName;
  if (kind === 'DEPLOY') return t('deployment.lead', { who, reason: promotion.reason });
  const what = `${release.name} ${release.semver}`;
  if (undoes === null) return t('rollback.lead', { who, what, reason: reason ?? '' });
  const undone = `${undoes.release.name} ${undoes.release.semver}`;
  return t('rollback.lead.undoes', { who, what, undone, reason: reason ?? '' });
}

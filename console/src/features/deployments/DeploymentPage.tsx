import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { DeploymentDocument, type DeploymentQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { usePageView } from '../../lib/url-state.ts';
import { useWide } from '../../lib/viewport.ts';
import { NotificationsLink } from '../../parts/NotificationsLink.tsx';
import { adverseOutcomes } from '../../parts/outcomes.ts';
import { Badge } from '../../ui/Badge.tsx';
import { ActionError } from '../../ui/Banner.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Split } from '../../ui/Panel.tsx';
import { SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { Analysis } from './Analysis.tsx';
import styles from './Deployment.module.css';
import { ActionButtons, ActionDialogs, ActionRules } from './DeploymentActions.tsx';
import { FailureCauses } from './FailureCauses.tsx';
import { GatePanel } from './GatePanel.tsx';
import { t } from './labels.ts';
import { PhaseStrip } from './PhaseStrip.tsx';
import { RelatedDeployments } from './RelatedDeployments.tsx';
import { StatusSummary } from './StatusSummary.tsx';
import { TargetGrid } from './TargetGrid.tsx';
import { TargetPanel } from './TargetPanel.tsx';
import { type DeploymentActions, useDeploymentActions } from './use-deployment-actions.ts';

const route = getRouteApi('/deployments/$id');

/** Loaded after the page: a deployment under way is watched before its changes are read. */
const DeploymentComparison = lazy(() =>
  import('./DeploymentComparison.tsx').then((module) => ({ default: module.DeploymentComparison })),
);

/** Loaded after the page, as it is read after the landing. */
const DeploymentArtifacts = lazy(() =>
  import('../../parts/ArtifactsOf.tsx').then((module) => ({ default: module.DeploymentArtifacts })),
);
const EvidenceBundles = lazy(() =>
  import('../../parts/EvidenceBundles.tsx').then((module) => ({ default: module.EvidenceBundles })),
);

type Deployment = NonNullable<DeploymentQuery['deployment']>;

/** Page of a deployment, live: its status, its landing, its failures, and each target. */
export function DeploymentPage() {
  const { id } = route.useParams();
  const answer = useLiveQuery(DeploymentDocument, { id });
  return (
    <EntityPage
      of={answer}
      entity={(data) => data.deployment}
      fault={t('deployment.fault')}
      gone={t('deployment.notFound')}
    >
      {(deployment) => <Page deployment={deployment} />}
    </EntityPage>
  );
}

function onlyFailed(targets: Deployment['targets']): string | undefined {
  const failed = targets.filter(({ status }) => status === 'FAILED');
  return failed.length === 1 ? failed[0]?.target.id : undefined;
}

function Page({ deployment }: { readonly deployment: Deployment }) {
  const { id, release, environment, targets } = deployment;
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const { target: selected, only, ask } = view;
  // A retry reads other outcomes of the same digests, but not the failure it is about.
  const others = release.outcomes.filter((outcome) => outcome.deployment.id !== id);
  const actions = useDeploymentActions(deployment, adverseOutcomes(others), (question) => set({ ask: question }));
  const isWide = useWide();
  const [closed, setClosed] = useState(false);
  // With one failed target its panel is open until the user closes it.
  const target = selected ?? (isWide && !closed && deployment.status === 'FAILED' ? onlyFailed(targets) : undefined);
  const visible = targets.find((one) => one.target.id === target);
  const show = (next: string) => set({ target: next });
  const step = (by: 1 | -1) => {
    const at = targets.findIndex((one) => one.target.id === target);
    const next = targets[(at + by + targets.length) % targets.length];
    if (next !== undefined) show(next.target.id);
  };
  const title = t('promotion.summary', { what: `${release.name} ${release.semver}`, where: environment.name });
  return (
    <Split
      panel={
        visible && (
          <TargetPanel
            deploymentId={id}
            targetId={visible.target.id}
            chosen={selected !== undefined}
            actions={actions}
            close={() => {
              setClosed(true);
              set({ target: undefined });
            }}
            step={step}
          />
        )
      }
    >
      <DeploymentHead deployment={deployment} actions={actions} title={title} />
      <ActionError problem={actions.problem} />
      <StatusSummary deployment={deployment} />
      <GatePanel deployment={deployment} actions={actions} />
      <PhaseStrip deployment={deployment} />
      <FailureCauses deployment={deployment} open={show} chosen={target} />
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
        setOnly={(next) => set({ only: next })}
      />
      <Suspense fallback={<SkeletonRows rows={4} />}>
        <DeploymentComparison id={id} />
        <DeploymentArtifacts id={id} />
        <EvidenceBundles kind="DEPLOYMENT" id={id} />
      </Suspense>
      {ask !== undefined && (
        <ActionDialogs
          question={ask}
          deploymentId={id}
          environmentId={environment.id}
          title={title}
          outcomes={others}
          close={() => set({ ask: undefined })}
        />
      )}
    </Split>
  );
}

type DeploymentHeadProps = {
  readonly deployment: Deployment;
  readonly actions: DeploymentActions;
  readonly title: string;
};

function DeploymentHead({ deployment, actions, title }: DeploymentHeadProps) {
  const { kind, status, strategy, environment, plan } = deployment;
  const isPaused = status === 'PAUSED';
  return (
    <>
      <PageHead
        crumbs={[
          { path: '/deployments', label: t('deployments.title') },
          { path: `/deployments?env=${environment.id}`, label: environment.name },
        ]}
        title={title}
        tab={t(`deploymentTab.${status}`, { title })}
        state={
          <>
            {kind === 'ROLLBACK' && <Badge>{t('rollback.badge')}</Badge>}
            <Badge>{t(`strategy.${strategy}`)}</Badge>
          </>
        }
        verbs={
          <>
            {/* At a gate the actions are in the gate's panel. */}
            {!isPaused && actions.allowed.size > 0 && (
              <ActionButtons actions={actions} names={['pause', 'retry', 'halt', 'cancel', 'rollback']} />
            )}
            <NotificationsLink about={deployment.id} />
          </>
        }
      >
        {lead(deployment)}
      </PageHead>
      {!isPaused && <ActionRules actions={actions} />}
      <RelatedDeployments deployment={deployment} behaviour={plan.effectiveBehaviour} />
    </>
  );
}

/** Person who launched it and the reason; for a rollback, the release that it restores. */
function lead({ kind, launchedBy, promotion, release, undoes, reason }: Deployment): string {
  const launcher = launchedBy.displayName;
  if (kind === 'DEPLOY') return t('deployment.lead', { who: launcher, reason: promotion.reason });
  const name = `${release.name} ${release.semver}`;
  if (undoes === null) return t('rollback.lead', { who: launcher, what: name, reason: reason ?? '' });
  const undoneDeployment = `${undoes.release.name} ${undoes.release.semver}`;
  return t('rollback.lead.from', { who: launcher, what: name, undone: undoneDeployment, reason: reason ?? '' });
}

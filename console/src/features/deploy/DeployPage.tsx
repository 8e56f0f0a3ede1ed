import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import {
  DeployDocument,
  DeployEnvironmentsDocument,
  type DeployEnvironmentsQuery,
  type DeployQuery,
} from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { Comparison, useComparison, usePromotionComparison } from '../../parts/Comparison.tsx';
import { EvidenceCompleteness } from '../../parts/EvidenceCompleteness.tsx';
import { Outcomes } from '../../parts/Outcomes.tsx';
import { TimeNotice } from '../../parts/TimeNotice.tsx';
import { releaseName } from '../../ui/EntityLink.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { Select } from '../../ui/Form.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import styles from './Deploy.module.css';
import { LaunchStep } from './LaunchStep.tsx';
import { t } from './labels.ts';
import { PlanStep, usePlan } from './PlanStep.tsx';
import { PreflightStep, usePreflight } from './PreflightStep.tsx';
import { StrategyFields } from './StrategyFields.tsx';
import { chosenStrategy, type StrategyText, unreadable } from './strategy.ts';

const route = getRouteApi('/releases/$id/deploy');

/** Page that leads from a release to a running deployment: preflight, plan and launch. */
export function DeployPage() {
  const { id } = route.useParams();
  const choice = useLiveQuery(DeployEnvironmentsDocument, { id }, ['Promotion', 'Environment']);
  return (
    <EntityPage of={choice} entity={({ release }) => release} fault={t('deploy.fault')} gone={t('release.notFound')}>
      {(release) => <Chosen release={release} />}
    </EntityPage>
  );
}

type Choice = NonNullable<DeployEnvironmentsQuery['release']>;

/** Environment of the URL, or the one that a promotion leads to next. */
function Chosen({ release }: { readonly release: Choice }) {
  const { env } = route.useSearch();
  const navigate = route.useNavigate();
  const stops = release.landscape;
  const ready = stops.find(({ promotion }) => promotion?.state === 'APPROVED');
  const waiting = stops.find(({ promotion }) => promotion?.state === 'PENDING');
  const selected = stops.find(({ environment }) => environment.id === env) ?? ready ?? waiting ?? stops[0];
  if (selected === undefined)
    return (
      <EmptyState>{t(release.product.removedAt === null ? 'environments.empty' : 'product.removed.path')}</EmptyState>
    );
  const picker = (
    <div className={styles.picker}>
      <Select
        name="environment"
        label={t('deploy.environment')}
        value={selected.environment.id}
        options={stops.map(({ environment: { id, name } }) => ({ value: id, label: name }))}
        onValue={(next) => void navigate({ search: (before) => ({ ...before, env: next }), replace: true })}
      />
    </div>
  );
  return (
    <Prepared key={selected.environment.id} id={release.id} environmentId={selected.environment.id} picker={picker} />
  );
}

type Prepare = { readonly id: string; readonly environmentId: string; readonly picker: ReactNode };

function Prepared({ id, environmentId, picker }: Prepare) {
  const deploy = useLiveQuery(DeployDocument, { id, environmentId }, ['Promotion', 'Deployment', 'Target', 'Agent']);
  return (
    <EntityPage of={deploy} entity={bothOf} fault={t('deploy.fault')} gone={t('deploy.notFound')}>
      {(both) => <Page {...both} picker={picker} />}
    </EntityPage>
  );
}

type Both = {
  readonly release: NonNullable<DeployQuery['release']>;
  readonly environment: NonNullable<DeployQuery['environment']>;
};

const bothOf = ({ release, environment }: DeployQuery): Both | null =>
  release && environment && { release, environment };

function Page({ release, environment, picker }: Both & { readonly picker: ReactNode }) {
  const ids = { releaseId: release.id, environmentId: environment.id };
  const preflight = usePreflight(ids);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const productOnEnvironment = locationOf({ release, environment });
  const selected = chosenStrategy(search, environment);
  const plan = usePlan(ids, selected);
  const [text, setText] = useState<StrategyText>({});
  const [acknowledged, setAcknowledged] = useState<ReadonlySet<string>>(new Set());
  const see = (key: string, isAcknowledged: boolean) =>
    setAcknowledged((before) => new Set(isAcknowledged ? [...before, key] : [...before].filter((one) => one !== key)));
  const promotion = release.promotions.find(
    ({ targetEnvironment, state }) => targetEnvironment.id === environment.id && OPEN.has(state),
  );
  const comparison = useLaunchComparison(ids, release.product.id, promotion?.id);
  return (
    <>
      <PageHead
        crumbs={[
          { path: `/products/${release.product.id}`, label: release.name },
          { path: `/releases/${release.id}`, label: releaseName(release) },
        ]}
        title={t('deploy.title', { where: environment.name })}
        verbs={picker}
      >
        {lead(release, productOnEnvironment, plan.data?.strategyPlan.targetCount)}
      </PageHead>
      <TimeNotice />
      <div className={styles.steps}>
        <PreflightStep preflight={preflight} seen={acknowledged} see={see} />
        <PlanStep plan={plan}>
          <StrategyFields
            environment={environment}
            chosen={selected}
            text={text}
            setText={setText}
            choose={(next) =>
              void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false })
            }
          />
        </PlanStep>
        <LaunchStep
          promotion={promotion}
          environment={environment}
          place={productOnEnvironment}
          comparison={comparison}
          releaseId={release.id}
          report={preflight.data?.preflight}
          chosen={selected}
          plan={plan}
          isReadable={unreadable(text, selected.strategy).length === 0}
          seen={acknowledged}
          outcomes={release.outcomes}
          deploymentOf={(promotionId) => release.promotions.find((one) => one.id === promotionId)?.deployment?.id}
        />
      </div>
      <EvidenceCompleteness {...ids} />
      <Outcomes outcomes={release.outcomes} />
      <Comparison of={comparison} />
    </>
  );
}

const OPEN: ReadonlySet<string> = new Set(['PENDING', 'APPROVED', 'DEPLOYING']);

type Ids = { readonly releaseId: string; readonly environmentId: string };

/** Comparison of an open promotion; without one, of the release with what runs of its product in the environment. */
function useLaunchComparison({ releaseId, environmentId }: Ids, productId: string, promotionId: string | undefined) {
  const promoted = usePromotionComparison(promotionId);
  const planned = useComparison(
    promotionId === undefined ? { from: { productId, environmentId }, to: { releaseId, environmentId } } : undefined,
  );
  return promotionId === undefined ? planned : promoted;
}

/** The release's product in the environment; undefined where nothing of it was deployed there. */
const locationOf = ({ release, environment }: Both) =>
  environment.products.find(({ product }) => product.id === release.product.id);

/** Lead sentence: what the launch replaces of the same product, and on how many of its targets, once they are planned. */
function lead(
  { id, name, semver }: Both['release'],
  productOnEnvironment: ReturnType<typeof locationOf>,
  n: number | undefined,
): string {
  const label = `${name} ${semver}`;
  const running = productOnEnvironment?.currentDeployment?.release;
  const targets = n === undefined ? '' : ` ${t('deploy.lead.targets', { n })}`;
  if (running === undefined) return t('deploy.lead.first', { what: label }) + targets;
  if (running.id === id) return t('deploy.lead.again', { what: label }) + targets;
  return t('deploy.lead', { what: label, was: `${running.name} ${running.semver}` }) + targets;
}

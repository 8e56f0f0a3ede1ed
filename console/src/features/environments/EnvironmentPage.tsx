import { getRouteApi } from '@tanstack/react-router';
import { EnvironmentDocument, type EnvironmentQuery } from '../../generated/operations.ts';
import { useCommands } from '../../lib/commands.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { count, listText } from '../../lib/i18n.ts';
import { otherReleases } from '../../lib/other-releases.ts';
import { hasScope } from '../../lib/session.ts';
import { usePageView } from '../../lib/url-state.ts';
import { RollbackDialog } from '../../parts/RollbackDialog.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { DeploymentLink, releaseName } from '../../ui/EntityLink.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { DeploymentStatusLabel } from '../../ui/EntityStates.tsx';
import { ForbiddenAction } from '../../ui/Forbidden.tsx';
import { Gauge, Gauges } from '../../ui/Gauges.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Split } from '../../ui/Panel.tsx';
import { EnvironmentDrift } from './EnvironmentDrift.tsx';
import { EditEnvironment } from './EnvironmentForm.tsx';
import { EnvironmentProducts } from './EnvironmentProducts.tsx';
import styles from './Environments.module.css';
import { t } from './labels.ts';
import { PendingPromotions } from './PendingPromotions.tsx';
import { Policy } from './Policy.tsx';
import { RemoveEnvironment } from './RemoveEnvironment.tsx';
import { RunningReleaseLabels } from './RunningReleaseLabels.tsx';
import { CreateTarget } from './TargetForm.tsx';
import { TargetPanel } from './TargetPanel.tsx';
import { Targets } from './Targets.tsx';
import { Variables } from './Variables.tsx';
import { VariablesForm } from './VariablesForm.tsx';

const route = getRouteApi('/environments/$id');

type Environment = NonNullable<EnvironmentQuery['environment']>;
type Ask = 'rollback' | 'edit' | 'target' | 'variables' | 'remove';

/** Types whose changes may change the page. */
const WATCHED_TYPES = ['Promotion', 'Deployment', 'Target', 'Agent', 'Deviation'];

/** Page of an environment: current and pending releases, targets, drift, policy and variables. */
export function EnvironmentPage() {
  const { id } = route.useParams();
  const answer = useLiveQuery(EnvironmentDocument, { id }, WATCHED_TYPES);
  return (
    <EntityPage
      of={answer}
      entity={(data) => data.environment}
      fault={t('environment.fault')}
      gone={t('environment.notFound')}
    >
      {(environment, data) => <Page environment={environment} data={data} />}
    </EntityPage>
  );
}

function Page({ environment, data }: { readonly environment: Environment; readonly data: EnvironmentQuery }) {
  const { id, targets } = environment;
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const { target } = view;
  const visible = targets.find((one) => one.id === target);
  const waiting = [...data.pending.edges, ...data.approved.edges].map(({ node }) => node);
  return (
    <Split panel={visible && <TargetPanel key={visible.id} id={visible.id} close={() => set({ target: undefined })} />}>
      <EnvironmentHead environment={environment} waiting={waiting.length} ask={(next) => set({ ask: next })} />
      <Now environment={environment} drift={data.estate.drift.totalCount} />
      <EnvironmentProducts products={environment.products} rollBack={(product) => set({ ask: 'rollback', product })} />
      <PendingPromotions promotions={waiting} />
      <Targets
        targets={targets}
        chosen={target}
        open={(next) => set({ target: next })}
        create={() => set({ ask: 'target' })}
      />
      <EnvironmentDrift environmentId={id} drift={data.estate.drift} />
      <div className={styles.two}>
        <Policy environment={environment} edit={() => set({ ask: 'edit' })} />
        <Variables environment={environment} edit={() => set({ ask: 'variables' })} />
      </div>
      <SelectedAction environment={environment} view={view} set={set} />
    </Split>
  );
}

type EnvironmentHeadProps = {
  readonly environment: Environment;
  readonly waiting: number;
  readonly ask: (question: Ask) => void;
};

function EnvironmentHead({ environment, waiting, ask }: EnvironmentHeadProps) {
  const { name, stageKind, products, estateState, viewerCanRemove } = environment;
  // Where several products run, each row of theirs has its own button.
  const [only, ...others] = products;
  const isOne = only !== undefined && others.length === 0;
  const canRollBack = isOne && only.viewerCanRollback.allowed;
  const isComplete = estateState === 'IN_SYNC' && otherReleases(environment).length === 0;
  const administers = hasScope('orch:admin');
  useCommands([
    ...(canRollBack
      ? [{ id: 'environment.rollback', keys: 'b', title: t('verb.rollback'), run: () => ask('rollback') }]
      : []),
    ...(administers
      ? ([
          { id: 'environment.edit', keys: 'e', title: t('environment.edit'), run: () => ask('edit') },
          { id: 'target.create', keys: 'c', title: t('target.create'), run: () => ask('target') },
          { id: 'variables.edit', keys: 'v', title: t('variables.edit'), run: () => ask('variables') },
        ] as const)
      : []),
  ]);
  const label = (deployment: { readonly release: Parameters<typeof releaseName>[0] }) =>
    releaseName(deployment.release);
  const running = products.flatMap(({ currentDeployment }) => currentDeployment ?? []);
  const active = products.flatMap(({ activeDeployment }) => activeDeployment ?? []);
  return (
    <>
      <PageHead
        crumbs={[{ path: '/environments', label: t('environments.title') }]}
        title={name}
        state={<Badge>{t(`kind.${stageKind}`)}</Badge>}
        // An environment that is in use has the button too: the refusal names the uses.
        actions={
          viewerCanRemove.code === 'PERM_SCOPE_DENIED'
            ? []
            : [{ id: 'environment.remove', title: t('environment.remove'), run: () => ask('remove') }]
        }
        verbs={
          canRollBack && (
            <Button onClick={() => ask('rollback')}>
              {t('verb.rollback')} <kbd>b</kbd>
            </Button>
          )
        }
      >
        {[
          running.length === 0
            ? t('environment.lead.nothing')
            : t(isComplete ? 'environment.lead.runs' : 'environment.lead.completed', {
                n: running.length,
                what: listText(running.map(label)),
              }),
          active.length === 0 ? '' : t('environment.lead.active', { what: listText(active.map(label)) }),
          waiting === 0 ? '' : t('environment.lead.waiting', { n: waiting }),
        ]
          .filter(Boolean)
          .join(' ')}
      </PageHead>
      {isOne && !canRollBack && only.currentDeployment !== null && (
        <div className={styles.rule}>
          <ForbiddenAction name={t('verb.name.rollback')} scope="orch:operate" permission={only.viewerCanRollback} />
        </div>
      )}
    </>
  );
}

function Now({ environment, drift }: { readonly environment: Environment; readonly drift: number }) {
  const { currentDeployment, products, targets } = environment;
  const active = products.flatMap(({ activeDeployment }) => activeDeployment ?? []);
  const [first] = active;
  return (
    <Gauges label={t('environment.gauges')}>
      <Gauge
        label={t('environments.column.runs')}
        value={
          products.length > 1
            ? t('environment.products.n', { n: products.length })
            : optional(currentDeployment, t('launch.noRelease'), (deployment) => (
                <DeploymentLink deployment={deployment} />
              ))
        }
        sub={<RunningReleaseLabels environment={environment} />}
      />
      <Gauge
        label={t('environments.column.active')}
        value={
          active.length > 1
            ? t('environment.deployments.n', { n: active.length })
            : optional(first ?? null, t('environment.noRelease'), (deployment) => (
                <DeploymentLink deployment={deployment} />
              ))
        }
        sub={active.length > 0 && <ActiveStatuses active={active} />}
      />
      <Gauge
        label={t('environments.column.targets')}
        big={t('of', { n: targets.filter(({ state }) => state === 'HEALTHY').length, of: targets.length })}
      />
      <Gauge label={t('environment.deviations')} big={count(drift)} sub={t('environment.deviations.sub')} />
    </Gauges>
  );
}

type Active = NonNullable<Environment['products'][number]['activeDeployment']>;

/** State of each deployment under way; of several with its link. */
const ActiveStatuses = ({ active }: { readonly active: readonly Active[] }) =>
  active.map((deployment) => (
    <span key={deployment.id} className="row">
      <DeploymentStatusLabel status={deployment.status} landing={null} paused={deployment.pauseReason} />
      {active.length > 1 && <DeploymentLink deployment={deployment} />}
    </span>
  ));

type DialogProps = {
  readonly environment: Environment;
  readonly view: { readonly ask?: Ask | undefined; readonly product?: string | undefined };
  readonly set: (next: { target?: string; ask?: Ask | undefined; product?: string | undefined }) => void;
};

function SelectedAction({ environment, view: { ask, product }, set }: DialogProps) {
  const close = () => set({ ask: undefined, product: undefined });
  const { id, name, products } = environment;
  const requestedProduct = products.length === 1 ? products[0] : products.find((one) => one.product.id === product);
  if (ask === 'rollback' && requestedProduct?.currentDeployment && requestedProduct.viewerCanRollback.allowed)
    return <RollbackDialog deploymentId={requestedProduct.currentDeployment.id} environmentId={id} close={close} />;
  if (!hasScope('orch:admin')) return null;
  if (ask === 'edit') return <EditEnvironment environment={environment} close={close} />;
  if (ask === 'remove') return <RemoveEnvironment environment={environment} close={close} />;
  if (ask === 'variables') return <VariablesForm environment={environment} close={close} />;
  if (ask === 'target')
    return (
      <CreateTarget environment={{ id, name }} close={close} created={(target) => set({ ask: undefined, target })} />
    );
  return null;
}

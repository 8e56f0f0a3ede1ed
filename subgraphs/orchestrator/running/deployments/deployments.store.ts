import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, json, oneOf, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { empty, jsonb, type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { strategies } from '../../shared/enums.ts';
import { planDocument } from '../plan/plan.ts';
import { type Anatomy, anatomyDocument } from './anatomy.ts';
import { hasEnded, isEnded } from './deployment-state.ts';
import type { Verdict } from './landing.ts';

export const states = [
  'queued',
  'preflight',
  'planning',
  'in_progress',
  'paused',
  'verifying',
  'completed',
  'failed',
  'cancelling',
  'cancelled',
  'rollback_in_progress',
  'rolled_back',
  'rollback_failed',
] as const;

export type State = (typeof states)[number];

export const pauseReasons = ['traffic_gate', 'manual'] as const;

export type PauseReason = (typeof pauseReasons)[number];

export const deployments = table(
  'orchestrator.deployments',
  {
    id: id('Deployment'),
    promotionId: id('Promotion'),
    releaseId: id('Release'),
    productId: id('Product'),
    environmentId: id('Environment'),
    kind: oneOf('deploy', 'rollback'),
    strategy: oneOf(...strategies),
    state: oneOf(...states),
    pauseReason: oneOf(...pauseReasons).nullable(),
    /** Seconds that were left until the deadline when the deployment was paused. */
    secondsLeft: integer.nullable(),
    /** Time of the next analysis of the gate; null if a person decides. */
    nextCheckAt: instant.nullable(),
    plan: json(planDocument),
    /** Reason that the caller gave for a rollback, halt or cancellation. */
    reason: text.nullable(),
    variableSetVersion: integer.nullable(),
    /** On a rollback, the deployment that it undoes; on that deployment, the rollback. */
    previousDeploymentId: id('Deployment').nullable(),
    undoneById: id('Deployment').nullable(),
    retryOfId: id('Deployment').nullable(),
    acknowledged: textArray,
    anatomy: json(anatomyDocument).nullable(),
    landing: oneOf('verified', 'mismatch', 'unverified').nullable(),
    launchedBy: text,
    createdAt: instant,
    startedAt: instant.nullable(),
    completedAt: instant.nullable(),
    deadlineAt: instant,
    version: integer,
  },
  { noun: 'deployment' },
);

export const { find, findLocked, get, listByIds, notFound } = deployments;

export type Deployment = RowOf<typeof deployments>;

export type DeploymentId = Id<'Deployment'>;

/** Deployment to insert; absent fields stay empty. */
export interface NewDeployment
  extends Pick<
      Deployment,
      'id' | 'promotionId' | 'releaseId' | 'productId' | 'environmentId' | 'kind' | 'launchedBy' | 'plan'
    >,
    Partial<Pick<Deployment, 'acknowledged' | 'reason' | 'previousDeploymentId' | 'retryOfId' | 'variableSetVersion'>> {
  readonly timeoutSeconds: number;
}

/** Fault of an environment with a running deployment or rollback (rulings 55). */
export const environmentBusy = ({
  id: deploymentId,
  environmentId,
  kind,
}: {
  readonly environmentId: string;
  readonly id?: string;
  readonly kind?: Deployment['kind'];
}): Fault => {
  const details = { environmentId, ...(deploymentId !== undefined && { deploymentId }) };
  return kind === 'rollback'
    ? new Fault(
        'DEPLOY_ROLLBACK_IN_PROGRESS',
        'This product is being rolled back in the environment. Wait until that ends.',
        details,
      )
    : new Fault(
        'DEPLOY_IN_PROGRESS',
        'Another deployment of this product is under way here. Wait until it ends, or halt or cancel it first.',
        details,
      );
};

/** Fault of an exclusive environment with a running deployment or rollback of another product. */
export const environmentConflict = (
  { id: environmentId, name }: { readonly id: string; readonly name: string },
  { id: deploymentId, productId, kind }: Pick<Deployment, 'id' | 'productId' | 'kind'>,
): Fault =>
  new Fault(
    kind === 'rollback' ? 'DEPLOY_ROLLBACK_IN_PROGRESS' : 'DEPLOY_IN_PROGRESS',
    `Another product is being ${kind === 'rollback' ? 'rolled back' : 'deployed'} in ${name}, which takes one product at a time. Wait until that ends.`,
    { environmentId, deploymentId, productId },
  );

/**
 * Inserts a deployment. A unique index admits one running deployment of a product in an environment; the loser waits at it and then
 * reads the winner for its fault.
 * @throws Fault DEPLOY_ROLLBACK_IN_PROGRESS, DEPLOY_IN_PROGRESS
 */
export const insert = async (tx: Tx, tenant: TenantId, values: NewDeployment): Promise<Deployment> => {
  const created = await tx.find(
    deployments,
    sql`/* orchestrator.deployments.insert */
    insert into orchestrator.deployments
      (tenant, id, promotion_id, release_id, product_id, environment_id, kind, strategy, plan, acknowledged, launched_by, reason,
        variable_set_version, previous_deployment_id, retry_of_id, deadline_at)
    values (${tenant}, ${values.id}, ${values.promotionId}, ${values.releaseId}, ${values.productId},
      ${values.environmentId}, ${values.kind},
      ${values.plan.strategy}, ${jsonb(values.plan)}, ${values.acknowledged ?? []}, ${values.launchedBy},
      ${values.reason ?? null}, ${values.variableSetVersion ?? null}, ${values.previousDeploymentId ?? null},
      ${values.retryOfId ?? null}, kernel.now() + make_interval(secs => ${values.timeoutSeconds}))
    on conflict (tenant, product_id, environment_id) where not ${hasEnded} do nothing
    returning ${deployments.columns}`,
  );
  if (created) return created;
  const [active] = await listActiveIn(tx, tenant, [values]);
  throw environmentBusy(active ?? { environmentId: values.environmentId });
};

/** A product in an environment. */
export interface ProductEnvironment {
  readonly productId: Id<'Product'>;
  readonly environmentId: Id<'Environment'>;
}

export interface DeploymentFilter {
  readonly productId?: Id<'Product'>;
  readonly releaseId?: Id<'Release'>;
  readonly environmentId?: Id<'Environment'>;
  readonly status?: State;
}

const matching = ({ productId, releaseId, environmentId, status }: DeploymentFilter): Sql => sql`
  ${productId === undefined ? empty : sql`and product_id = ${productId}`}
  ${releaseId === undefined ? empty : sql`and release_id = ${releaseId}`}
  ${environmentId === undefined ? empty : sql`and environment_id = ${environmentId}`}
  ${status === undefined ? empty : sql`and state = ${status}`}`;

/** Lists deployments, newest first by id. Clocks of servers differ, so rules compare `created_at` instead. */
export const list = (
  query: Query,
  tenant: TenantId,
  filter: DeploymentFilter,
  limit: number,
  before: string | undefined,
) =>
  deployments.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} ${matching(filter)} ${before === undefined ? empty : sql`and id < ${before}`}
    order by id desc limit ${limit}`,
  );

/** SQL condition: deployments of these products in these environments. */
export const isIn = (productEnvironments: readonly ProductEnvironment[]): Sql => sql`
  (product_id, environment_id) in (select * from unnest(
    ${productEnvironments.map(({ productId }) => productId)}::uuid[], ${productEnvironments.map(({ environmentId }) => environmentId)}::uuid[]))`;

/** Lists the running deployment of each product in each environment. */
export const listActiveIn = (query: Query, tenant: TenantId, productEnvironments: readonly ProductEnvironment[]) =>
  deployments.listWhere(
    query,
    'listActiveIn',
    sql`tenant = ${tenant} and ${isIn(productEnvironments)} and not ${hasEnded}`,
  );

const landed = table('orchestrator.deployments.landed', { releaseId: id('Release'), environmentId: id('Environment') });

/** Lists the environments in which each of these releases completed and was verified. */
export const listLanded = (query: Query, tenant: TenantId, releases: readonly Id<'Release'>[]) =>
  query.list(
    landed,
    sql`/* orchestrator.deployments.listLanded */
    select distinct ${landed.columns} from orchestrator.deployments
    where tenant = ${tenant} and release_id = any(${releases}::uuid[])
      and state = 'completed' and landing = 'verified'`,
  );

export interface Settled {
  readonly anatomy?: Anatomy;
  readonly landing?: Verdict;
  readonly reason?: string;
}

/** Changes the state of a locked deployment; throws when its version changed, which is a bug of the caller. */
export const move = (
  tx: Tx,
  tenant: TenantId,
  deployment: Pick<Deployment, 'id' | 'version'>,
  state: Exclude<State, 'paused'>,
  { anatomy, landing, reason }: Settled = {},
): Promise<Deployment> => {
  // The runner that begins a deployment keeps its lease while it asks the registry.
  const lease = state === 'preflight' ? sql`lease_until` : sql`null`;
  return tx.get(
    deployments,
    sql`/* orchestrator.deployments.move */
    update orchestrator.deployments set
      state = ${state},
      anatomy = coalesce(${anatomy === undefined ? null : jsonb(anatomy)}::jsonb, anatomy),
      landing = coalesce(${landing ?? null}, landing),
      reason = coalesce(${reason ?? null}, reason),
      started_at = coalesce(started_at, kernel.now()),
      completed_at = ${isEnded({ state }) ? sql`coalesce(completed_at, kernel.now())` : sql`null`},
      lease_until = ${lease},
      pause_reason = null,
      -- The time it waited does not count.
      deadline_at = coalesce(kernel.now() + make_interval(secs => seconds_left), deadline_at),
      seconds_left = null,
      next_check_at = null,
      version = version + 1
    where tenant = ${tenant} and id = ${deployment.id} and version = ${deployment.version}
    returning ${deployments.columns}`,
  );
};

/** Pauses a running, locked deployment until a person or its analysis resumes it, or `limitSeconds` have passed. */
export const pause = (
  tx: Tx,
  tenant: TenantId,
  deployment: Pick<Deployment, 'id' | 'version'>,
  reason: PauseReason,
  limitSeconds: number,
  nextCheckSeconds: number | undefined,
) =>
  tx.get(
    deployments,
    sql`/* orchestrator.deployments.pause */
    update orchestrator.deployments set
      state = 'paused',
      pause_reason = ${reason},
      seconds_left = greatest(1, ceil(extract(epoch from deadline_at - kernel.now())))::integer,
      deadline_at = kernel.now() + make_interval(secs => ${limitSeconds}),
      next_check_at = kernel.now() + make_interval(secs => ${nextCheckSeconds ?? null}::double precision),
      lease_until = null,
      version = version + 1
    where tenant = ${tenant} and id = ${deployment.id} and version = ${deployment.version}
    returning ${deployments.columns}`,
  );

/** Schedules the next analysis of a locked deployment's gate and ends the runner's lease. */
export const scheduleAnalysis = (tx: Tx, tenant: TenantId, deploymentId: Id<'Deployment'>, seconds: number) =>
  tx.run(sql`/* orchestrator.deployments.scheduleAnalysis */
    update orchestrator.deployments
    set next_check_at = kernel.now() + make_interval(secs => ${seconds}), lease_until = null
    where tenant = ${tenant} and id = ${deploymentId}`);

/** Ends the analysis of a locked deployment's gate, which then waits for a person. */
export const endAnalysis = (tx: Tx, tenant: TenantId, deploymentId: Id<'Deployment'>) =>
  tx.run(sql`/* orchestrator.deployments.endAnalysis */
    update orchestrator.deployments set next_check_at = null, lease_until = null
    where tenant = ${tenant} and id = ${deploymentId}`);

/** Sets the deadline of a locked deployment, in seconds from now. */
export const setDeadline = (tx: Tx, tenant: TenantId, deploymentId: Id<'Deployment'>, seconds: number) =>
  tx.get(
    deployments,
    sql`/* orchestrator.deployments.setDeadline */
    update orchestrator.deployments
    set deadline_at = kernel.now() + make_interval(secs => ${seconds})
    where tenant = ${tenant} and id = ${deploymentId}
    returning ${deployments.columns}`,
  );

/** Increments the version of a deployment after a change of its targets or their steps. */
export const touch = (tx: Tx, tenant: TenantId, deployment: Id<'Deployment'>) =>
  deployments.update(tx, tenant, deployment, {});

/** Marks an ended, locked deployment as being undone by a rollback. */
export const markRollingBack = (tx: Tx, tenant: TenantId, undoneDeployment: DeploymentId, rollback: DeploymentId) =>
  deployments.update(tx, tenant, undoneDeployment, { state: 'rollback_in_progress', undoneById: rollback });

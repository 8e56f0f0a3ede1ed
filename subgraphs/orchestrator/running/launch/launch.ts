import type { Who } from '@landfall/kernel/core/caller';
import { type Ids, toId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import * as environments from '../../catalogue/environments/environment.ts';
import * as products from '../../catalogue/products/product.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { listReadiness } from '../../catalogue/targets/agent-readiness.ts';
import * as targetsStore from '../../catalogue/targets/target.ts';
import * as variableSets from '../../catalogue/variables/variable-sets.ts';
import { getApprovingActor } from '../../deciding/promotions/approving-actor.ts';
import { acknowledgedOutcomeDetails, outcomesRefusal } from '../../deciding/promotions/outcome-rule.ts';
import type { PromotionCase } from '../../deciding/promotions/ports.ts';
import * as promotions from '../../deciding/promotions/promotion.ts';
import { refuse } from '../../shared/permission.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { insertDeployment } from '../deployments/create-deployment.ts';
import * as deployments from '../deployments/deployment.ts';
import { deploymentHistory } from '../deployments/deployment-history.ts';
import type { Plan } from '../plan/plan.ts';
import type { Preflight } from '../preflight/preflight.ts';
import type { PreflightReport } from '../preflight/preflight-rules.ts';
import { exclusiveLaunchRefusal, launchRefusal, readinessRefusal } from './launch-rule.ts';

/** Locked promotion to launch. */
interface Launch {
  readonly promotion: promotions.Promotion;
  /** Preflight report from just before the launch. */
  readonly report: PreflightReport;
  /** Plans the deployment; throws Fault VAL_INVALID_VALUE. */
  plan(environment: environments.Environment, enabled: readonly targetsStore.Target[]): Plan;
  readonly acknowledged: readonly string[];
  /** Deployments whose adverse outcome the caller acknowledged. */
  readonly acknowledgedOutcomes: readonly string[];
  /** Failed deployment that a retry repeats; its outcome needs no acknowledgement. */
  readonly retryOf?: deployments.Deployment;
}

/** Reads release and environment of a promotion, in the order in which rows are locked. */
const subjectOf = async (query: Query, caller: Who, promotion: promotions.Promotion) => {
  const release = await releases.find(query, caller.tenant, promotion.releaseId);
  if (!release) throw new TypeError(`promotion ${promotion.id} has lost its release`);
  const steps = await products.listPathEntriesOf(query, caller.tenant, release.productId);
  const entry = steps.find(({ environment }) => environment.id === promotion.targetEnvironmentId);
  const environment =
    entry?.environment ?? (await environments.get(query, caller.tenant, promotion.targetEnvironmentId));
  const landings = await deploymentHistory.listLanded(query, caller.tenant, [release.id]);
  const landed = landings.map(({ environmentId }) => environmentId);
  const launcher = await getApprovingActor(query, caller, [promotion.id]);
  return { launcher, promotion, release, environment, step: entry?.step, steps, landed };
};

/** Step of the path that a deployment goes to, with its release. */
interface Reached {
  readonly environment: environments.Environment;
  readonly release: releases.Release;
  readonly step: products.PathEntry['step'] | undefined;
  readonly kind: 'deploy' | 'rollback';
}

interface LaunchStatements {
  /** Records that the environment's gates admitted the release, in the transaction of the launch. */
  launched(tx: Tx, caller: Who, about: PromotionCase, deployment: deployments.Deployment): Promise<void>;
}

interface LaunchingDeps {
  readonly ids: Ids;
  readonly statements: LaunchStatements;
}

type Launching = ReturnType<typeof createLauncher>;

/** Dependencies of the operations that deploy. */
export interface DeployingDeps extends Pick<Deps, 'operation'> {
  readonly preflight: Preflight;
  readonly launching: Launching;
}

/** Creates deployments, for launches, retries and rollbacks. */
export const createLauncher = ({ ids, statements }: LaunchingDeps) => {
  /** Takes an exclusive environment for a product; throws the Fault of another product's deployment there. */
  const expectFree = async (tx: Tx, caller: Who, { environment, release }: Reached): Promise<void> => {
    if (!environment.isExclusive) return;
    await environments.lockExclusively(tx, caller.tenant, environment.id);
    const active = await deployments.listActiveAt(tx, caller.tenant, [environment.id]);
    refuse(exclusiveLaunchRefusal(environment, release.productId, active));
  };

  /**
   * Takes an exclusive environment, and locks and claims the targets that a deployment would include; throws a Fault in the
   * order of rulings 25.
   */
  const reach = async (
    tx: Tx,
    caller: Who,
    reached: Reached,
    report: PreflightReport,
  ): Promise<readonly targetsStore.Target[]> => {
    await expectFree(tx, caller, reached);
    const { environment, release, step, kind } = reached;
    const enabled = await targetsStore.lockEnabled(
      tx,
      caller.tenant,
      environment.id,
      targetsStore.reachOf(release, step, kind),
    );
    const readiness = await listReadiness(tx, caller.tenant, enabled);
    refuse(readinessRefusal(enabled, release, readiness, report));
    await targetsStore.claim(tx, caller, enabled, release.productId);
    return enabled;
  };

  return {
    reach,
    newId: () => toId(ids.uuid(), 'Deployment'),

    /** Creates the deployment of an approved promotion after every check of a launch. */
    async launch(tx: Tx, caller: Who, request: Launch) {
      const { promotion, report, plan, acknowledged, acknowledgedOutcomes, retryOf } = request;
      const subject = await subjectOf(tx, caller, promotion);
      refuse(launchRefusal(retryOf ? { ...subject, landed: undefined } : subject));
      const { environment, release } = subject;
      const key = { productId: release.productId, environmentId: environment.id };
      const [active] = await deployments.listActiveIn(tx, caller.tenant, [key]);
      if (active) throw deployments.environmentBusy(active);
      const enabled = await reach(tx, caller, { ...subject, kind: 'deploy' }, report);
      const completed = await deployments.listOutcomes(tx, caller.tenant, [release.id]);
      const known = completed.filter(({ id }) => id !== retryOf?.id);
      refuse(outcomesRefusal(known, acknowledgedOutcomes));
      const variables = await variableSets.findNewest(tx, caller.tenant, environment.id);
      const deployment = await insertDeployment(
        tx,
        caller,
        {
          id: toId(ids.uuid(), 'Deployment'),
          promotionId: promotion.id,
          releaseId: release.id,
          ...key,
          kind: 'deploy',
          plan: plan(environment, enabled),
          acknowledged,
          launchedBy: caller.subject,
          timeoutSeconds: environment.deployTimeoutSeconds,
          variableSetVersion: variables?.version ?? null,
          ...(retryOf && { retryOfId: retryOf.id }),
        },
        enabled,
      );
      const deploying = await promotions.setState(tx, caller.tenant, promotion.id, 'deploying', caller.subject);
      await publishEvent(tx, caller, retryOf ? 'deployment.retry' : 'deployment.launch', 'Deployment', deployment, {
        promotion: promotion.id,
        release: release.id,
        environment: environment.id,
        strategy: deployment.strategy,
        acknowledged,
        ...acknowledgedOutcomeDetails(known, acknowledgedOutcomes),
        ...(retryOf && { retryOf: retryOf.id }),
      });
      await publishEvent(tx, caller, 'promotion.deploying', 'Promotion', deploying, { deployment: deployment.id });
      await statements.launched(tx, caller, { promotion, release, environment }, deployment);
      return deployment;
    },
  };
};

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
import { launchRefusal, readinessRefusal, takenRefusal } from './launch-rule.ts';

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
const subjectOf = async (query: Query, who: Who, promotion: promotions.Promotion) => {
  const release = await releases.find(query, who.tenant, promotion.releaseId);
  if (!release) throw new TypeError(`promotion ${promotion.id} has lost its release`);
  const steps = await products.listPathEntriesOf(query, who.tenant, release.productId);
  const entry = steps.find(({ environment }) => environment.id === promotion.targetEnvironmentId);
  const environment = entry?.environment ?? (await environments.get(query, who.tenant, promotion.targetEnvironmentId));
  const landings = await deploymentHistory.listLanded(query, who.tenant, [release.id]);
  const landed = landings.map(({ environmentId }) => environmentId);
  const launcher = await getApprovingActor(query, who, [promotion.id]);
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
  launched(tx: Tx, who: Who, about: PromotionCase, deployment: deployments.Deployment): Promise<void>;
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
  const expectFree = async (tx: Tx, who: Who, { environment, release }: Reached): Promise<void> => {
    if (!environment.isExclusive) return;
    await environments.lockExclusively(tx, who.tenant, environment.id);
    const active = await deployments.listActiveAt(tx, who.tenant, [environment.id]);
    refuse(takenRefusal(environment, release.productId, active));
  };

  /**
   * Takes an exclusive environment, and locks and claims the targets that a deployment would include; throws a Fault in the
   * order of rulings 25.
   */
  const reach = async (
    tx: Tx,
    who: Who,
    reached: Reached,
    report: PreflightReport,
  ): Promise<readonly targetsStore.Target[]> => {
    await expectFree(tx, who, reached);
    const { environment, release, step, kind } = reached;
    const enabled = await targetsStore.lockEnabled(
      tx,
      who.tenant,
      environment.id,
      targetsStore.reachOf(release, step, kind),
    );
    const readiness = await listReadiness(tx, who.tenant, enabled);
    refuse(readinessRefusal(enabled, release, readiness, report));
    await targetsStore.claim(tx, who, enabled, release.productId);
    return enabled;
  };

  return {
    reach,
    newId: () => toId(ids.uuid(), 'Deployment'),

    /** Creates the deployment of an approved promotion after every check of a launch. */
    async launch(tx: Tx, who: Who, request: Launch) {
      const { promotion, report, plan, acknowledged, acknowledgedOutcomes, retryOf } = request;
      const subject = await subjectOf(tx, who, promotion);
      refuse(launchRefusal(retryOf ? { ...subject, landed: undefined } : subject));
      const { environment, release } = subject;
      const place = { productId: release.productId, environmentId: environment.id };
      const [active] = await deployments.listActiveIn(tx, who.tenant, [place]);
      if (active) throw deployments.environmentBusy(active);
      const enabled = await reach(tx, who, { ...subject, kind: 'deploy' }, report);
      const ended = await deployments.listOutcomes(tx, who.tenant, [release.id]);
      const known = ended.filter(({ id }) => id !== retryOf?.id);
      refuse(outcomesRefusal(known, acknowledgedOutcomes));
      const variables = await variableSets.findNewest(tx, who.tenant, environment.id);
      const deployment = await insertDeployment(
        tx,
        who,
        {
          id: toId(ids.uuid(), 'Deployment'),
          promotionId: promotion.id,
          releaseId: release.id,
          ...place,
          kind: 'deploy',
          plan: plan(environment, enabled),
          acknowledged,
          launchedBy: who.subject,
          timeoutSeconds: environment.deployTimeoutSeconds,
          variableSetVersion: variables?.version ?? null,
          ...(retryOf && { retryOfId: retryOf.id }),
        },
        enabled,
      );
      const deploying = await promotions.setState(tx, who.tenant, promotion.id, 'deploying', who.subject);
      await publishEvent(tx, who, retryOf ? 'deployment.retry' : 'deployment.launch', 'Deployment', deployment, {
        promotion: promotion.id,
        release: release.id,
        environment: environment.id,
        strategy: deployment.strategy,
        acknowledged,
        ...acknowledgedOutcomeDetails(known, acknowledgedOutcomes),
        ...(retryOf && { retryOf: retryOf.id }),
      });
      await publishEvent(tx, who, 'promotion.deploying', 'Promotion', deploying, { deployment: deployment.id });
      await statements.launched(tx, who, { promotion, release, environment }, deployment);
      return deployment;
    },
  };
};

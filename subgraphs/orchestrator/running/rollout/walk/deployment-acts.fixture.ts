import assert from 'node:assert/strict';
import type { Assignment } from '@landfall/agent/protocol/messages';
import { people } from '@landfall/kernel/testing/callers';
import { failedAt, isAssignment, landedAt } from '../../../testing/deploying-app.ts';
import * as deploymentModel from '../model/deployments.model.ts';
import * as model from '../model/entities.model.ts';
import * as rollbackModel from '../model/rollbacks.model.ts';
import * as targetModel from '../model/targets.model.ts';
import { acknowledgements, describePromotion, learn, type Maker, openOf, other, reason } from './act.fixture.ts';
import { PERSONS } from './walked-tenant.fixture.ts';

export const launch: Maker = (tenant, choices) => {
  const { app, as, known } = tenant;
  const promotion = choices.recent(choices.once(8) ? known.promotions : openOf(tenant, 'approved'), 3);
  if (!promotion) return undefined;
  const isHopeless = targetModel.reach(known, promotion.release.product, promotion.environment).length === 0;
  if (isHopeless && !choices.once(6)) return undefined;
  const by = choices.one(PERSONS);
  const acknowledged = acknowledgements(tenant, choices, promotion.release);
  const expected = deploymentModel.launch(known, promotion, { by: people[by].subject, acknowledged });
  const deployment = expected === undefined ? known.deployments.at(-1) : undefined;
  return {
    summary: `launch ${describePromotion(promotion)} by ${by}`,
    expected,
    touches: [promotion.release.product],
    call: () =>
      app.module.deployments.launch(as(by), {
        promotionId: promotion.id,
        acknowledgeOutcomes: acknowledged.map(({ id }) => id),
      }),
    made: learn(deployment),
  };
};

export const turn: Maker = (tenant) => {
  const { app, known, agents, tasks } = tenant;
  const queued = known.deployments.filter(({ state }) => state === 'queued');
  deploymentModel.turn(known);
  return {
    summary: `turn of the runner: ${queued.length} deployments`,
    expected: undefined,
    touches: queued.map(model.productOf),
    async call() {
      for (let started = 1; started > 0; ) started = await app.module.runOnce.runner();
      const byId = new Map(known.targets.map((target) => [target.id, target]));
      for (const agent of agents)
        for (let next = await app.lease(agent); isAssignment(next); next = await app.lease(agent)) {
          const target = byId.get(next.task.targetId);
          if (target) tasks.set(target, next);
        }
      const waiting = queued.flatMap((each) => (each.state === 'in_progress' ? [...each.targets.keys()] : []));
      assert.ok(
        waiting.every((target) => tasks.has(target)),
        'every target of the deployment has a task',
      );
    },
  };
};

const LANDINGS: readonly model.Landing[] = ['verified', 'verified', 'unverified', 'mismatch', 'failed'];

const reportOf = (how: model.Landing, assignment: Assignment): object => {
  if (how === 'failed') return failedAt('registry-unreachable', 'ECONNREFUSED');
  if (how === 'verified') return landedAt(assignment);
  return landedAt(assignment, { observedDigest: how === 'mismatch' ? other : null });
};

export const land: Maker = (tenant, choices) => {
  const { app, known, agents, agentOf, tasks } = tenant;
  const deployment = choices.maybe(known.deployments.filter(({ state }) => state === 'in_progress'));
  const target = [...(deployment?.targets ?? [])].find(([, end]) => end === null)?.[0];
  const agent = target && agents[agentOf.get(target) ?? 0];
  if (!deployment || !target || !agent) return undefined;
  const how = choices.once(2) ? 'verified' : choices.one(LANDINGS);
  deploymentModel.land(known, deployment, target, how);
  return {
    summary: `${how} landing of ${describePromotion(deployment.promotion)} on ${target.id}`,
    expected: undefined,
    touches: [model.productOf(deployment)],
    async call() {
      const assignment = tasks.get(target);
      assert.ok(assignment);
      tasks.delete(target);
      await app.report(agent, assignment, 1, reportOf(how, assignment));
    },
  };
};

export const cancelDeployment: Maker = ({ app, as, known }, choices) => {
  const deployment = choices.recent(known.deployments.filter(({ state }) => state !== 'in_progress'));
  if (!deployment) return undefined;
  return {
    summary: `cancel the deployment of ${describePromotion(deployment.promotion)}, ${deployment.state}`,
    expected: deploymentModel.cancelDeployment(known, deployment),
    touches: [model.productOf(deployment)],
    call: () => app.module.deployments.cancel(as('operator'), { id: deployment.id, reason }),
  };
};

export const rollBack: Maker = ({ app, as, known }, choices) => {
  const environment = choices.one(known.environments);
  const product = choices.once(3) ? undefined : choices.maybe(rollbackModel.deployedTo(known, environment));
  if (product === undefined && !choices.once(3)) return undefined;
  const choicesOfIt = product ? rollbackModel.rollbackChoices(known, product, environment) : [];
  const wanted = choices.once(3) ? choices.maybe(choices.once(2) ? known.deployments : choicesOfIt) : undefined;
  const before = known.deployments.length;
  const expected = rollbackModel.rollBack(known, environment, product, wanted);
  const created = known.deployments.length > before ? known.deployments.at(-1) : undefined;
  const touched = [product, wanted && model.productOf(wanted), created && model.productOf(created)];
  return {
    summary: `roll ${product?.name ?? 'something'} back in ${environment.orderIndex}`,
    expected,
    touches: touched.flatMap((each) => each ?? []),
    call: () =>
      app.module.deployments.rollback(as('operator'), {
        environmentId: environment.id,
        ...(product && { productId: product.id }),
        ...(wanted && { toDeploymentId: wanted.id }),
        reason,
      }),
    made: learn(created),
  };
};

export const retry: Maker = (tenant, choices) => {
  const { app, as, known } = tenant;
  const failed = known.deployments.filter(({ isRetryable }) => isRetryable);
  const deployment = choices.recent(choices.once(4) ? known.deployments : failed, 3);
  if (!deployment) return undefined;
  const by = choices.one(PERSONS);
  const acknowledged = acknowledgements(tenant, choices, deployment.promotion.release);
  const expected = deploymentModel.retry(known, deployment, { by: people[by].subject, acknowledged });
  const created = expected === undefined ? known.deployments.at(-1) : undefined;
  return {
    summary: `retry ${describePromotion(deployment.promotion)} by ${by}`,
    expected,
    touches: [model.productOf(deployment)],
    call: () =>
      app.module.deployments.retry(as(by), {
        id: deployment.id,
        acknowledgeOutcomes: acknowledged.map(({ id }) => id),
      }),
    made(value) {
      learn(created)(value);
      if (created) created.promotion.id = String(Reflect.get(Object(value), 'promotionId'));
    },
  };
};

import type * as model from '../model/entities.model.ts';
import * as estateModel from '../model/estate.model.ts';
import * as targetModel from '../model/targets.model.ts';
import { type Act, LABELS, labelPairs, learn, type Maker, other, TAGS, versionOf } from './act.fixture.ts';
import type { Choices } from './choices.fixture.ts';
import type { Tenant } from './walked-tenant.fixture.ts';

const MAX_TARGETS = 14;

export const createTarget: Maker = (tenant, choices) => {
  const { app, as, known, agents, agentOf } = tenant;
  if (known.targets.filter(({ isRemoved }) => !isRemoved).length >= MAX_TARGETS) return undefined;
  const environment = choices.one(known.environments);
  const product = choices.once(2) ? null : (choices.maybe(known.products) ?? null);
  const labels = choices.one(LABELS);
  const agent = choices.below(agents.length);
  const expected = targetModel.createTarget(known, environment, product, labels);
  const target = expected === undefined ? known.targets.at(-1) : undefined;
  if (target) agentOf.set(target, agent);
  tenant.count += 1;
  const input = {
    environmentId: environment.id,
    name: `target-${tenant.count}`,
    driver: 'process',
    config: { port: 20_000 },
    agentId: agents[agent]?.id,
    labels: labelPairs(labels),
    ...(product && { productId: product.id }),
  };
  return {
    summary: `create ${input.name} of ${product?.name ?? 'nobody'}`,
    expected,
    touches: [target ?? null, product],
    call: () => app.module.targets.create(as('operator'), input),
    made: learn(target),
  };
};

type TargetChange = (
  tenant: Tenant,
  target: model.Target,
  choices: Choices,
) => Pick<Act, 'summary' | 'expected'> & {
  call(input: { readonly id: string; readonly expectedVersion: number }): Promise<unknown>;
};

const targetAct =
  (change: TargetChange): Maker =>
  (tenant, choices) => {
    const target = choices.maybe(tenant.known.targets);
    if (!target) return undefined;
    const owner = target.product;
    const input = { id: target.id, expectedVersion: versionOf(tenant, target, false) };
    const { summary, expected, call } = change(tenant, target, choices);
    return { summary, expected, touches: [target, owner, target.product], call: () => call(input) };
  };

export const moveTarget = targetAct(({ app, as, known }, target, choices) => {
  const product = choices.once(4) ? null : (choices.maybe(known.products) ?? null);
  return {
    summary: `give target ${target.id} to ${product?.name ?? 'nobody'}`,
    expected: targetModel.moveTarget(known, target, product),
    call: (input) => app.module.targets.update(as('operator'), { ...input, productId: product?.id ?? null }),
  };
});

export const labelTarget = targetAct(({ app, as }, target, choices) => {
  const labels = choices.one(LABELS);
  return {
    summary: `label target ${target.id}`,
    expected: targetModel.labelTarget(target, labels),
    call: (input) => app.module.targets.update(as('operator'), { ...input, labels: labelPairs(labels) }),
  };
});

export const toggleTarget = targetAct(({ app, as, known }, target, choices) => {
  const isEnabled = target.isEnabled ? choices.once(4) : !choices.once(4);
  return {
    summary: `${isEnabled ? 'enable' : 'disable'} target ${target.id}`,
    expected: targetModel.toggleTarget(known, target, isEnabled),
    call: (input) => app.module.targets[isEnabled ? 'enable' : 'disable'](as('operator'), input),
  };
});

export const removeTarget = targetAct(({ app, as, known }, target) => ({
  summary: `remove target ${target.id}`,
  expected: targetModel.removeTarget(known, target),
  call: (input) => app.module.targets.remove(as('operator'), input),
}));

export const observe: Maker = ({ app, known, agents, agentOf }, choices, images) => {
  const target = choices.maybe(known.targets.filter(({ isRemoved }) => !isRemoved));
  const agent = target && agents[agentOf.get(target) ?? 0];
  if (!target || !agent) return undefined;
  const component = choices.one(['web', 'web', 'api', 'miner']);
  const digest = choices.once(3)
    ? other
    : (target.approved.get(component) ?? images.digestOf('shop/web', choices.one(TAGS)));
  estateModel.observe(target, component, digest);
  return {
    summary: `${component} is seen on ${target.id}`,
    expected: undefined,
    // A beat also settles the health of the agent's other targets.
    touches: known.targets.filter((each) => agentOf.get(each) === agentOf.get(target)),
    async call() {
      // Observations older than the last landing are discarded.
      await app.clock.advance(1);
      const observedAt = app.deps.clock.now().toISOString();
      const observed = [{ targetId: target.id, component, running: true, digest, reason: null, observedAt }];
      return app.beat(agent, { observed });
    },
  };
};

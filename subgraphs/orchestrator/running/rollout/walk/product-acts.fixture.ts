import type { DeployingApp } from '../../../testing/deploying-app.ts';
import type * as model from '../model/entities.model.ts';
import * as pathModel from '../model/paths.model.ts';
import * as productModel from '../model/products.model.ts';
import { labelPairs, learn, type Maker, NAMES, versionOf } from './act.fixture.ts';
import type { Choices } from './choices.fixture.ts';
import type { Tenant } from './walked-tenant.fixture.ts';

const SELECTORS: readonly model.Labels[] = [{}, {}, {}, {}, { ring: '1' }, { region: 'eu' }];

const declarations = (choices: Choices, registry: DeployingApp['registry']): readonly model.Declared[] | null => {
  if (choices.once(2)) return null;
  return ['web', 'api'].slice(0, 1 + choices.below(2)).map((name) => ({
    name,
    repository: registry.repository(name === 'api' ? 'shop/api' : choices.one(['shop/web', 'shop/web', 'other/web'])),
    required: !choices.once(3),
  }));
};

export const createProduct: Maker = ({ app, as, known }, choices) => {
  const name = choices.one(NAMES);
  const components = declarations(choices, app.registry);
  const expected = productModel.createProduct(known, name, components);
  const product = expected === undefined ? known.products.at(-1) : undefined;
  return {
    summary: `create product ${name} of ${components?.map((each) => each.name) ?? 'anything'}`,
    expected,
    touches: [product ?? null],
    call: () => app.module.products.create(as('operator'), { name, ...(components && { components }) }),
    made: learn(product),
  };
};

export const declareComponents: Maker = (tenant, choices) => {
  const { app, as, known } = tenant;
  const product = choices.recent(known.products, 3);
  if (!product) return undefined;
  const components = declarations(choices, app.registry);
  const isStale = choices.once(10);
  const expected = isStale && !product.isRemoved ? 'RES_VERSION_CONFLICT' : productModel.declare(product, components);
  const input = { id: product.id, expectedVersion: versionOf(tenant, product, isStale), components };
  return {
    summary: `declare components of ${product.name}`,
    expected,
    touches: [product],
    call: () => app.module.products.update(as('operator'), input),
  };
};

export const removeProduct: Maker = (tenant, choices) => {
  const { app, as, known } = tenant;
  const product = choices.recent(known.products, 3);
  if (!product) return undefined;
  const input = { id: product.id, expectedVersion: versionOf(tenant, product, false) };
  return {
    summary: `remove product ${product.name}`,
    expected: productModel.removeProduct(known, product),
    touches: [product],
    call: () => app.module.products.remove(as('operator'), input),
  };
};

const policyOf = (choices: Choices): model.Policy => {
  if (choices.once(2)) return {};
  return {
    ...(choices.once(2) && { requiredApprovals: choices.below(3) }),
    ...(choices.once(3) && { separationOfDuties: choices.one(['off', 'author'] as const) }),
    ...(choices.once(3) && { relaxes: true }),
  };
};

/** Path of some environments in any order, which is rarely wrong. */
const stepsOf = ({ known: { environments } }: Tenant, choices: Choices): model.Step[] => {
  const environmentIds = environments.filter(() => !choices.once(4));
  if (choices.once(3)) environmentIds.reverse();
  const steps = environmentIds.map((environment, index): model.Step => {
    const others: (model.Environment | undefined)[] = choices.once(40)
      ? environmentIds
      : environmentIds.slice(0, index);
    const after = choices.once(3) ? choices.some(others) : others.slice(-1 - choices.below(2));
    return {
      environment: choices.once(80) ? undefined : environment,
      after: choices.once(80) ? [...after, undefined] : after,
      need: choices.one(['all', 'any']),
      labels: choices.one(SELECTORS),
      policy: policyOf(choices),
    };
  });
  return choices.once(40) ? [...steps, ...steps.slice(0, 1)] : steps;
};

const nowhere = '00000000-0000-7000-8000-00000000ffff';

export const setPath: Maker = (tenant, choices) => {
  const { app, as, known } = tenant;
  const product = choices.recent(known.products, 3);
  const steps = choices.once(4) ? null : stepsOf(tenant, choices);
  if (!product || steps?.length === 0) return undefined;
  const environmentIdOf = (environment: model.Environment | undefined): string => environment?.id ?? nowhere;
  const input = {
    id: product.id,
    expectedVersion: versionOf(tenant, product, false),
    steps:
      steps?.map(({ environment, after, need, labels, policy }) => ({
        environmentId: environmentIdOf(environment),
        after: after.map(environmentIdOf),
        need,
        targetLabels: labelPairs(labels),
        policy,
      })) ?? null,
  };
  return {
    summary: `path of ${product.name}: ${JSON.stringify(input.steps)}`,
    expected: pathModel.setPath(product, steps),
    touches: [product],
    call: () => app.module.products.setPath(as('operator'), input),
  };
};

export const changeEnvironment: Maker = (tenant, choices) => {
  const { app, as, known } = tenant;
  const environment = choices.one(known.environments);
  const requiredApprovals = choices.one([0, 0, 1, 1, 2]);
  const separationOfDuties = choices.one(['off', 'off', 'author'] as const);
  const isExclusive = choices.once(3);
  Object.assign(environment, { requiredApprovals, separationOfDuties, isExclusive });
  return {
    summary: `environment needs ${requiredApprovals} approvals, duties ${separationOfDuties}, exclusive ${isExclusive}`,
    expected: undefined,
    touches: [],
    async call() {
      const { id } = environment;
      const { version: expectedVersion } = await app.module.environments.get(as('viewer'), { id });
      return app.module.environments.update(as('operator'), {
        id,
        expectedVersion,
        requiredApprovals,
        separationOfDuties,
        isExclusive,
      });
    },
  };
};

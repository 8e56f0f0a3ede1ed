import assert from 'node:assert/strict';
import * as deploymentModel from '../model/deployments.model.ts';
import * as model from '../model/entities.model.ts';
import * as estateModel from '../model/estate.model.ts';
import * as pathModel from '../model/paths.model.ts';
import * as rollbackModel from '../model/rollbacks.model.ts';
import { labelPairs } from './act.fixture.ts';
import { byText } from './compare-rows.fixture.ts';
import type { Tenant } from './walked-tenant.fixture.ts';

const READS = `{
  products {
    id
    path { environment { id } requiredApprovals separationOfDuties after { id } need targetLabels { name value } }
    targets { id }
    viewerCanRemove { allowed }
    environments {
      environment { id }
      currentDeployment { id } activeDeployment { id } newestDeployment { id }
      state
      promotions { id }
      rollbackChoices { id }
    }
  }
  environmentMatrix { rows { product { id } component cells { environment { id } deployment { id } state targets } } }
}`;

const WORST: readonly estateModel.EstateState[] = ['drift', 'unobserved', 'in_sync'];

const worstOf = (states: readonly estateModel.EstateState[]): string | null =>
  WORST.find((state) => states.includes(state))?.toUpperCase() ?? null;

const idOrNull = (entity: { readonly id: string } | null | undefined) => (entity ? { id: entity.id } : null);

const expectedProduct = (known: model.Model, product: model.Product) => {
  const own = known.targets.filter((target) => target.product === product && !target.isRemoved);
  const estate = estateModel.estateOf(known).filter(({ target }) => target.product === product);
  const steps = pathModel
    .pathOf(known, product)
    .flatMap(({ environment, ...step }) => (environment ? { environment, ...step } : []))
    .toSorted((a, b) => a.environment.orderIndex - b.environment.orderIndex);
  return {
    id: product.id,
    path: steps.map(({ environment, after, need, labels }) => {
      const { requiredApprovals, separationOfDuties } = pathModel.settingsAt(known, product, environment);
      return {
        environment: { id: environment.id },
        requiredApprovals,
        separationOfDuties: separationOfDuties.toUpperCase(),
        after: byText(after.map((each) => ({ id: each?.id ?? '' }))),
        need: need.toUpperCase(),
        targetLabels: byText(labelPairs(labels)),
      };
    }),
    targets: byText(own.map(({ id }) => ({ id }))),
    viewerCanRemove: { allowed: own.length === 0 },
    environments: steps.map(({ environment }) => {
      const own = known.deployments.filter(
        (each) => model.productOf(each) === product && model.environmentOf(each) === environment,
      );
      const open = known.promotions.filter(
        (each) =>
          each.release.product === product &&
          each.environment === environment &&
          ['pending', 'approved'].includes(each.state),
      );
      return {
        environment: { id: environment.id },
        currentDeployment: idOrNull(rollbackModel.currentIn(known, product, environment)),
        activeDeployment: idOrNull(deploymentModel.activeIn(known, product, environment)),
        newestDeployment: idOrNull(own.at(-1)),
        state: worstOf(estate.flatMap(({ target, state }) => (target.environment === environment ? state : []))),
        promotions: byText(open.map(({ id }) => ({ id }))),
        rollbackChoices: rollbackModel.rollbackChoices(known, product, environment).map(({ id }) => ({ id })),
      };
    }),
  };
};

const expectedMatrix = (known: model.Model) => {
  const estate = estateModel.estateOf(known);
  return [...known.products, null].flatMap((product) => {
    const own = estate.filter(({ target }) => target.product === product);
    const current = known.environments.map(
      (environment) => product && rollbackModel.currentIn(known, product, environment),
    );
    const released = current.flatMap((each) => each?.promotion.release.components.map(({ name }) => name) ?? []);
    const names = [...new Set([...own.map(({ component }) => component), ...released])];
    return names.map((component) => ({
      product: product && { id: product.id },
      component,
      cells: known.environments.map((environment, index) => {
        const rows = own.filter((each) => each.target.environment === environment && each.component === component);
        const deployment = current[index];
        const isPart = deployment?.promotion.release.components.some(({ name }) => name === component);
        return {
          environment: { id: environment.id },
          deployment: isPart ? idOrNull(deployment) : null,
          state: worstOf(rows.map(({ state }) => state)),
          targets: rows.filter(({ target }) => target.approved.has(component)).length,
        };
      }),
    }));
  });
};

const expectedCells = (known: model.Model, product: model.Product) =>
  expectedProduct(known, product).environments.map((environment) => {
    const versionIn = (deployment: { readonly id: string } | null) =>
      known.deployments.find(({ id }) => id === deployment?.id);
    const [current, newest] = [versionIn(environment.currentDeployment), versionIn(environment.newestDeployment)];
    const waiting = known.promotions.filter(({ id }) => environment.promotions.some((each) => each.id === id));
    const inState = (expected: string): number => waiting.filter(({ state }) => state === expected).length;
    return {
      environmentId: environment.environment.id,
      deploymentId: current?.id ?? null,
      semver: current?.promotion.release.semver ?? null,
      newestDeploymentId: newest?.id ?? null,
      newestStatus: newest?.state ?? null,
      state: environment.state?.toLowerCase() ?? null,
      pending: inState('pending'),
      approved: inState('approved'),
    };
  });

/** Compares what people read about every product: its path, what runs where, and what waits. */
export const compareReads = async ({ app, as, known }: Tenant): Promise<void> => {
  const { data, errors } = await app.graph(READS, {}, { as: as('operator') });
  assert.equal(errors, undefined);
  const { products, environmentMatrix } = JSON.parse(JSON.stringify(data));
  for (const product of products) {
    product.targets = byText(product.targets);
    for (const step of product.path)
      Object.assign(step, { after: byText(step.after), targetLabels: byText(step.targetLabels) });
    for (const environment of product.environments) environment.promotions = byText(environment.promotions);
  }
  const live = known.products.filter(({ isRemoved }) => !isRemoved);
  assert.deepEqual(byText(products), byText(live.map((product) => expectedProduct(known, product))));
  assert.deepEqual(byText(environmentMatrix.rows), byText(expectedMatrix(known)));
  const { rows } = await app.module.portfolio.get(as('viewer'), {});
  assert.deepEqual(
    rows.map(({ product, cells }) => [product.id, cells]),
    live
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((product, nth) => [
        product.id,
        expectedCells(known, product).map((cell, index) => ({ ...rows[nth]?.cells[index], ...cell })),
      ]),
  );
};

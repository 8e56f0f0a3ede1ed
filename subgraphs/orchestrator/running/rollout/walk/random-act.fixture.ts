import { Fault } from '@landfall/kernel/core/fault';
import type * as model from '../model/entities.model.ts';
import { type Act, type Maker, reason } from './act.fixture.ts';
import type { Choices } from './choices.fixture.ts';
import { cancelDeployment, land, launch, retry, rollBack, turn } from './deployment-acts.fixture.ts';
import { changeEnvironment, createProduct, declareComponents, removeProduct, setPath } from './product-acts.fixture.ts';
import { approve, decide, request } from './promotion-acts.fixture.ts';
import { actOnRelease, createRelease } from './release-acts.fixture.ts';
import { createTarget, labelTarget, moveTarget, observe, removeTarget, toggleTarget } from './target-acts.fixture.ts';
import type { Images, Tenant } from './walked-tenant.fixture.ts';

/** Operations of a stranger and of a viewer, which change nothing. */
const runForbidden: Maker = ({ app, as, known }, choices) => {
  const promotion = choices.maybe(known.promotions);
  const product = choices.maybe(known.products);
  if (!promotion || !product) return undefined;
  const otherCaller = app.caller('other-tenant');
  const { products, promotions, deployments } = app.module;
  const input = { id: product.id, expectedVersion: 1 };
  const [summary, expected, call] = choices.one([
    ['a viewer removes a product', 'PERM_SCOPE_DENIED', () => products.remove(as('viewer'), input)],
    ['a stranger removes a product', 'RES_NOT_FOUND', () => products.remove(otherCaller, input)],
    [
      'a viewer rejects',
      'PERM_SCOPE_DENIED',
      () => promotions.reject(as('viewer'), { id: promotion.id, comment: reason }),
    ],
    [
      'a stranger launches',
      'RES_PROMOTION_NOT_FOUND',
      () => deployments.launch(otherCaller, { promotionId: promotion.id }),
    ],
  ] as const);
  return { summary, expected, touches: [], call };
};

const WEIGHTS: readonly (readonly [number, Maker])[] = [
  [1, createProduct],
  [1, declareComponents],
  [1, removeProduct],
  [2, setPath],
  [2, changeEnvironment],
  [4, createTarget],
  [3, moveTarget],
  [3, labelTarget],
  [2, toggleTarget],
  [1, removeTarget],
  [2, observe],
  [4, createRelease],
  [14, actOnRelease],
  [24, request],
  [30, approve],
  [10, decide],
  [5, launch],
  [3, turn],
  [10, land],
  [4, cancelDeployment],
  [4, rollBack],
  [2, retry],
  [6, runForbidden],
];

const TOTAL_WEIGHT = WEIGHTS.reduce((sum, [weight]) => sum + weight, 0);

const makerOf = (choices: Choices): Maker => {
  let remaining = choices.below(TOTAL_WEIGHT);
  for (const [weight, creator] of WEIGHTS) {
    if (remaining < weight) return creator;
    remaining -= weight;
  }
  return request;
};

export const nextAct = (tenant: Tenant, choices: Choices, images: Images): Act => {
  for (;;) {
    const run = makerOf(choices)(tenant, choices, images);
    if (run) return run;
  }
};

export const codeOf = async ({ call, made: created, expected }: Act): Promise<model.Code> => {
  try {
    const value = await call();
    if (expected === undefined) created?.(value);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
};

import { people } from '@landfall/kernel/testing/callers';
import * as promotionModel from '../model/promotions.model.ts';
import { acknowledgements, describePromotion, learn, type Maker, openOf, other, reason } from './act.fixture.ts';
import { PERSONS } from './walked-tenant.fixture.ts';

export const request: Maker = ({ app, as, known }, choices) => {
  const ready = known.releases.filter(({ status }) => status === 'ready');
  const release = choices.recent(choices.once(8) ? known.releases : ready);
  if (!release) return undefined;
  const open = known.environments.filter((each) => promotionModel.requestRefusal(known, release, each) === undefined);
  const environment = choices.maybe(choices.once(2) ? known.environments : open);
  if (!environment) return undefined;
  const by = choices.one(PERSONS);
  const expected = promotionModel.request(known, release, environment, people[by].subject);
  const promotion = expected === undefined ? known.promotions.at(-1) : undefined;
  return {
    summary: `request ${release.product.name} ${release.semver} in ${environment.orderIndex} by ${by}`,
    expected,
    touches: [release.product],
    call: () =>
      app.module.promotions.request(as(by), { releaseId: release.id, targetEnvironmentId: environment.id, reason }),
    made: learn(promotion),
  };
};

export const approve: Maker = (tenant, choices) => {
  const { app, as, known, digestSets } = tenant;
  const promotion = choices.recent(choices.once(8) ? known.promotions : openOf(tenant, 'pending'));
  if (!promotion) return undefined;
  const by = choices.one(PERSONS);
  const hasSeen = !choices.once(12);
  const acknowledged = acknowledgements(tenant, choices, promotion.release);
  const seenGatedDigestSet = hasSeen ? digestSets.get(promotion.release) : other;
  return {
    summary: `approve ${describePromotion(promotion)} by ${by}`,
    expected: promotionModel.approve(known, promotion, { by: people[by].subject, hasSeen, acknowledged }),
    touches: [promotion.release.product],
    call: () =>
      app.module.promotions.approve(as(by), {
        id: promotion.id,
        seenGatedDigestSet,
        acknowledgeOutcomes: acknowledged.map(({ id }) => id),
      }),
  };
};

export const decide: Maker = ({ app, as, known }, choices) => {
  const promotion = choices.maybe(known.promotions);
  if (!promotion) return undefined;
  const run = choices.one(['reject', 'cancel'] as const);
  return {
    summary: `${run} ${describePromotion(promotion)}`,
    expected: promotionModel.decide(promotion, run),
    touches: [promotion.release.product],
    call: () => app.module.promotions[run](as('approver'), { id: promotion.id, comment: reason, reason }),
  };
};

import type { Who } from '@landfall/kernel/core/caller';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { decodeCursor, pageFields, pageOf } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import * as environments from '../../catalogue/environments/environment.ts';
import { listPathEntries } from '../../catalogue/products/product.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { approves, reads } from '../../shared/scopes.ts';
import { approvalRefusal } from './approval-rule.ts';
import { getApprovingActor } from './approving-actor.ts';
import * as store from './promotions.store.ts';

export interface Today {
  readonly waiting: readonly store.Promotion[];
  readonly launchable: readonly store.Promotion[];
  readonly checkedAt: Date;
}

/** Limit of promotions in the answer. */
const MAX = 100;

/** Filters the promotions that `caller` may approve, by the rule of the approval. */
const decidable = async (
  query: Query,
  caller: Who,
  pending: readonly store.Promotion[],
): Promise<store.Promotion[]> => {
  if (!approves.some((scope) => caller.scopes.has(scope))) return [];
  const found = await releases.listByIds(query, caller.tenant, [...new Set(pending.map(({ releaseId }) => releaseId))]);
  const path = await environments.list(query, caller.tenant);
  const products = [...new Set(found.map(({ productId }) => productId))];
  const stepsByProduct = await listPathEntries(query, caller.tenant, products);
  const ids = pending.map(({ id }) => id);
  const approver = await getApprovingActor(query, caller, ids);
  return pending.filter((promotion) => {
    const release = found.find(({ id }) => id === promotion.releaseId);
    if (!release) return false;
    const isTarget = ({ id }: environments.Environment): boolean => id === promotion.targetEnvironmentId;
    const entry = stepsByProduct.get(release.productId)?.find((each) => isTarget(each.environment));
    const environment = entry?.environment ?? path.find(isTarget);
    if (!environment) return false;
    return !approvalRefusal({ promotion, release, environment, approver });
  });
};

export const createInbox = ({ operation, clock }: Deps) => ({
  inbox: operation({
    name: 'promotion.inbox',
    kind: 'read',
    scope: reads,
    input: Type.Object(pageFields),
    example: { first: 10 },
    async run(caller, { first = 50, after: cursor }, query) {
      const after = cursor === undefined ? undefined : decodeCursor(cursor);
      return pageOf(await store.listWaiting(query, caller.tenant, 'pending', { limit: first + 1, after }), first);
    },
  }),

  today: operation({
    name: 'promotion.today',
    kind: 'read',
    scope: reads,
    input: Type.Object({}),
    async run(caller, _input, query): Promise<Today> {
      const pending = await store.listWaiting(query, caller.tenant, 'pending', { limit: MAX });
      return {
        waiting: await decidable(query, caller, pending),
        launchable: await store.listWaiting(query, caller.tenant, 'approved', { limit: MAX }),
        checkedAt: clock.now(),
      };
    },
  }),
});

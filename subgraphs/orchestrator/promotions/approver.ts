import type { Caller } from '@landfall/kernel/caller';
import { listOfCommonControllers } from '@landfall/kernel/client-controllers';
import type { Query } from '@landfall/kernel/db/query';
import type { TenantId } from '@landfall/kernel/ids';
import type { Approver } from './approval-rule.ts';
import { listByIds, type PromotionId } from './promotions.store.ts';

type Asking = Pick<Caller, 'subject' | 'kind' | 'clientId'> & { readonly tenant: TenantId };
interface Requested {
  readonly requestedBy: string;
}

/**
 * Describes the caller as the approval rule needs it, for any of these promotions. The client that holds a person's
 * token acts as that person, so that its controllers count like those of a client that acts for itself.
 */
export const approverOf = async (query: Query, who: Asking, promotions: readonly Requested[]) => {
  const { subject, kind, clientId, tenant } = who;
  const requesters = [...new Set(promotions.map(({ requestedBy }) => requestedBy))];
  const own = await listOfCommonControllers(query, tenant, [subject, clientId], requesters);
  return ({ requestedBy }: Requested): Approver => ({ subject, kind, isRequesters: own.has(requestedBy) });
};

/** Describes the caller for one promotion. */
export const findApprover = async (query: Query, who: Asking, promotion: Requested): Promise<Approver> =>
  (await approverOf(query, who, [promotion]))(promotion);

/** The same for several promotions, in one connection. */
export const listApprovers = async (query: Query, who: Asking, ids: readonly PromotionId[]) => {
  const promotions = await listByIds(query, who.tenant, ids);
  const approver = await approverOf(query, who, promotions);
  return promotions.map((promotion) => ({ promotionId: promotion.id, ...approver(promotion) }));
};

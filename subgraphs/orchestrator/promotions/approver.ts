import type { Caller } from '@landfall/kernel/caller';
import { listOfCommonControllers } from '@landfall/kernel/client-controllers';
import type { Query } from '@landfall/kernel/db/query';
import type { TenantId } from '@landfall/kernel/ids';
import type { Approver } from './approval-rule.ts';
import { listParties, type PromotionId } from './promotions.store.ts';

type Asking = Pick<Caller, 'subject' | 'kind' | 'clientId'> & { readonly tenant: TenantId };

/** Describes the caller as the approval rule needs it, for any of these promotions: two statements, however many. */
export const getApprover = async (query: Query, who: Asking, ids: readonly PromotionId[]): Promise<Approver> => {
  const { subject, kind, clientId, tenant } = who;
  const parties = await listParties(query, tenant, ids);
  return { subject, kind, clientId, related: await listOfCommonControllers(query, tenant, who, parties) };
};

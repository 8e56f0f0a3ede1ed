import type { Caller } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { findRelations } from '@landfall/kernel/identity/client-controllers';
import type { Actor } from './actor.ts';
import { listParties, type PromotionId } from './promotions.store.ts';

type Asking = Pick<Caller, 'subject' | 'kind' | 'clientId' | 'earlierHolders'> & { readonly tenant: TenantId };

/** Describes the caller for the rules of approval and launch of these promotions, in two statements. */
export const getApprovingActor = async (query: Query, caller: Asking, ids: readonly PromotionId[]): Promise<Actor> => {
  const { subject, kind, clientId, tenant } = caller;
  const parties = await listParties(query, tenant, ids);
  return { subject, kind, clientId, related: await findRelations(query, tenant, caller, parties) };
};

import type { Caller } from '@landfall/kernel/caller';
import { haveCommonController } from '@landfall/kernel/client-controllers';
import type { Query } from '@landfall/kernel/db/query';
import type { TenantId } from '@landfall/kernel/ids';
import type { Approver } from './approval-rule.ts';
import { listByIds, type PromotionId } from './promotions.store.ts';

type Asking = Pick<Caller, 'subject' | 'kind'>;

/** A person as the approval rule needs them; undefined for everything that is not a person. */
export const asPerson = ({ subject, kind }: Asking): Approver | undefined =>
  kind === 'user' ? { subject, kind, isRequesters: false } : undefined;

/** Describes the caller as the approval rule needs it; only of a client it is asked who controls it. */
export const findApprover = async (
  query: Query,
  who: Asking & { readonly tenant: TenantId },
  { requestedBy }: { readonly requestedBy: string },
): Promise<Approver> => {
  const { subject, kind, tenant } = who;
  const isRequesters = () => haveCommonController(query, tenant, subject, requestedBy);
  return asPerson(who) ?? { subject, kind, isRequesters: await isRequesters() };
};

/** The same for several promotions, in one connection. */
export const listApprovers = async (
  query: Query,
  who: Asking & { readonly tenant: TenantId },
  ids: readonly PromotionId[],
) =>
  Promise.all(
    (await listByIds(query, who.tenant, ids)).map(async (promotion) => ({
      promotionId: promotion.id,
      ...(await findApprover(query, who, promotion)),
    })),
  );

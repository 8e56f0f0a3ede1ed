import { Fault, type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { type Ids, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import * as store from './policies.store.ts';

/** Policies of a tenant that have not ended, at most. */
const MOST_POLICIES = 500;

/** Refuses an input that has faults. @throws Fault VAL_* naming their fields */
export const refuse = (faults: readonly FieldFault[]): void => {
  const [first, ...rest] = faults;
  if (first) throw invalid([first, ...rest]);
};

/** Creates the insertion of policies. It throws RES_ALREADY_EXISTS, RES_CONFLICT. */
export const createInsert =
  ({ ids }: { readonly ids: Ids }) =>
  async (
    tx: Tx,
    tenant: TenantId,
    policy: Pick<store.StoredPolicy, 'kind' | 'name' | 'document' | 'endsAt' | 'createdBy'>,
  ): Promise<store.StoredPolicy> => {
    await store.removeEnded(tx, tenant, policy);
    if ((await store.countInForce(tx, tenant)) >= MOST_POLICIES)
      throw new Fault('RES_CONFLICT', `There are ${MOST_POLICIES} policies in force already. End one first.`);
    const created = await store.insertIfAbsent(tx, tenant, { id: toId(ids.uuid(), 'NotificationPolicy'), ...policy });
    if (created) return created;
    const noun = policy.kind.replaceAll('_', ' ');
    throw new Fault('RES_ALREADY_EXISTS', `There is a policy (${noun}) ${policy.name} already.`, { name: policy.name });
  };

import { Fault } from '@landfall/kernel/core/fault';
import type { CallerReader } from '@landfall/kernel/operation/operation';

/** Refuses a caller whose tenant headers disagree with each other or with the token (spec 7.3, ruling 15). */
export const refuseConflictingTenants: CallerReader = (caller) => {
  const { tenant, assertedTenants } = caller;
  if (tenant === undefined || assertedTenants.every((asserted) => asserted === tenant)) return caller;
  throw new Fault('VAL_INVALID_VALUE', 'The header x-tenant-id does not name the tenant of the access token.');
};

import { invalid } from '@landfall/kernel/core/fault';
import type { CallerReader } from '@landfall/kernel/operation/operation';

/**
 * Refuses a caller whose `x-tenant-id` headers name another tenant than the token (spec 5.9, ruling 15); a caller without
 * the scope is refused for that first.
 * @throws Fault VAL_INVALID_VALUE
 */
export const withTenantHeader: CallerReader = (caller, { scope }) => {
  const isAdmitted = scope.length === 0 || scope.some((each) => caller.scopes.has(each));
  if (isAdmitted && caller.assertedTenants.some((tenant) => tenant !== caller.tenant))
    throw invalid([
      { field: 'x-tenant-id', message: 'x-tenant-id names another tenant than the token', code: 'VAL_INVALID_VALUE' },
    ]);
  return caller;
};

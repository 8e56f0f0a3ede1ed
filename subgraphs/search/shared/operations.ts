import { type Caller, hasTenant } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { CallerReader, OperationMaker } from '@landfall/kernel/operation/operation';

/** Falls back from the claim `svc:tenant` to `tenant`, then `tenant_id` (spec 5.5). */
const withTenant = (caller: Caller): Caller =>
  caller.tenant === undefined && caller.claimedTenant !== undefined
    ? { ...caller, tenant: caller.claimedTenant }
    : caller;

/** @throws Fault PERM_SCOPE_DENIED with the text that is this module's contract */
const requireScope = ({ scopes }: Caller, anyOf: readonly string[]): void => {
  const [first] = anyOf;
  if (first !== undefined && !anyOf.some((word) => scopes.has(word)))
    throw new Fault('PERM_SCOPE_DENIED', `Missing required scope: ${first}`, { anyOf });
};

/** @throws Fault PERM_SCOPE_DENIED, advisoryai.validation.tenant_required */
const read: CallerReader = (raw, { scope }) => {
  const caller = withTenant(raw);
  requireScope(caller, scope);
  if (!hasTenant(caller))
    throw new Fault('advisoryai.validation.tenant_required', 'The token names no tenant (claim svc:tenant).');
  return caller;
};

/** Creates operations of this module, with further tenant claims and two refusals with texts of its own (spec 7.3). */
export const searchOperations = (creator: OperationMaker): OperationMaker => creator.reading(read);

/** Creates operations that require a second scope in addition to their own (spec 5.7). */
export const searchOperationsWith = (creator: OperationMaker, second: readonly string[]): OperationMaker =>
  creator.reading((raw, spec) => {
    requireScope(raw, spec.scope);
    requireScope(raw, second);
    return read(raw, spec);
  });

/** Accepted scopes (spec 5.7): a stronger one includes a weaker one. */
export const SCOPES = {
  view: ['advisory-ai:view', 'advisory-ai:operate', 'advisory-ai:admin'],
  operate: ['advisory-ai:operate', 'advisory-ai:admin'],
  admin: ['advisory-ai:admin'],
  synthesize: ['search:synthesize', 'advisory-ai:admin'],
} as const;

import type { Caller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { admit, type OperationSpec } from '@landfall/kernel/operation/operation';

/** Answer of a `viewerCan…` field: the refusal that the operation would raise. */
export interface Permission {
  readonly allowed: boolean;
  readonly code: string | null;
  readonly reason: string | null;
}

/** Throws the refusal of a rule, if any. */
export const refuse = (refusal: Fault | undefined): void => {
  if (refusal) throw refusal;
};

const scopeRefusal = (caller: Caller, spec: OperationSpec): Fault | undefined => {
  try {
    admit(caller, spec);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
};

/** Decides whether `caller` may run the operation of `spec`, by its scopes and then by the operation's own rule. */
export const permission = async (
  caller: Caller,
  spec: OperationSpec,
  rule: () => Fault | undefined | Promise<Fault | undefined>,
): Promise<Permission> => {
  const refusal = scopeRefusal(caller, spec) ?? (await rule());
  return refusal
    ? { allowed: false, code: refusal.code, reason: refusal.message }
    : { allowed: true, code: null, reason: null };
};

import type { Caller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { admit, type OperationSpec } from '@landfall/kernel/operation/operation';

/** Whether a caller may call an operation, by its scopes. */
export const permissionOf = (caller: Caller, spec: OperationSpec) => {
  try {
    admit(caller, spec);
    return { allowed: true, code: null, reason: null };
  } catch (error) {
    if (error instanceof Fault) return { allowed: false, code: error.code, reason: error.message };
    throw error;
  }
};

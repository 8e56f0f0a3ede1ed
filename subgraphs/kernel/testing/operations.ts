import type { Caller } from '../core/caller.ts';
import type { Operation } from '../operation/operation.ts';

/** Calls an operation by its name and returns its answer unchanged. */
export const callerOf =
  (operations: readonly Operation<unknown>[]) => async (name: string, as: Caller, input: object) => {
    const operation = operations.find(({ spec }) => spec.name === name);
    if (!operation) throw new TypeError(`no operation ${name}`);
    // Answers have many shapes here; an absent field makes the assertion about it fail.
    return JSON.parse(JSON.stringify(await operation(as, input)));
  };

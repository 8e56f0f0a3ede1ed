import type { Caller } from '../core/caller.ts';
import type { Operation } from '../operation/operation.ts';

/** An operation by its name, its answer as it comes. */
export const callerOf =
  (operations: readonly Operation<unknown>[]) => async (name: string, as: Caller, input: object) => {
    const operation = operations.find(({ spec }) => spec.name === name);
    if (!operation) throw new TypeError(`no operation ${name}`);
    // Answers are read in many shapes here, and a field that is not there fails the operation it is meant for.
    return JSON.parse(JSON.stringify(await operation(as, input)));
  };

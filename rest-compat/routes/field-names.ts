import { Fault } from '@landfall/kernel/core/fault';
import type { Operation } from '@landfall/kernel/operation/operation';

/** Wraps an operation so that its Faults use REST's names of fields and values, such as `limit` for `first`. */
export const withFieldNames = <Value>(
  operation: Operation<Value>,
  names: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>> = {},
): Operation<Value> => {
  const rename = (text: string): string =>
    Object.entries(values).reduce((renamed, [from, to]) => renamed.replaceAll(from, to), text);
  const call: (...given: Parameters<Operation<Value>>) => Promise<Value> = async (...parameters) => {
    try {
      return await operation(...parameters);
    } catch (error) {
      if (!(error instanceof Fault) || error.fields.length === 0) throw error;
      const fields = error.fields.map((fault) => ({
        ...fault,
        field: names[fault.field] ?? fault.field,
        message: rename(fault.message),
      }));
      throw new Fault(error.code, rename(error.message), error.details, fields, { cause: error });
    }
  };
  return Object.assign(call, { spec: operation.spec });
};

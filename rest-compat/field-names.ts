import { Fault } from '@landfall/kernel/core/fault';
import type { Operation } from '@landfall/kernel/operation/operation';

/**
 * An operation whose refusals call things as this door does: REST says `limit` where the graph says `first`.
 * @param names the operation's dotted name of a field to the door's
 * @param words the operation's words for a value to the door's
 */
export const withFieldNames = <Value>(
  operation: Operation<Value>,
  names: Readonly<Record<string, string>>,
  words: Readonly<Record<string, string>> = {},
): Operation<Value> => {
  const inOurWords = (text: string): string =>
    Object.entries(words).reduce((said, [theirs, ours]) => said.replaceAll(theirs, ours), text);
  const call: (...given: Parameters<Operation<Value>>) => Promise<Value> = async (...given) => {
    try {
      return await operation(...given);
    } catch (error) {
      if (!(error instanceof Fault) || error.fields.length === 0) throw error;
      const fields = error.fields.map((fault) => ({
        ...fault,
        field: names[fault.field] ?? fault.field,
        message: inOurWords(fault.message),
      }));
      throw new Fault(error.code, inOurWords(error.message), error.details, fields, { cause: error });
    }
  };
  return Object.assign(call, { spec: operation.spec });
};

import { exampleId, idOf } from '@landfall/kernel/core/ids';
import { decodeCursor } from '@landfall/kernel/operation/page';
import type { FaultCode } from '@landfall/schema/codes';
import Type from 'typebox';

/** Operation specification shared by reads of one entity by id. */
export const readsById = <Name extends string, Code extends FaultCode>(name: Name, absent: Code) =>
  ({
    kind: 'read',
    input: Type.Object({ id: idOf(name) }),
    raises: [absent],
    example: { id: exampleId(name) },
  }) as const;

/** Page arguments of a list statement: rows before a cursor, and one more than the page to detect the next page. */
export const pageBefore = (first: number, after: string | undefined) => ({
  limit: first + 1,
  before: after === undefined ? undefined : decodeCursor(after),
});

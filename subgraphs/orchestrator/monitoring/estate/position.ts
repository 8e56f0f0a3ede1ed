import { invalid } from '@landfall/kernel/core/fault';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Position } from './estate.store.ts';

/** Name in a cursor. PostgreSQL has no text with a NUL in it. */
const name = Type.String({ maxLength: 64, pattern: '^[^\\0]*$' });
const position = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
const positions = Compile(Type.Tuple([position, position, name, name]));

/** Encodes a row's position in the list as a cursor, which stays valid when the row is deleted. */
export const encodePosition = ({ rank, orderIndex, targetName, component }: Position): string =>
  Buffer.from(JSON.stringify([rank, orderIndex, targetName, component])).toString('base64url');

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Decodes a cursor; throws Fault VAL_INVALID_FORMAT when the platform did not issue it. */
export const decodePosition = (cursor: string): Position => {
  const value = parse(Buffer.from(cursor, 'base64url').toString());
  if (!positions.Check(value))
    throw invalid([{ field: 'after', message: 'is not a cursor of this list', code: 'VAL_INVALID_FORMAT' }]);
  const [rank, orderIndex, targetName, component] = value;
  return { rank, orderIndex, targetName, component };
};

import { invalid } from '@landfall/kernel/core/fault';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Position } from './estate.store.ts';

/** PostgreSQL has no text with a NUL in it. */
const name = Type.String({ maxLength: 64, pattern: '^[^\\0]*$' });
const place = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
const positions = Compile(Type.Tuple([place, place, name, name]));

/** The cursor of a row: its place in the order of the list, so that a row which is gone leaves no hole. */
export const encodePosition = ({ rank, orderIndex, targetName, component }: Position): string =>
  Buffer.from(JSON.stringify([rank, orderIndex, targetName, component])).toString('base64url');

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** @throws Fault VAL_INVALID_FORMAT when it is not one of ours */
export const decodePosition = (cursor: string): Position => {
  const value = parse(Buffer.from(cursor, 'base64url').toString());
  if (!positions.Check(value))
    throw invalid([{ field: 'after', message: 'is not a cursor of this list', code: 'VAL_INVALID_FORMAT' }]);
  const [rank, orderIndex, targetName, component] = value;
  return { rank, orderIndex, targetName, component };
};

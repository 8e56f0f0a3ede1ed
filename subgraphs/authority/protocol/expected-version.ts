import { Fault } from '@landfall/kernel/core/fault';
import { idOf } from '@landfall/kernel/core/ids';
import Type from 'typebox';

export const versionedInput = <const Name extends string>(name: Name) =>
  Type.Object({ id: idOf(name), expectedVersion: Type.Integer({ minimum: 1 }) });

/**
 * Returns the row if it has the expected version.
 * @throws Fault RES_VERSION_CONFLICT
 */
export const atVersion = <Row extends { readonly version: number }>(noun: string, row: Row, expected: number): Row => {
  if (row.version === expected) return row;
  throw new Fault('RES_VERSION_CONFLICT', `The ${noun} has changed since you looked.`, {
    expected,
    actual: row.version,
  });
};

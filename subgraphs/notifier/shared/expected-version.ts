import { Fault } from '@landfall/kernel/core/fault';
import Type from 'typebox';

/** Version that the caller read; without it a change is made to whatever there is. */
export const expectedVersion = Type.Optional(Type.Integer({ minimum: 1 }));

/** Refuses a change of something that somebody else changed since the caller read it. @throws Fault RES_VERSION_CONFLICT */
export const refuseStale = (
  thing: string,
  { version }: { readonly version: number },
  expected: number | undefined,
): void => {
  if (expected === undefined || expected === version) return;
  throw new Fault(
    'RES_VERSION_CONFLICT',
    `Somebody changed the ${thing} since you opened it. Load it again, then repeat your change.`,
    { expected, actual: version },
  );
};

import { Fault } from '@landfall/kernel/core/fault';

/** Throws Fault RES_VERSION_CONFLICT {expected, actual} unless the caller read the newest version of a row. */
export const expectVersion = ({ version }: { readonly version: number }, expected: number): void => {
  if (version !== expected)
    throw new Fault('RES_VERSION_CONFLICT', `Version ${expected} was expected, ${version} is current. Read it again.`, {
      expected,
      actual: version,
    });
};

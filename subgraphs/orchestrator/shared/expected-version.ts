import { Fault } from '@landfall/kernel/core/fault';

/** @throws Fault RES_VERSION_CONFLICT {expected, actual} when the caller read another version of the row */
export const expectVersion = ({ version }: { readonly version: number }, expected: number): void => {
  if (version !== expected)
    throw new Fault('RES_VERSION_CONFLICT', `Version ${expected} was expected, ${version} is current. Read it again.`, {
      expected,
      actual: version,
    });
};

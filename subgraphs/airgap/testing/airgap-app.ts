import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import type { Deps } from '@landfall/kernel/module';
import { testApp } from '@landfall/kernel/testing/app';
import { people } from '@landfall/kernel/testing/callers';
import { createAirGap } from '../index.ts';
import type { TransferPorts } from '../transfers.ts';

export const { 'airgap-operator': operator, 'airgap-viewer': viewer } = people;

const absent = (): Promise<never> => Promise.reject(new Error('This test runs the air gap alone.'));

type Others = Pick<TransferPorts, 'feeds' | 'vex' | 'releases'>;

/** Ports of an air gap without other modules. */
const ALONE: Others = {
  feeds: { importAll: absent, countDocuments: absent },
  vex: { importAll: absent },
  releases: { find: absent, openRegistry: absent, create: absent },
};

/** The air gap over a database and a data directory of its own, alone unless ports of other modules are given. */
export const airgapApp = async (others: (deps: Deps) => Partial<Others> = () => ALONE) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'landfall-airgap-'));
  const create = (deps: Deps) =>
    createAirGap(deps, { ...ALONE, ...others(deps), dataDir, signingKeys: createSigningKeys(deps) });
  const app = await testApp({ createModule: create });
  return {
    ...app,
    dataDir,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import type { Deps } from '@landfall/kernel/module';
import { testApp } from '@landfall/kernel/testing/app';
import { people } from '@landfall/kernel/testing/callers';
import type { ControlPorts } from '../control.ts';
import { createAirGap } from '../index.ts';
import type { TimeOptions } from '../time/time-options.ts';
import { NO_TRUST_ROOTS } from '../time/trust-roots.ts';
import type { TransferPorts } from '../transfers.ts';

export const { 'airgap-operator': operator, 'airgap-viewer': viewer, 'other-airgap-operator': stranger } = people;

const absent = (): Promise<never> => Promise.reject(new Error('This test runs the air gap alone.'));

type Others = Pick<TransferPorts, 'feeds' | 'vex' | 'releases' | 'gate' | 'evidence' | 'meter'> &
  Omit<ControlPorts, 'kitChecks'>;

const HOURS = { warningSeconds: 3_600, breachSeconds: 7_200 };

/** Options of a time service without trust roots. */
export const TIME_OPTIONS: TimeOptions = {
  tenant: undefined,
  staleness: HOURS,
  budgets: { advisories: HOURS, vex: HOURS, policy: HOURS },
  roots: NO_TRUST_ROOTS,
  allowsUntrusted: false,
  allowsRequestRoots: false,
};

/** Ports of an air gap without other modules. */
const ALONE: Others = {
  feeds: { importAll: absent, countDocuments: absent, findUnreadable: absent },
  vex: { importAll: absent },
  releases: { find: absent, openRegistry: absent, listGated: async () => [], create: absent },
  gate: {
    problemOf: () => undefined,
    open: async () => ({ unread: new Set(), read: async () => async () => async () => new Map() }),
  },
  evidence: new Map(),
  time: TIME_OPTIONS,
  destinations: async () => [],
  people: { listTenants: async () => [operator.tenant] },
  ownServices: { services: new Set(), objectStore: new Set() },
  contentDates: async () => ({ advisories: null, vex: null, policy: null }),
};

/** The air gap over a database and a data directory of its own, alone unless ports of other modules are given. */
export const airgapApp = async (others: (deps: Deps) => Partial<Others> = () => ({})) => {
  const monotonic = { bootId: 'boot 1', ms: 0 };
  const dataDir = await mkdtemp(join(tmpdir(), 'landfall-airgap-'));
  const create = (deps: Deps) =>
    createAirGap(deps, {
      ...ALONE,
      readMonotonicClock: () => ({ ...monotonic }),
      ...others(deps),
      dataDir,
      signingKeys: createSigningKeys(deps),
    });
  const app = await testApp({ createModule: create });
  return {
    ...app,
    dataDir,
    signingKeys: createSigningKeys(app.deps),
    /** Reading of the machine's monotonic clock, which a test moves. */
    monotonic,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

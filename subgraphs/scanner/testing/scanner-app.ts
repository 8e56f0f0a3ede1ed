import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { json, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import type { Deps, ProductDirectory } from '@landfall/kernel/module';
import type { Route } from '@landfall/kernel/routes/route';
import { loadSettings } from '@landfall/kernel/system/settings';
import type { Meter } from '@landfall/kernel/system/telemetry';
import { testApp } from '@landfall/kernel/testing/app';
import { people } from '@landfall/kernel/testing/callers';
import Type from 'typebox';
import { createScanner, type Scanner } from '../index.ts';
import { scannerSettings } from '../shared/settings.ts';
import { type GivenScan, insertFrozenScan } from './frozen-scan.ts';

const events = table('kernel.events.trail', { type: text, data: json(Type.Unknown()) });

interface Given {
  readonly routes?: (scanner: Scanner) => readonly Route[];
  /** Settings besides `ScoreReplay:Enabled`, by their variables. */
  readonly env?: Readonly<Record<string, string>>;
  readonly meter?: Meter;
  readonly runningImages?: () => Promise<readonly string[]>;
  readonly products?: ProductDirectory;
}

/** The scanner over dependencies of a test. */
export const testScanner = (
  deps: Deps,
  { env = {}, dataDir, ...ports }: Omit<Given, 'routes'> & { readonly dataDir: string },
): Scanner =>
  createScanner(deps, loadSettings(scannerSettings, { env: { SCOREREPLAY__ENABLED: 'true', ...env } }), {
    signingKeys: createSigningKeys(deps),
    dataDir,
    version: '1.2.3',
    ...ports,
  });

/** The scanner over a database and a directory of its own, with the routes of the score. */
export const scannerApp = async ({ routes = () => [], env = {}, ...ports }: Given = {}) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'landfall-scanner-'));
  const create = (deps: Deps, more: Readonly<Record<string, string>> = {}): Scanner =>
    testScanner(deps, { dataDir, env: { ...env, ...more }, ...ports });
  const app = await testApp({ createModule: (deps) => create(deps), routes });
  const { module, deps } = app;
  return {
    ...app,
    /** Directory of the proof bundles. */
    proofsDirectory: join(dataDir, 'proofs'),
    /** A second process over the same database and directory. */
    another: (more: Readonly<Record<string, string>> = {}): Scanner => create(deps, more),
    /** The audit trail, oldest first. */
    events: () => app.rows(events, sql`select type, data from kernel.events order by id`),
    rotateManifestKey: () => createSigningKeys(deps).rotate('manifest'),
    /** Stores a frozen scan of the scan-operator's tenant. */
    frozenScan: (given: GivenScan = {}) =>
      insertFrozenScan({ manifests: module.manifests, deps, who: people['scan-operator'] }, given),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransparencyLog } from '@landfall/attestation/log/log';
import type { TransparencyLog } from '@landfall/attestation/log/transparency-log';
import { toTenantId } from '@landfall/kernel/core/ids';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { logSeals, sealBatch } from '@landfall/kernel/events/sealer';
import { event } from '@landfall/kernel/events/write';
import { testDeps } from '@landfall/kernel/testing/app';
import { caller } from '@landfall/kernel/testing/callers';
import { runToFailpoint } from '@landfall/kernel/testing/crash';
import { readableEvents } from '@landfall/kernel/testing/readable-events';
import { until } from '@landfall/kernel/testing/until';
import pg from 'pg';
import { landfall } from './cli-process.fixture.ts';

const ORIGIN = 'landfall.example';
const tenant = toTenantId('acme');
const actor = { ...caller({ subject: 'amir' }), tenant };

/** Creates a database with a sealed and logged audit trail, and runs the command on it. */
export const createTrail = async () => {
  const base = await testDeps();
  const { deps, connection, rootKey } = base;
  const keys = createSigningKeys(deps);
  const { log, reading } = createTransparencyLog(deps, { origin: ORIGIN, keys });
  const home = await mkdtemp(join(tmpdir(), 'landfall-audit-'));
  const url = `postgresql://postgres@localhost/${connection.database}?host=${encodeURIComponent(connection.host)}`;
  const client = new pg.Client(connection);
  await client.connect();
  let total = 0;
  let sealed = 0;
  const write = async (count: number): Promise<void> => {
    for (const end = total + count; total < end; total += 1)
      await deps.database.write(tenant, (tx) =>
        event(tx, actor, 'note.write', { entity: 'Note', id: `n${total}`, version: 1 }),
      );
  };
  const logAllSeals = async (to: Pick<TransparencyLog, 'append'> = log, origin = ORIGIN): Promise<void> => {
    while ((await logSeals(deps, { origin, append: to.append })) > 0);
  };
  return {
    ...base,
    home,
    keys,
    /** Records the seals in a log, by default the platform's own. */
    anchor: logAllSeals,
    log,
    reading,
    write,
    /** Runs a statement as the owner of the database. */
    force: (statement: string) => client.query(statement),
    seal: async (batch: number): Promise<void> => {
      await readableEvents(deps.database);
      while (sealed < total) {
        // A transaction of another database can hide events from one reading, so that a batch is empty.
        sealed += await until(async () => (await sealBatch(deps, batch)) || undefined);
      }
      await logAllSeals();
    },
    url,
    verify: (...args: string[]) => landfall(['audit', 'verify', ...args], { env: { DATABASE_URL: url } }),
    keep: async (name: string): Promise<string> => {
      const path = join(home, name);
      await writeFile(path, (await reading.newest())?.note ?? '');
      return path;
    },
    program: (failpoint: string) =>
      runToFailpoint({
        program: new URL('./sealing.fixture.ts', import.meta.url),
        arguments: [url, rootKey.toString('hex'), ORIGIN],
        failpoint,
      }),
    async [Symbol.asyncDispose]() {
      await rm(home, { recursive: true, force: true });
      await client.end();
      await base[Symbol.asyncDispose]();
    },
  };
};

// The transparency log: appends of 64 callers with a durable database, and proofs out of a log of a million entries.
import { randomBytes } from 'node:crypto';
import { createTransparencyLog } from '@landfall/attestation/log/log';
import { hashedRekordBody } from '@landfall/attestation/signature/hashed-rekord';
import { fillLog } from '@landfall/attestation/testing/fill-log';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createDatabase } from '@landfall/kernel/db/database';
import pg from 'pg';
import { type BenchHost, benchHost } from './bench-host.ts';
import { createReport } from './figure.ts';

const CALLERS = 64;
const APPEND_MS = 10_000;
const ENTRIES = 1_000_000;
const PROOFS = 2_000;

const { tell } = createReport('tlog');

const spki = randomBytes(91);

/** Body of realistic size; no two are equal. */
const newBody = (): Buffer =>
  hashedRekordBody({
    paeDigest: randomBytes(32),
    signature: randomBytes(71),
    spki,
    keyDetails: 'PKIX_ECDSA_P256_SHA_256',
  });

const cpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
};

/** Refuses to measure with fsync off. */
const assertDurable = async ({ migrating }: BenchHost): Promise<void> => {
  const client = new pg.Client(migrating);
  await client.connect();
  const settings = ['fsync', 'synchronous_commit', 'full_page_writes'];
  for (const name of settings) {
    const { rows } = await client.query<Record<string, string>>(`show ${name}`);
    if (rows[0]?.[name] !== 'on') throw new Error(`${name} is not on`);
  }
  await client.end();
};

const benchAppends = async ({ deps }: BenchHost): Promise<void> => {
  const { log } = createTransparencyLog(deps, { origin: 'bench.example/appends', keys: createSigningKeys(deps) });
  await log.append(newBody());
  const startedMs = performance.now();
  const before = process.cpuUsage();
  let appended = 0;
  const call = async (): Promise<void> => {
    for (; performance.now() < startedMs + APPEND_MS; appended++) await log.append(newBody());
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  const seconds = (performance.now() - startedMs) / 1_000;
  tell(`append, ${CALLERS} callers, fsync on`, appended / seconds, 'entries per second', { atLeast: 500 });
  tell('append', cpuMs(before) / appended, 'CPU-ms per entry');
};

const benchProofs = async ({ deps, migrating }: BenchHost): Promise<void> => {
  const origin = 'bench.example/proofs';
  const keys = createSigningKeys(deps);
  await fillLog({ ...deps, origin, signer: await keys.signer('log') }, ENTRIES, newBody);
  let statements = 0;
  const database = createDatabase({ connection: migrating, onStatement: () => void statements++ });
  const { log } = createTransparencyLog({ database }, { origin, keys });
  const proofs = {
    inclusion: () => log.find(Math.floor(Math.random() * ENTRIES)),
    consistency: () => log.consistency(1 + Math.floor(Math.random() * ENTRIES)),
  };
  for (const [name, prove] of Object.entries(proofs)) {
    for (let warm = 0; warm < 200; warm++) await prove();
    statements = 0;
    const before = process.cpuUsage();
    for (let created = 0; created < PROOFS; created++) if (!(await prove())) throw new Error(`no proof of ${name}`);
    tell(`${name} proof of 1,000,000 entries`, cpuMs(before) / PROOFS, 'CPU-ms', { atMost: 2 });
    tell(`${name} proof`, statements / PROOFS, 'SQL round trips', { atMost: 1, atLeast: 1 });
  }
  await database.close();
};

await using host = await benchHost();
await assertDurable(host);
await benchAppends(host);
await benchProofs(host);

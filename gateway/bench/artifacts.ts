// The artifact store: puts against the raw rate of write, fsync and rename of the same bytes, and look-ups among a million
// artifacts.

import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { artifactsModule } from '@landfall/artifacts';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { caller } from '@landfall/kernel/testing/callers';
import pg from 'pg';
import { createModules } from '../modules/modules.ts';
import { benchHost } from './bench-host.ts';
import { createReport } from './figure.ts';
import { median, quantile } from './statistics.ts';

const PUTS = 400;
const CALLERS = 4;
const ROUNDS = 5;
const ROWS = 1_000_000;
const READS = 400;

const { tell } = createReport('artifacts');
await using host = await benchHost();
const [module] = createModules([artifactsModule], host.deps, host.settings);
if (!module) throw new Error('there is no artifact store');
const { putStream, artifacts } = artifactsModule.get([module]);
const operator = caller({ subject: 'bench', scopes: ['export.operator'] });

/** Bill of materials of about 16 KiB; no two are equal. */
const newBill = (): Buffer =>
  Buffer.from(
    JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: { component: { type: 'container', name: 'shop', purl: `pkg:oci/shop@${sha256(randomBytes(8))}` } },
      components: Array.from({ length: 100 }, (_, index) => ({
        type: 'library',
        name: `library-${index}`,
        purl: `pkg:npm/library-${index}@${randomBytes(16).toString('hex')}`,
        properties: [{ name: 'mark', value: randomBytes(8).toString('hex') }],
      })),
    }),
  );

async function* one(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Objects per second of one round by all callers; their bytes are made before it begins. */
const rateOf = async (put: (bill: Buffer) => Promise<unknown>): Promise<number> => {
  const bills = Array.from({ length: PUTS }, newBill);
  const startedMs = performance.now();
  const work = async (): Promise<void> => {
    for (let bill = bills.pop(); bill; bill = bills.pop()) await put(bill);
  };
  await Promise.all(Array.from({ length: CALLERS }, work));
  return PUTS / ((performance.now() - startedMs) / 1_000);
};

const directory = join(host.settings.dataDir, 'raw');
await mkdir(directory, { recursive: true });

/** Write, fsync, rename and fsync of the folder: what a put cannot do without. */
const rawPut = async (bill: Buffer): Promise<void> => {
  const name = randomUUID();
  const [temporary, path] = [join(directory, `.${name}`), join(directory, `${name}.json`)];
  {
    await using file = await open(temporary, 'w');
    await file.writeFile(bill);
    await file.sync();
  }
  await rename(temporary, path);
  await using folder = await open(directory, 'r');
  await folder.sync();
};

const put = (bill: Buffer) => putStream(operator, {}, one(bill));

await rateOf(put);
const rounds: { readonly raw: number; readonly put: number }[] = [];
for (let round = 0; round < ROUNDS; round++) rounds.push({ raw: await rateOf(rawPut), put: await rateOf(put) });
tell('raw write, fsync, rename', median(rounds.map((round) => round.raw)), 'objects/s');
tell('put', median(rounds.map((round) => round.put)), 'artifacts/s');
tell('put of the raw rate', median(rounds.map((round) => round.put / round.raw)), '', { atLeast: 0.5 });

const client = new pg.Client(host.migrating);
await client.connect();
await client.query(
  `insert into evidence.artifact_index (tenant, artifact_id, artifact_type, storage_key, bom_ref, serial_number, sha256,
     size_bytes, content_type, created_by, created_at)
   select 'acme', md5('artifact ' || n)::uuid, 'Sbom', 'artifacts/' || n, 'pkg:oci/app-' || n % 1000, 'serial ' || n,
     'sha256:' || md5('a' || n) || md5('b' || n), 16384, 'application/json', 'bench',
     timestamptz '2026-01-01' + n * interval '1 second'
   from generate_series(1, $1::integer) n`,
  [ROWS],
);
await client.query(
  `insert into evidence.artifact_subjects (tenant, artifact_id, digest_alg, digest, predicate_type, verdict)
   select 'acme', md5('artifact ' || n)::uuid, 'sha256', md5('c' || n) || md5('d' || n), '', 'unverified'
   from generate_series(1, $1::integer) n`,
  [ROWS],
);
await client.query('analyze evidence.artifact_index; analyze evidence.artifact_subjects');
const { rows } = await client.query<{ digest: string }>(
  'select digest from evidence.artifact_subjects tablesample system (1) limit $1',
  [READS],
);
await client.end();

const timed = async (read: (index: number) => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let index = 0; index < READS; index++) {
    const startedMs = performance.now();
    await read(index);
    times.push(performance.now() - startedMs);
  }
  return quantile(
    times.sort((left, right) => left - right),
    0.95,
  );
};

const goal = { atMost: 10 };
const list = (index: number) => artifacts.list(operator, { bomRef: `pkg:oci/app-${index % 1000}`, first: 100 });
tell('list of 100 of a million, p95', await timed(list), 'ms', goal);
const search = (index: number) =>
  artifacts.search(operator, { subjectDigest: `sha256:${rows[index % rows.length]?.digest}`, first: 100 });
tell('look-up by subject digest, p95', await timed(search), 'ms', goal);

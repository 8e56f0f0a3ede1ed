// Cost of sealing the audit trail: a backlog of an installation that had no seals yet, its audit, and a write with its
// event while a sealer runs beside it, against the same write over a database that nobody seals.

import { randomIds } from '@landfall/kernel/core/ids';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { auditSeals } from '@landfall/kernel/events/audit';
import { createSealer, sealBatch } from '@landfall/kernel/events/sealer';
import { silentLog } from '@landfall/kernel/system/log';
import { loadSettings } from '@landfall/kernel/system/settings';
import { orchestratorModule } from '@landfall/orchestrator';
import pg from 'pg';
import { createModules } from '../modules/modules.ts';
import { gatewaySettings } from '../settings/settings.ts';
import { type BenchHost, benchHost } from './bench-host.ts';
import { createReport } from './figure.ts';
import { createNotes, writer } from './notes.ts';
import { cpuOf, treeOf } from './processes.ts';
import { compare } from './rounds.ts';

const BACKLOG = 100_000;
const OF_ONE_WRITER = 50;
const BODY = 'It is written down, and told.';

const { tell } = createReport('seal');

const cpuSeconds = async (): Promise<number> => {
  const times = await Promise.all((await treeOf(process.pid)).map(({ pid }) => cpuOf(pid)));
  return times.reduce((sum, time) => sum + time, 0) / 1_000;
};

/** Writes the events of an installation that has never sealed. */
const writeBacklog = async ({ migrating }: BenchHost): Promise<void> => {
  const client = new pg.Client(migrating);
  await client.connect();
  for (let count = 0; count < BACKLOG; count += OF_ONE_WRITER)
    await client.query(
      `insert into kernel.events (tenant, type, entity, entity_id, version, actor, correlation_id, data)
       select 'acme', 'deployment.step', 'Deployment', gen_random_uuid()::text, n, 'amir', gen_random_uuid()::text,
         jsonb_build_object('stage', 'execution', 'outcome', 'done', 'detail', repeat('x', 100))
       from generate_series(1, $1) n`,
      [OF_ONE_WRITER],
    );
  await client.end();
};

const measured = async (name: string, unit: string, run: () => Promise<number>): Promise<void> => {
  const [cpu, startedMs] = [await cpuSeconds(), performance.now()];
  const count = await run();
  const seconds = (performance.now() - startedMs) / 1_000;
  tell(name, count / ((await cpuSeconds()) - cpu), `${unit} per CPU second`);
  tell(`${name}, wall clock`, count / seconds, `${unit} per second`);
};

await using sealed = await benchHost();
await writeBacklog(sealed);
await measured('a backlog sealed', 'events', async () => {
  let count = 0;
  for (let batch = await sealBatch(sealed.deps); batch > 0; batch = await sealBatch(sealed.deps)) count += batch;
  return count;
});
await measured('audited', 'events', async () => {
  const { events } = await auditSeals(sealed.deps.database, ({ text }) => {
    throw new Error(text);
  });
  return events;
});

await using unsealed = await benchHost();
const settings = loadSettings(gatewaySettings, { env: {} });
const { sealLog } = orchestratorModule.get(createModules([orchestratorModule], sealed.deps, settings));
if (!sealLog) throw new TypeError('the orchestrator has the log that seals go into');
await createSigningKeys(sealed.deps).signer('log');
await using _sealer = createSealer({ ...sealed.deps, log: silentLog }, sealLog).start();
const [withSeals, without] = [createNotes(sealed.deps), createNotes(unsealed.deps)];
const {
  ours: own,
  bare: peer,
  ratio,
} = await compare(
  { once: () => withSeals.add(writer, { id: randomIds.uuid(), body: BODY }) },
  { once: () => without.add(writer, { id: randomIds.uuid(), body: BODY }) },
  { callers: 8, rounds: 12, roundMs: 1_500 },
);
tell('a write while its event is sealed, of one that is not', ratio.perCpuSecond, 'ratio', { atLeast: 0.9 });
tell('a write while its event is sealed, of one that is not, wall clock', ratio.perSecond, 'ratio');
tell('a write while its event is sealed', own.perCpuSecond, 'writes per CPU second');
tell('a write that is not sealed', peer.perCpuSecond, 'writes per CPU second');

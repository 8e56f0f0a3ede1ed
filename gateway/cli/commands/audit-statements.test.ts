import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTransparencyLog } from '@landfall/attestation/log/log';
import { auditStatements } from '@landfall/attestation/statements/audit';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { logSeals, sealBatch } from '@landfall/kernel/events/sealer';
import { startAttestedApp } from '@landfall/orchestrator/evidence/statements/landing.fixture';
import pg from 'pg';
import { landfall } from './cli-process.fixture.ts';

const ORIGIN = 'landfall.example';

const app = await startAttestedApp();
const client = new pg.Client(app.connection);
await client.connect();
const home = await mkdtemp(join(tmpdir(), 'landfall-audit-'));
after(async () => {
  await rm(home, { recursive: true, force: true });
  await client.end();
  await app[Symbol.asyncDispose]();
});

const { database, host } = app.connection;
const verify = (...args: string[]) =>
  landfall(['audit', 'verify', ...args], {
    env: { DATABASE_URL: `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(host ?? '')}` },
  });

/** Runs `ask` after a change by the owner of the database, and restores the rows. */
const withTampering = async <T>(edit: string, ask: () => Promise<T>): Promise<T> => {
  await client.query(
    'create table kept as select id, payload, bundle, log_body, tree_size from orchestrator.attestations',
  );
  const { rowCount } = await client.query(edit);
  assert.equal(rowCount, 1, edit);
  const output = await ask();
  await client.query(`update orchestrator.attestations a set payload = k.payload, bundle = k.bundle,
    log_body = k.log_body, tree_size = k.tree_size from kept k where a.id = k.id`);
  await client.query('drop table kept');
  return output;
};

const { deployment } = await app.landed(await app.stage());
const early = createTransparencyLog(app.deps, { origin: ORIGIN, keys: createSigningKeys(app.deps) });
while ((await sealBatch(app.deps, 1000)) > 0);
while ((await logSeals(app.deps, { origin: ORIGIN, append: early.log.append })) > 0);
const first = (await early.reading.newest())?.size ?? 0;
await app.attestAll();
const stated = (await app.statement('deployment', deployment.id)) ?? assert.fail();
const one = `where id = '${stated.id}'`;
const named = `Statement ${stated.id} \\(acme, deployment of ${deployment.id}\\): `;

test('statements that the log and their bundles agree with are whole, and how many they are is said', async () => {
  const { rows } = await client.query('select from orchestrator.attestations where attested_at is not null');
  const good = await verify();
  assert.deepEqual([good.code, good.err], [0, ''], good.out);
  assert.match(good.out, new RegExp(`^ {2}${rows.length} attested statements held against the log`, 'm'));
  assert.ok(rows.length > 0);
  assert.match(good.out, /\nHeld against no kept checkpoint: .* give it with --checkpoint FILE\.\n$/);
  const checkpointFile = join(home, 'kept');
  await writeFile(checkpointFile, (await early.reading.newest())?.note ?? '');
  const heldBack = await verify('--checkpoint', checkpointFile);
  assert.equal(heldBack.code, 0, heldBack.out);
  assert.doesNotMatch(heldBack.out, /no kept checkpoint/);
});

const edits = {
  'an edited payload': [
    `payload = convert_to(replace(convert_from(payload, 'utf8'), 'sha256', 'sha257'), 'utf8')`,
    'its entry of the log is not over its payload and signature; its payload is not the one in its bundle\\.',
  ],
  'another payload in the bundle': [
    `bundle = jsonb_set(bundle::jsonb, '{dsseEnvelope,payload}', '"e30="')::text`,
    'its payload is not the one in its bundle\\.',
  ],
  'another signature in the bundle': [
    `bundle = jsonb_set(bundle::jsonb, '{dsseEnvelope,signatures,0,sig}', '"AAAA"')::text`,
    'its signature is not the one in its bundle\\.',
  ],
  'another index in the bundle': [
    `bundle = jsonb_set(bundle::jsonb, '{verificationMaterial,tlogEntries,0,logIndex}', '"0"')::text`,
    'its bundle does not prove the entry that is recorded of it\\.',
  ],
  'a bundle that is none': ["bundle = '{'", 'its bundle cannot be read \\(.+\\)\\.'],
  'another body': ["log_body = 'x'", `entry ${stated.logIndex} of the log ${ORIGIN} is not the one recorded of it; `],
  'a tree that the log never had': [
    'tree_size = tree_size + 1000',
    `it was proved in a tree of ${(stated.treeSize ?? 0) + 1000} entries, and the newest checkpoint`,
  ],
} as const;

for (const [name, [edit, message]] of Object.entries(edits))
  test(`a statement with ${name} is named, with what differs`, async () => {
    const output: string[] = [];
    await withTampering(`update orchestrator.attestations set ${edit} ${one}`, () =>
      auditStatements(app.deps.database, (text) => void output.push(text)),
    );
    assert.equal(output.length, 1, output.join('\n'));
    assert.match(output[0] ?? '', new RegExp(`^${named}${message}`));
  });

for (const name of ['an edited payload', 'another signature in the bundle'] as const)
  test(`the command ends with 1 and names the statement: ${name}`, async () => {
    const [edit, message] = edits[name];
    const completed = await withTampering(`update orchestrator.attestations set ${edit} ${one}`, () => verify());
    assert.equal(completed.code, 1, completed.out);
    assert.match(completed.out, new RegExp(`^ {2}WRONG {2}${named}${message}$`, 'm'));
    assert.match(completed.out, /^The audit trail was tampered with: 1 finding\.$/m);
  });

test('a log that was cut back with all that says how far it went: the statements point beyond its end', async () => {
  // The log as it was before the first statement; entries that were sealed by then stay.
  await client.query('begin');
  await client.query(`delete from tlog.cosignatures where size > ${first}`);
  await client.query(`delete from tlog.checkpoints where size > ${first}`);
  await client.query(`delete from tlog.entries where idx >= ${first}`);
  await client.query(`delete from tlog.tiles where level > 0 or tile_index > ${Math.floor(first / 256)}`);
  await client.query(`update tlog.tiles set hashes = substring(hashes for ${32 * (first % 256)})`);
  await client.query('commit');
  const cut = await verify();
  assert.equal(cut.code, 1, cut.out);
  assert.match(
    cut.out,
    new RegExp(
      `${named}it is entry ${stated.logIndex} of the log ${ORIGIN}, whose newest checkpoint is of ${first} entries\\.`,
    ),
  );
  assert.doesNotMatch(cut.out, /WRONG {2}(?!Statement)/);
});

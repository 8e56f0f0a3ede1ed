import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { json, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { event } from '@landfall/kernel/events/write';
import type { EvidenceReader } from '@landfall/kernel/module';
import { silentLog } from '@landfall/kernel/system/log';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import { caller } from '@landfall/kernel/testing/callers';
import { until } from '@landfall/kernel/testing/until';
import Type from 'typebox';
import { airgapApp, operator, viewer } from '../testing/airgap-app.ts';
import { testKey } from '../testing/kits.ts';
import { deliverBundle, entryOf, evidenceWith, stampAt, syncSite } from '../testing/sync-sites.ts';
import type { SignedBundle } from './bundle.ts';
import { compareOrders } from './orders.fixture.ts';

const STATEMENT = '01900000-0000-7000-8000-00000000000a';
const events = table('kernel.events of syncs', { type: text, data: json(Type.Record(Type.String(), Type.Unknown())) });

/** A hub, and a site that it knows, which sends bundles. */
const hubAndSite = async (...others: Parameters<typeof airgapApp>) => {
  const app = await airgapApp(...others);
  const { sync, bundleInbox } = app.module;
  const site = syncSite();
  const { siteId, publicKey } = site;
  await sync.addSite(operator, { siteId, name: 'Plant 7', siteKey: publicKey });
  return {
    ...app,
    sync,
    site,
    receive: async (bundle: SignedBundle | string) =>
      sync.import(operator, { file: await deliverBundle(bundleInbox(operator.tenant), bundle) }),
    states: async () => (await sync.jobs(operator, {})).items.map(({ key, state }) => `${key} ${state}`).toSorted(),
    events: (type: string) =>
      app.rows(
        events,
        sql`/* kernel.events.ofType */ select type, data from kernel.events where type = ${type} order by id`,
      ),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
};

test('jobs of a site wait, leave as a signed bundle, and count at the hub once', async () => {
  await using site = await airgapApp();
  await using hub = await airgapApp();
  // Ids of tests repeat; from here on those of the hub are others.
  hub.deps.ids.uuid();
  const { sync } = site.module;
  const payload = JSON.stringify(evidenceWith('landed'));
  const job = await sync.enqueue(operator, { kind: 'evidence', key: 'one', payload });
  assert.equal((await sync.enqueue(operator, { kind: 'evidence', key: 'one', payload })).id, job.id);
  await assert.rejects(
    sync.enqueue(operator, { kind: 'evidence', key: 'one', payload: JSON.stringify(evidenceWith('other')) }),
    { code: 'RES_CONFLICT' },
  );
  const wide = JSON.stringify({ ...evidenceWith('wide'), bomRef: '版'.repeat(400) });
  await assert.rejects(sync.enqueue(operator, { kind: 'evidence', key: 'wide', payload: wide }), {
    code: 'VAL_TOO_LONG',
  });
  await sync.enqueue(operator, { kind: 'kit_request', key: 'next kit' });
  assert.partialDeepStrictEqual(await sync.status(viewer, {}), { queued: 2, sequence: 0 });

  const sent = await sync.export(operator, {});
  assert.partialDeepStrictEqual(sent, { sequence: 1, entries: 2 });
  await assert.rejects(sync.export(operator, {}), { code: 'RES_NOT_FOUND' });
  const again = await sync.export(operator, { sequence: 1 });
  assert.equal(again.digest, sent.digest);

  const bundle = await readFile(join(site.dataDir, 'sync/outbox/acme', sent.file), 'utf8');
  const [{ spki }] = [await site.signingKeys.signer('attestation')];
  const publicKey = `-----BEGIN PUBLIC KEY-----\n${spki.toString('base64')}\n-----END PUBLIC KEY-----\n`;
  await hub.module.sync.addSite(operator, { siteId: sent.siteId, name: 'Plant 7', siteKey: publicKey });
  const file = await deliverBundle(hub.module.bundleInbox(operator.tenant), bundle);
  const imported = await hub.module.sync.import(operator, { file });
  assert.partialDeepStrictEqual(imported, { isNew: true, entries: 2, duplicates: 0, conflicts: 0, refused: 0 });
  assert.partialDeepStrictEqual(await hub.module.sync.import(operator, { file }), { isNew: false, entries: 0 });
  const { items } = await hub.module.sync.jobs(viewer, { state: 'applied' });
  assert.deepEqual(items.map(({ key }) => key).toSorted(), ['next kit', 'one']);
  const [request] = items.filter(({ kind }) => kind === 'kit_request');
  assert.match((await hub.module.sync.job(viewer, { id: request?.id })).payload, /kit-want-list/);
});

test('bundles of strangers, copies of old ones and gaps are refused, and change nothing', async () => {
  await using hub = await hubAndSite();
  const { site, receive } = hub;
  const stranger = syncSite();
  await assert.rejects(receive(await stranger.next([entryOf(stampAt(1), 'a', 'x')])), { code: 'sync_untrusted' });
  await assert.rejects(receive(await site.sign([entryOf(stampAt(1), 'a', 'x')], {}, testKey())), {
    code: 'sync_untrusted',
  });
  const first = await site.next([entryOf(stampAt(1), 'a', 'x')]);
  const second = await site.next([entryOf(stampAt(2), 'b', 'x')]);
  await assert.rejects(receive(second), {
    code: 'sync_gap',
    details: { siteId: site.siteId, sequence: 2, imported: 0, expected: 1 },
  });
  await receive(first);
  await receive(second);
  await assert.rejects(receive(first), { code: 'sync_replayed' });
  await assert.rejects(receive(await site.sign([entryOf(stampAt(1), 'c', 'x')])), { code: 'sync_replayed' });
  const forked = { previousDigest: first.digest };
  await assert.rejects(receive(await site.sign([entryOf(stampAt(3), 'c', 'x')], forked)), { code: 'sync_gap' });
  const unordered = [entryOf(stampAt(5), 'c', 'x'), entryOf(stampAt(4), 'd', 'x')];
  await assert.rejects(receive(await site.sign(unordered)), { code: 'VAL_INVALID_VALUE' });
  await assert.rejects(receive('{}'), { status: 400 });
  assert.deepEqual(await hub.states(), ['a applied', 'b applied']);
});

test('a file of the inbox that is a link, too large or not there is not read', async () => {
  await using hub = await hubAndSite();
  const inbox = hub.module.bundleInbox(operator.tenant);
  await mkdir(inbox, { recursive: true });
  await writeFile(join(hub.dataDir, 'secret.json'), '{}');
  await symlink(join(hub.dataDir, 'secret.json'), join(inbox, 'link.json'));
  await assert.rejects(hub.sync.import(operator, { file: 'link.json' }), { code: 'kit_archive_unsafe' });
  await assert.rejects(hub.sync.import(operator, { file: 'absent.json' }), { code: 'RES_NOT_FOUND' });
  await assert.rejects(hub.sync.import(operator, { file: '../link.json' }), { status: 400 });
  await writeFile(join(inbox, 'large.json'), Buffer.alloc(25_165_825));
  await assert.rejects(hub.sync.import(operator, { file: 'large.json' }), { code: 'VAL_TOO_LONG' });
});

test('an entry that cannot be read is kept as refused, and the others count', async () => {
  await using hub = await hubAndSite();
  const wrong = [
    entryOf(stampAt(1), 'good', 'x'),
    entryOf(stampAt(2), 'digest', 'x', { payload: '{}' }),
    entryOf(stampAt(3), 'future kind', 'x', { kind: 'telemetry' }),
    entryOf(stampAt(4), 'long', 'x', { payload: 'é'.repeat(200_000) }),
    entryOf(stampAt(5), 'nul\0', 'x'),
    entryOf(stampAt(6), '\0'.repeat(500), 'x', { payload: '\0' }),
  ];
  assert.partialDeepStrictEqual(await hub.receive(await hub.site.next(wrong)), { entries: 1, refused: 5 });
  const refused = (await hub.sync.jobs(viewer, { state: 'refused' })).items;
  assert.deepEqual(refused.map(({ key, kind }) => `${key.slice(0, 12)} ${kind}`).toSorted(), [
    '\\u0000\\u0000 evidence',
    'digest evidence',
    'future kind unknown',
    'long evidence',
    'nul\\u0000 evidence',
  ]);
  const long = refused.find(({ key }) => key === 'long');
  assert.equal((await hub.sync.job(viewer, { id: long?.id })).payload, 'é'.repeat(131_072));
  assert.ok(refused.every(({ refusal }) => refusal !== null));
  assert.equal((await hub.events('syncJob.apply')).length, 1);
});

test('a bundle far ahead of the clock is refused as a whole, and taken once the clock is right', async () => {
  await using hub = await hubAndSite();
  const ahead = new Date(hub.clock.now().getTime() + 2 * 86_400_000);
  const stamp = `${String(ahead.getTime()).padStart(15, '0')}-000000`;
  const bundle = await hub.site.next([entryOf(stampAt(1), 'a', 'x'), entryOf(stamp, 'b', 'x')]);
  await assert.rejects(hub.receive(bundle), { code: 'sync_ahead' });
  assert.deepEqual(await hub.states(), []);
  await hub.clock.advance(86_400_000);
  assert.partialDeepStrictEqual(await hub.receive(bundle), { isNew: true, entries: 2 });
});

test('this site is not added to itself, and its own bundles are refused', async () => {
  await using hub = await hubAndSite();
  await hub.sync.enqueue(operator, { kind: 'kit_request', key: 'next kit' });
  const { siteId } = await hub.sync.export(operator, {});
  const own = { siteId, name: 'Here', siteKey: hub.site.publicKey };
  await assert.rejects(hub.sync.addSite(operator, own), { code: 'RES_CONFLICT' });
  await assert.rejects(hub.receive(await hub.site.sign([entryOf(stampAt(1), 'a', 'x')], { siteId })), {
    code: 'sync_untrusted',
    message: /this site itself/,
  });
});

test('bundles of two sites that are imported at once conflict as if they came one after the other', async () => {
  await using hub = await hubAndSite();
  const other = syncSite();
  await hub.sync.addSite(operator, { siteId: other.siteId, name: 'Plant 8', siteKey: other.publicKey });
  for (const minute of [1, 2, 3, 4, 5])
    await Promise.all([
      hub.receive(await hub.site.next([entryOf(stampAt(minute), `key ${minute}`, 'x')])),
      hub.receive(await other.next([entryOf(stampAt(minute), `key ${minute}`, 'y')])),
    ]);
  assert.equal((await hub.sync.conflicts(viewer, {})).length, 5);
});

test('an own job that contradicts a site is a conflict when it is enqueued', async () => {
  await using hub = await hubAndSite();
  await hub.receive(await hub.site.next([entryOf(stampAt(1), 'a', 'theirs')]));
  const own = await hub.sync.enqueue(operator, {
    kind: 'evidence',
    key: 'a',
    payload: JSON.stringify(evidenceWith('ours')),
  });
  assert.equal(own.state, 'queued');
  const [conflict] = await hub.sync.conflicts(viewer, {});
  assert.deepEqual(
    conflict?.sides.map(({ state }) => state),
    ['applied', 'queued'],
  );
});

test('a person resolves a conflict, of which both sides are kept, and it is in the audit trail', async () => {
  await using hub = await hubAndSite();
  await hub.receive(await hub.site.next([entryOf(stampAt(1), 'a', 'ours'), entryOf(stampAt(2), 'a', 'theirs')]));
  const [conflict] = await hub.sync.conflicts(viewer, {});
  assert.ok(conflict);
  assert.deepEqual(
    conflict.sides.map(({ state }) => state),
    ['applied', 'conflict'],
  );
  const input = { id: conflict.id, reason: 'the site measured again' };
  await assert.rejects(hub.sync.resolve(viewer, { ...input, choice: 'keep_ours' }), { code: 'PERM_SCOPE_DENIED' });
  const resolved = await hub.sync.resolve(operator, { ...input, choice: 'take_theirs' });
  assert.deepEqual(
    resolved.sides.map(({ state }) => state),
    ['conflict', 'applied'],
  );
  assert.partialDeepStrictEqual(resolved, { state: 'resolved', reason: input.reason, resolvedBy: operator.subject });
  for (const version of [undefined, 1])
    await assert.rejects(hub.sync.resolve(operator, { ...input, choice: 'keep_ours', version }), {
      code: 'RES_CONFLICT',
      details: { id: conflict.id, version: 2 },
    });
  assert.deepEqual(await hub.sync.conflicts(viewer, {}), []);
  const [decided] = await hub.events('syncConflict.resolve');
  assert.partialDeepStrictEqual(decided?.data, { key: 'a', choice: 'take_theirs', reason: input.reason });
  assert.equal((await hub.events('syncJob.apply')).length, 2, 'the evidence that was taken is put');

  await hub.receive(await hub.site.next([entryOf(stampAt(3), 'a', 'a third side')]));
  const [reopened] = await hub.sync.conflicts(viewer, {});
  assert.partialDeepStrictEqual(reopened, { id: conflict.id, state: 'open', inForce: resolved.chosenDigest });
  const more = { id: conflict.id, choice: 'take_theirs', reason: 'the newest' };
  await assert.rejects(hub.sync.resolve(operator, more), { status: 400 });
  const digest = reopened?.sides.at(-1)?.digest;
  assert.equal((await hub.sync.resolve(operator, { ...more, digest })).inForce, digest);
});

test('a resolved conflict is decided again by its version, and the last decision counts wherever a bundle came between', async () => {
  await using hub = await hubAndSite();
  const [plant, mine] = [syncSite(), syncSite()];
  const late = await mine.next([entryOf(stampAt(3), 'a', 'a third side')]);
  const bundle = await plant.next([entryOf(stampAt(1), 'a', 'ours'), entryOf(stampAt(2), 'a', 'theirs')]);
  const decideIn = async (lateAfter: number) => {
    const who = caller({ tenant: `hub-${lateAfter}`, subject: operator.subject, scopes: [...operator.scopes] });
    for (const { siteId, publicKey } of [plant, mine])
      await hub.sync.addSite(who, { siteId, name: siteId, siteKey: publicKey });
    const receive = async (next: SignedBundle) =>
      hub.sync.import(who, { file: await deliverBundle(hub.module.bundleInbox(who.tenant), next) });
    const first = async () => (await hub.sync.conflicts(who, { openOnly: false }))[0];
    await receive(bundle);
    const [ours, theirs] = (await first())?.sides.map(({ digest }) => digest) ?? [];
    for (const [step, digest] of [theirs, ours, theirs].entries()) {
      if (step === lateAfter) await receive(late);
      const { id = '', version, inForce } = (await first()) ?? {};
      const choice = digest === inForce ? 'keep_ours' : 'take_theirs';
      await hub.sync.resolve(who, {
        id,
        choice,
        reason: `decision ${step}`,
        version,
        ...(choice === 'take_theirs' && { digest }),
      });
    }
    if (lateAfter === 3) await receive(late);
    const { inForce, sides = [], reason } = (await first()) ?? {};
    assert.equal(inForce, theirs);
    return [reason, ...sides.map(({ state }) => state)];
  };
  for (const lateAfter of [0, 1, 2, 3])
    assert.deepEqual(await decideIn(lateAfter), ['decision 2', 'conflict', 'applied', 'conflict']);
});

test('a repeated side with an earlier stamp changes what counts, so a decision about the version before it is refused', async () => {
  await using hub = await hubAndSite();
  await hub.receive(await hub.site.next([entryOf(stampAt(4), 'a', 'x'), entryOf(stampAt(8), 'a', 'y')]));
  const [seen] = await hub.sync.conflicts(viewer, {});
  const third = syncSite();
  await hub.sync.addSite(operator, { siteId: third.siteId, name: 'third', siteKey: third.publicKey });
  await hub.receive(await third.next([entryOf(stampAt(2), 'a', 'y')]));
  const [found] = await hub.sync.conflicts(viewer, {});
  assert.ok(seen && found && found.inForce !== seen.inForce);
  const keep = { id: seen.id, choice: 'keep_ours', reason: 'x is right' } as const;
  const details = { id: seen.id, version: 2 };
  await assert.rejects(hub.sync.resolve(operator, { ...keep, version: seen.version }), {
    code: 'RES_CONFLICT',
    details,
  });
  await assert.rejects(hub.sync.resolve(operator, { ...keep, digest: seen.inForce }), {
    code: 'RES_CONFLICT',
    details,
  });
  const resolved = await hub.sync.resolve(operator, { ...keep, version: found.version, digest: found.inForce });
  assert.equal(resolved.inForce, found.inForce);
  await assert.rejects(hub.sync.resolve(operator, keep), {
    message: `The conflict ${seen.id} is resolved already, with the reason "x is right". Give its version, ${resolved.version}, to decide again.`,
  });
});

test('any order of an own job and bundles of three sites leads to the same states and conflicts', async () => {
  assert.equal(await compareOrders(63), 10);
});

test('what this site does next is stamped after what it received', async () => {
  await using hub = await hubAndSite();
  const soon = new Date(hub.clock.now().getTime() + 3_600_000);
  const ahead = `${String(soon.getTime()).padStart(15, '0')}-000007`;
  await hub.receive(await hub.site.next([entryOf(ahead, 'a', 'x')]));
  const { stamp } = await hub.sync.enqueue(operator, { kind: 'kit_request', key: 'next kit' });
  assert.equal(stamp, ahead.replace('000007', '000008'));
});

test('the statement of each deployment is enqueued while the site is sealed', async () => {
  const read: EvidenceReader = async (_query, _tenant, { entityId }) => ({
    bomRef: 'landfall:deployment:1',
    serialNumber: `urn:uuid:${entityId}`,
    content: Buffer.from('{}'),
    references: entityId === STATEMENT ? [{ kind: 'Deployment', id: STATEMENT }] : [],
  });
  await using site = await airgapApp(() => ({ evidence: new Map([['attestation.log', read]]) }));
  const { sync, seal, followStatements } = site.module;
  const announce = (id: string) =>
    site.deps.database.write(operator.tenant, (tx) =>
      event(tx, operator, 'attestation.log', { entity: 'Attestation', id, version: 1 }),
    );
  /** Follows this many events: a transaction of another database can hide them from one turn. */
  const followAll = async (count: number): Promise<void> => {
    let followed = 0;
    await until(async () => {
      followed += await followStatements();
      return followed >= count;
    });
  };
  await announce(STATEMENT);
  await followAll(1);
  assert.equal((await sync.status(viewer, {})).queued, 0, 'an unsealed site has a network');
  await seal.seal(operator, { policy: { allowLoopback: true } });
  await announce(STATEMENT);
  await announce('01900000-0000-7000-8000-00000000000b');
  await announce(STATEMENT);
  await followAll(3);
  const { items } = await sync.jobs(viewer, {});
  assert.deepEqual(
    items.map(({ kind, key, state }) => [kind, key, state]),
    [['evidence', `urn:uuid:${STATEMENT}`, 'queued']],
  );
});

// spec: 6/sync-meters
test('each instrument of the synchronisation moves as its name says', async () => {
  const telemetry = createTelemetry(silentLog);
  await using hub = await hubAndSite(() => ({ meter: telemetry.meter('airgap') }));
  await hub.receive(
    await hub.site.next([
      entryOf(stampAt(1), 'a', 'x'),
      entryOf(stampAt(2), 'a', 'x'),
      entryOf(stampAt(3), 'a', 'y'),
      entryOf(stampAt(4), 'b', 'x'),
    ]),
  );
  await hub.sync.enqueue(operator, { kind: 'kit_request', key: 'next kit' });
  await hub.sync.export(operator, {});
  const text = await telemetry.prometheus();
  const tagged = 'tenant="acme"';
  for (const line of [
    `airgap_bundles_exported_total{${tagged}} 1`,
    `airgap_bundles_imported_total{${tagged}} 1`,
    `airgap_jobs_synced_total{${tagged},kind="evidence"} 2`,
    `airgap_duplicates_dropped_total{${tagged}} 1`,
    `airgap_merge_conflicts_total{${tagged}} 1`,
    `airgap_offline_enqueues_total{${tagged},kind="kit_request"} 1`,
    'airgap_bundle_size_bytes_count{direction="export"} 1',
    'airgap_bundle_size_bytes_count{direction="import"} 1',
    'airgap_sync_duration_seconds_count{direction="export"} 1',
    'airgap_sync_duration_seconds_count{direction="import"} 1',
  ])
    assert.ok(text.includes(`${line}\n`), `${line} in\n${text}`);
  assert.match(text, /^airgap_merge_entries_count(?:_total)?\{tenant="acme"\} 4$/m);
});

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createTrail, memoryLog, nthEvent } from './audit.fixture.ts';
import { listEvents } from './seal.store.ts';
import { eventLeaf } from './seal.ts';

const EVENTS = 40;
const BATCH = 7;
const SEALS = Math.ceil(EVENTS / BATCH);

const trail = await createTrail();
after(() => trail[Symbol.asyncDispose]());
const { client, database, write } = trail;
const log = memoryLog('landfall.example/log');
const sealAll = (events: number) => trail.seal(events, BATCH);
const withTampering = (...statements: readonly string[]) => trail.tampered([log], statements);

await write(0, EVENTS);
await sealAll(EVENTS);
await trail.anchor(log);
await trail.keep();

test('a trail that nobody touched is whole, and the log has every seal of it', async () => {
  const { findings, seals, events, unsealed, logged } = await trail.audit([log]);
  assert.deepEqual(findings, []);
  assert.deepEqual(
    { seals, events, unsealed: unsealed.count, logged },
    { seals: SEALS, events: EVENTS, unsealed: 0, logged: SEALS },
  );
});

test('what is not sealed yet is counted and is no fault', async () => {
  await write(EVENTS, 3);
  const { findings, unsealed } = await withTampering(
    "update kernel.events set actor = 'nobody' where entity_id = 'n41'",
  );
  assert.deepEqual([findings, unsealed.count, unsealed.isLate], [[], 3, false]);
});

/** Edits of each column of an event. */
const editsOfEvent: Readonly<Record<string, string>> = {
  tenant: "tenant = 'initech'",
  'tenant that is none': "tenant = 'Not A Tenant'",
  type: "type = type || ' '",
  entity: "entity = 'Notes'",
  entityId: "entity_id = 'n999'",
  version: 'version = version + 1',
  actor: "actor = 'mallory'",
  correlationId: "correlation_id = 'c'",
  'a member of the data': `data = jsonb_set(data, '{amount}', '0.5000001')`,
  'the scale of a number in the data': `data = jsonb_set(data, '{amount}', '1.50000000')`,
  'data, a member more': `data = data || '{"more": null}'`,
  'data that is no object': "data = 'null'",
  'a microsecond': "at = at + interval '1 microsecond'",
  'another era': "at = (at::date - interval '4051 years')",
  'no time': "at = 'infinity'",
};

for (const [name, edit] of Object.entries(editsOfEvent)) {
  test(`an edited event is named: ${name}`, async () => {
    const { findings } = await withTampering(`update kernel.events set ${edit} where ${nthEvent(17)}`);
    assert.equal(findings.length, 1, JSON.stringify(findings.map(({ text }) => text)));
    assert.equal(findings[0]?.kind, 'event-edited');
    assert.match(findings[0]?.text ?? '', /^Event \d+-\d+ \(.*\), under seal 3, was edited\.$/);
  });
}

const editsOfSeal: Readonly<Record<string, string>> = {
  previous: "previous = decode(repeat('00', 32), 'hex')",
  'no previous': 'previous = null',
  firstXid: "first_xid = '5'",
  firstId: 'first_id = first_id - 1',
  'an end that is later': "last_xid = '18446744073709551615'",
  'an end that is earlier': 'last_id = last_id - 1',
  count: 'count = count - 1',
  root: "root = decode(repeat('00', 32), 'hex')",
  leaves: 'leaves = set_byte(leaves, 40, (get_byte(leaves, 40) + 1) % 256)',
  'leaves that lack one': 'leaves = substr(leaves, 33)',
  cursors: 'cursors = set_byte(cursors, 31, (get_byte(cursors, 31) + 1) % 256)',
  'cursors in pieces': 'cursors = substr(cursors, 4)',
  sealedAt: "sealed_at = sealed_at + interval '1 microsecond'",
  'sealed at no time': "sealed_at = '-infinity'",
  hash: "hash = decode(repeat('00', 32), 'hex')",
};

for (const [name, edit] of Object.entries(editsOfSeal)) {
  test(`an edited seal is named, and no event with it: ${name}`, async () => {
    const { findings, kinds } = await withTampering(`update kernel.event_seals set ${edit} where sequence = 3`);
    assert.deepEqual(kinds, ['seal-edited'], JSON.stringify(findings.map(({ text }) => text)));
    assert.ok(findings.every(({ seal }) => seal === 3n));
  });
}

test('a seal under another number is found, whichever it is', async () => {
  for (const number of [0, -4, SEALS + 1, SEALS + 90, '9223372036854775807'])
    for (const sequence of [1, 3, SEALS]) {
      const { kinds } = await withTampering(
        `update kernel.event_seals set sequence = ${number} where sequence = ${sequence}`,
      );
      assert.ok(kinds.includes('seal-missing') && kinds.includes('seal-edited'), `${sequence} to ${number}: ${kinds}`);
    }
});

test('what a seal says of the log is held against the log', async () => {
  const indexes = ['0', '1', '999999', '-1', '9223372036854775807'].map((index) => `log_index = ${index}`);
  for (const edit of [...indexes, 'log_index = null, log_origin = null', "log_origin = 'none.example/log'"]) {
    const { findings, kinds } = await withTampering(`update kernel.event_seals set ${edit} where sequence = 3`);
    assert.deepEqual(kinds, ['log'], edit);
    assert.match(findings[0]?.text ?? '', /^Seal 3 /);
  }
});

test('a seal of which the log’s answer was never noted is no fault while no later one is noted', async () => {
  const { findings } = await withTampering(
    'update kernel.event_seals set log_index = null, log_origin = null where sequence >= 3',
  );
  assert.deepEqual(findings, []);
});

test('a seal that says that it is logged and is not is found', async () => {
  for (const index of [0, log.bodies.length, 10 ** 9]) {
    await write(EVENTS, 1);
    await sealAll(1);
    const { kinds } = await withTampering(
      `update kernel.event_seals set log_index = ${index}, log_origin = '${log.origin}' where sequence = ${SEALS + 1}`,
    );
    assert.deepEqual(kinds, ['log'], String(index));
  }
});

test('deleted events, seals, the last seal and all of them are found', async () => {
  const event = await withTampering(`delete from kernel.events where ${nthEvent(20)}`);
  assert.deepEqual(
    event.findings.map(({ kind, seal }) => [kind, seal]),
    [['event-deleted', 3n]],
  );
  assert.match(event.findings[0]?.text ?? '', /^Event \d+-\d+, under seal 3, was deleted\.$/);
  for (const sequence of [1, 3, SEALS]) {
    const { findings, kinds } = await withTampering(`delete from kernel.event_seals where sequence = ${sequence}`);
    assert.deepEqual(kinds, ['seal-missing']);
    assert.ok(findings.every(({ seal }) => seal === BigInt(sequence)));
  }
  const all = await withTampering('delete from kernel.event_seals');
  assert.deepEqual([all.kinds, all.findings.length], [['seal-missing'], SEALS]);
  const everything = await withTampering('delete from kernel.event_seals', 'delete from kernel.events');
  assert.deepEqual([everything.kinds, everything.findings.length], [['seal-missing'], SEALS]);
});

test('a trail that was made anew and sealed anew is found: the log has other seals', async () => {
  await client.query(`update kernel.events set actor = 'mallory' where ${nthEvent(2)}`);
  await client.query('delete from kernel.event_seals');
  await sealAll(EVENTS);
  const { kinds, findings } = await withTampering(
    `update kernel.event_seals set log_index = sequence - 1, log_origin = '${log.origin}'`,
  );
  assert.deepEqual(
    [kinds, findings.length],
    [['seal-edited'], SEALS],
    JSON.stringify(findings.map(({ text }) => text)),
  );
});

test('an event that was put among the sealed ones is found, wherever', async () => {
  for (const at of [0, 6, 7, 20, EVENTS - 1])
    for (const [xid, id] of [
      ['xid', 'id - 1'],
      ['(xid::text::bigint - 1)::text::xid8', 'id'],
    ]) {
      const { findings } = await withTampering(
        `insert into kernel.events (tenant, xid, id, type, entity, entity_id, version, actor, correlation_id, data, at)
          overriding system value
          select tenant, ${xid}, ${id}, type, entity, entity_id, version, actor, correlation_id, data, at
          from kernel.events where ${nthEvent(at)}`,
      );
      assert.deepEqual(
        findings.map(({ kind }) => kind),
        ['event-inserted'],
      );
    }
});

test('an event that was moved is deleted where it was', async () => {
  const last = `(select max(xid::text::bigint) from kernel.events)`;
  const { kinds } = await withTampering(
    `update kernel.events set xid = (${last} + 1)::text::xid8 where ${nthEvent(9)}`,
  );
  assert.deepEqual(kinds, ['event-deleted']);
});

test('two seals that changed places are found, and so are two events', async () => {
  const seals = await withTampering(
    'update kernel.event_seals set sequence = 1000 where sequence = 3',
    'update kernel.event_seals set sequence = 3 where sequence = 4',
    'update kernel.event_seals set sequence = 4 where sequence = 1000',
  );
  assert.ok(seals.kinds.includes('seal-edited'));
  const [one, two] = [nthEvent(9), nthEvent(10)];
  const events = await withTampering(
    `with swapped as (
       select a.tenant as tenant_a, a.xid as xid_a, a.id as id_a, a.data as data_a, b.tenant as tenant_b, b.xid as xid_b,
         b.id as id_b, b.data as data_b
       from (select * from kernel.events where ${one}) a, (select * from kernel.events where ${two}) b)
     update kernel.events e set data = case when (e.xid, e.id) = (xid_a, id_a) then data_b else data_a end
     from swapped where (e.xid, e.id) in ((xid_a, id_a), (xid_b, id_b))`,
  );
  assert.deepEqual(
    events.findings.map(({ kind }) => kind),
    ['event-edited', 'event-edited'],
  );
});

test('a leaf hash that was made anew with its row does not hide it: the root is over another', async () => {
  const edited = `update kernel.events set actor = 'mallory' where ${nthEvent(16)}`;
  await client.query(edited);
  const [forged] = await database.system
    .read((query) => listEvents(query, { xid: 0n, id: 0n }, 17))
    .then((all) => all.slice(16));
  assert.ok(forged);
  const leaf = `'\\x${eventLeaf(forged).toString('hex')}'::bytea`;
  const { kinds } = await withTampering(
    edited,
    `update kernel.event_seals set leaves = overlay(leaves placing ${leaf} from 65) where sequence = 3`,
  );
  assert.deepEqual(kinds, ['event-edited']);
});

const columns = ['tenant', 'type', 'entity', 'entity_id', 'actor', 'correlation_id'];

test('whichever event and whichever of its columns: any other text in it is found', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(EVENTS - 1),
      fc.constantFrom(...columns),
      fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !text.includes('\0')),
      async (at, column, value) => {
        const literal = client.escapeLiteral(value);
        const { findings } = await withTampering(
          `update kernel.events set ${column} = ${literal} where ${nthEvent(at)}`,
        );
        assert.deepEqual(
          findings.map(({ kind, seal }) => [kind, seal]),
          [['event-edited', BigInt(Math.floor(at / BATCH) + 1)]],
        );
      },
    ),
    { numRuns: 25 },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { arm } from '@landfall/kernel/system/failpoint';
import { until } from '@landfall/kernel/testing/until';
import pg from 'pg';
import { aDeployment, anEstate, aRelease, digestOf, entry, idOf, storyApp } from './story.fixture.ts';

/** Makes the database refuse rows that contain a word. */
const refuse = async (connection: pg.ClientConfig, word: string): Promise<void> => {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(`alter table search.chunks add constraint refused check (body not like '%${word}%') not valid`);
  await client.end();
};

test('one event that cannot be told is stepped over: its own tenant’s others are told, and other tenants’', async () => {
  await using app = await storyApp();
  await refuse(app.connection, 'unspeakable');
  await app.happen([...anEstate, ...aRelease('one', '1.0.0')]);
  await app.happen([entry('release.hold', 'Release', 'one', { reason: 'unspeakable' })]);
  await app.happen([...aRelease('theirs', '9.0.0')], 'globex');
  await app.happen([...aRelease('two', '1.1.0'), ...aDeployment('first', 'one')]);
  await app.project();
  const titles = (await app.documents()).map(({ title }) => title);
  for (const title of ['Release shop 1.0.0', 'Release shop 1.1.0', 'Deployment of shop 1.0.0 to prod'])
    assert.ok(titles.includes(title), title);
  assert.deepEqual(
    (await app.documents('globex')).map(({ title }) => title),
    ['Release shop 9.0.0'],
  );
  assert.deepEqual(app.steppedOver, ['search.projection.steppedOver release.hold']);
  const release = await app.document(`release/Release/${idOf('one')}`);
  assert.match(release?.body ?? '', /It runs in prod\./);
  assert.doesNotMatch(release?.body ?? '', /on hold/);
});

test('package URLs and names of any length and with any words stop nobody', async () => {
  await using app = await storyApp();
  const long = Array.from({ length: 190 }, (_, index) => digestOf(`${index}`).slice(7, 17)).join('');
  const found = (findingId: string, purl: string, vulnId = 'CVE-2026-1') => ({ findingId, purl, vulnId });
  await app.happen([
    entry('scan.findings', 'Scan', 'scan', {
      imageDigest: digestOf('api'),
      findings: [
        found('plain', 'pkg:npm/a@1'),
        found('inherited', 'pkg:constructor/x@1'),
        found('worse', 'pkg:__proto__/x@1'),
        found(long, `pkg:npm/${long}@1`, long),
        {
          ...found('known by many', 'pkg:npm/b@1'),
          aliases: Array.from({ length: 900 }, (_, index) => `CVE-2026-${index}`),
        },
      ],
    }),
    entry('scan.complete', 'Scan', 'scan', { imageDigest: digestOf('api'), severities: {} }),
  ]);
  await app.happen(aRelease('theirs', '9.0.0'), 'globex');
  await app.project();
  assert.deepEqual(app.steppedOver, []);
  const findings = (await app.documents()).filter(({ domain }) => domain === 'findings');
  assert.equal(findings.length, 5);
  assert.equal((await app.documents('globex')).length, 1);
});

test('what is told while a rebuild runs is not overwritten by it, and holds nobody up', async () => {
  await using app = await storyApp();
  const acme = toTenantId('acme');
  await app.happen([...anEstate, ...aRelease('one', '1.0.0')]);
  await app.project();
  const client = new pg.Client(app.connection);
  await client.connect();
  await client.query(`update search.subjects set facts = facts || '{"name": "wrong"}' where entity = 'Release'`);
  // Another transaction has the lock; the rebuild has read its events when it gets the lock.
  await client.query('begin');
  await client.query('select from search.projections for update');
  const rebuilding = app.projection.rebuild(acme);
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await until(async () => (await client.query(waits)).rowCount !== 0);
  await app.happen(aDeployment('first', 'one'));
  await client.query('commit');
  await client.end();
  await app.project();
  await rebuilding;
  await app.project();
  const documents = await app.documents();
  assert.ok(documents.some(({ title }) => title === 'Deployment of shop 1.0.0 to prod'));
  await app.projection.rebuild(acme);
  assert.deepEqual(await app.documents(), documents);
});

test('a rebuild that fails half-way leaves what is there, and the next one completes', async () => {
  await using app = await storyApp();
  await app.happen([...anEstate, ...aRelease('one', '1.0.0'), ...aDeployment('first', 'one')]);
  await app.project();
  const before = await app.documents();
  let rounds = 0;
  {
    using _ = arm('search.rebuild.writing', () => {
      rounds += 1;
      if (rounds === 2) throw new Error('The power went.');
    });
    await assert.rejects(app.projection.rebuild(toTenantId('acme')), /power/);
  }
  assert.deepEqual(await app.documents(), before);
  assert.equal(await app.projection.rebuild(toTenantId('acme')), before.length);
  assert.deepEqual(await app.documents(), before);
});

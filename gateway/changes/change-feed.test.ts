import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { noHints } from '@landfall/kernel/events/hint';
import { formatCursor, newest, parseCursor } from '@landfall/kernel/events/read';
import { event } from '@landfall/kernel/events/write';
import { testDeps } from '@landfall/kernel/testing/app';
import { caller } from '@landfall/kernel/testing/callers';
import { readableEvents } from '@landfall/kernel/testing/readable-events';
import { graphTypes } from '../graph/types.ts';
import { type Change, type ChangeFeed, createChangeFeed } from './change-feed.ts';

type Deps = Awaited<ReturnType<typeof testDeps>>['deps'];

const acme = toTenantId('acme');

const write = ({ database }: Deps, tenant: string, id: string): Promise<void> => {
  const actor = { ...caller({ tenant, subject: 'ann' }), tenant: toTenantId(tenant) };
  return database.write(actor.tenant, (tx) =>
    event(tx, actor, 'release.create', { entity: 'Release', id, version: 1 }),
  );
};

/** Collects the changes of one subscriber; `saw(n)` waits for the n-th. */
const subscribe = async (feed: ChangeFeed, after?: Change['cursor']) => {
  const received: Change[] = [];
  const waiting = new Map<number, () => void>();
  const subscription = await feed.subscribe({
    tenant: acme,
    after,
    onChange: (change) => {
      received.push(change);
      waiting.get(received.length)?.();
    },
    onLost: () => received.push({ cursor: { xid: 0n, id: 0n }, type: 'lost', id: '', version: 0 }),
  });
  return {
    ids: () => received.map(({ id }) => id),
    last: () => received.at(-1)?.cursor,
    from: subscription.from,
    saw: (count: number) =>
      received.length >= count ? undefined : new Promise<void>((resolve) => waiting.set(count, resolve)),
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  };
};

const feedOf = ({ database, hints, log }: Deps, pollMs?: number): ChangeFeed =>
  createChangeFeed({ database, hints, log, ...(pollMs !== undefined && { pollMs }) });

test('a subscriber is told its own tenant’s changes, in order', async () => {
  await using app = await testDeps();
  await using feed = feedOf(app.deps);
  using one = await subscribe(feed);
  await write(app.deps, 'acme', 'a');
  await write(app.deps, 'globex', 'not ours');
  await write(app.deps, 'acme', 'b');
  await one.saw(2);
  assert.deepEqual(one.ids(), ['a', 'b']);
});

test('a subscriber that comes back is told what it missed, once, and then what happens', async () => {
  await using app = await testDeps();
  await using feed = feedOf(app.deps);
  const start = await app.deps.database.read(acme, newest);
  await write(app.deps, 'acme', 'a');
  await write(app.deps, 'globex', 'not ours');
  await write(app.deps, 'acme', 'b');
  using live = await subscribe(feed);
  using back = await subscribe(feed, start);
  await write(app.deps, 'acme', 'c');
  await back.saw(3);
  await live.saw(1);
  assert.deepEqual(back.ids(), ['a', 'b', 'c']);
  assert.deepEqual(live.ids(), ['c']);

  const last = back.last();
  assert.ok(last);
  using repeated = await subscribe(feed, parseCursor(formatCursor(last)));
  await write(app.deps, 'acme', 'd');
  await repeated.saw(1);
  assert.deepEqual(repeated.ids(), ['d']);
});

test('a change is told though its hint was lost', async () => {
  await using app = await testDeps();
  await using feed = createChangeFeed({
    ...app.deps,
    hints: noHints,
    pollMs: 20,
  });
  using one = await subscribe(feed);
  await write(app.deps, 'acme', 'a');
  await one.saw(1);
});

test('a row that a slow transaction writes late is not passed over', async () => {
  await using app = await testDeps();
  await using feed = feedOf(app.deps, 20);
  using one = await subscribe(feed);
  const slow = Promise.withResolvers<void>();
  const actor = { ...caller({ subject: 'ann' }), tenant: acme };
  const writing = app.deps.database.write(acme, async (tx) => {
    await event(tx, actor, 'release.create', { entity: 'Release', id: 'slow', version: 1 });
    await slow.promise;
  });
  await write(app.deps, 'acme', 'fast');
  slow.resolve();
  await writing;
  await one.saw(2);
  assert.deepEqual(one.ids().toSorted(), ['fast', 'slow']);
});

test('the past waits for a subscriber that takes its time, and goes no further once it has gone', async () => {
  await using app = await testDeps();
  await using feed = feedOf(app.deps, 20);
  const start = await app.deps.database.read(acme, newest);
  for (const id of ['a', 'b', 'c']) await write(app.deps, 'acme', id);
  const received: string[] = [];
  const [first, hasRoom] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = await feed.subscribe({
    tenant: acme,
    after: start,
    onChange: ({ id }) => {
      received.push(id);
      first.resolve();
      return hasRoom.promise;
    },
    onLost: () => assert.fail('lost'),
  });
  await first.promise;
  using live = await subscribe(feed, start);
  await live.saw(3);
  assert.deepEqual(received, ['a'], 'there was no room for more');
  slow[Symbol.dispose]();
  hasRoom.resolve();
  await write(app.deps, 'acme', 'd');
  await live.saw(4);
  assert.deepEqual(received, ['a']);
});

test('what happens while the past is read comes after it, once', async () => {
  await using app = await testDeps();
  await using feed = feedOf(app.deps, 20);
  const start = await app.deps.database.read(acme, newest);
  for (const id of ['a', 'b']) await write(app.deps, 'acme', id);
  await readableEvents(app.deps.database);
  using live = await subscribe(feed);
  const received: string[] = [];
  const [hasRoom, all] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  using _slow = await feed.subscribe({
    tenant: acme,
    after: start,
    onChange: ({ id }) => {
      received.push(id);
      if (received.length === 4) all.resolve();
      return received.length === 1 ? hasRoom.promise : undefined;
    },
    onLost: () => assert.fail('lost'),
  });
  for (const id of ['c', 'd']) await write(app.deps, 'acme', id);
  await live.saw(2);
  hasRoom.resolve();
  await all.promise;
  assert.deepEqual(received, ['a', 'b', 'c', 'd']);
});

test('a place that this database has not come to is refused: it may have been restored', async () => {
  await using app = await testDeps();
  await using feed = feedOf(app.deps);
  const { xid } = await app.deps.database.read(acme, newest);
  await assert.rejects(subscribe(feed, { xid: xid + 1_000n, id: 1n }), { code: 'VAL_INVALID_FORMAT' });
});

test('of types that no client can ask for nobody is told, early or late', async () => {
  await using app = await testDeps();
  const actor = { ...caller({ subject: 'ann' }), tenant: acme };
  const tokenRevoked = () =>
    app.deps.database.write(acme, (tx) =>
      event(tx, actor, 'accessToken.revoke', { entity: 'AccessToken', id: 'jti', version: 1 }),
    );
  await using feed = createChangeFeed({ ...app.deps, isPublished: (type) => graphTypes().has(type) });
  const start = await app.deps.database.read(acme, newest);
  await tokenRevoked();
  await write(app.deps, 'acme', 'a');
  using one = await subscribe(feed, start);
  await one.saw(1);
  await tokenRevoked();
  await write(app.deps, 'acme', 'b');
  await one.saw(2);
  assert.deepEqual(one.ids(), ['a', 'b']);
});

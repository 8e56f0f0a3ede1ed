import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { after, test } from 'node:test';
import { createTransparencyLog } from '@landfall/attestation/log/log';
import { bodyOf, ORIGIN, testLog } from '@landfall/attestation/log/test-log.fixture';
import { Fault } from '@landfall/kernel/core/fault';
import type { Database } from '@landfall/kernel/db/database';
import { createOperations } from '@landfall/kernel/operation/operation';
import { people } from '@landfall/kernel/testing/callers';
import { createLogOperations } from './log-operations.ts';

const base = await testLog();
after(() => base[Symbol.asyncDispose]());

/** Creates the log operations over one database. */
const operationsOver = (database: Database) =>
  createLogOperations({
    ...base.deps,
    database,
    operation: createOperations(database, base.deps.secrets),
    transparencyLog: createTransparencyLog({ database }, { origin: ORIGIN, keys: base.keys }).log,
    origin: ORIGIN,
    witnesses: [],
  });

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const submissionOf = (text: string) => {
  const bytes = Buffer.from(text);
  const rawBytes = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  return {
    hashedRekordRequestV002: {
      digest: createHash('sha256').update(bytes).digest('base64'),
      signature: {
        content: sign('sha256', bytes, privateKey).toString('base64'),
        verifier: { publicKey: { rawBytes }, keyDetails: 'PKIX_ECDSA_P256_SHA_256' },
      },
    },
  };
};

const overloaded = (error: unknown): boolean => error instanceof Fault && error.code === 'SYS_OVERLOADED';

test('whoever looks at the log holds no connection of a tenant while the log is read', async () => {
  const { database } = base.deps;
  let stored = 0;
  const connectionsAtReads: number[] = [];
  const { get } = operationsOver({
    ...database,
    read: (tenant, use) =>
      database.read(tenant, async (query) => {
        stored += 1;
        try {
          return await use(query);
        } finally {
          stored -= 1;
        }
      }),
    system: {
      ...database.system,
      read: (use) => {
        connectionsAtReads.push(stored);
        return database.system.read(use);
      },
    },
  });
  assert.equal((await get(people.viewer, {})).origin, ORIGIN);
  assert.deepEqual(connectionsAtReads, [0, 0]);
  await assert.rejects(get(people.nobody, {}), (error) => error instanceof Fault && error.code === 'PERM_SCOPE_DENIED');
});

test('a tenant that logs too much is refused until it has rested, and nobody else is', async () => {
  const { submit } = operationsOver(base.deps.database);
  const input = submissionOf('again and again');
  const all: PromiseSettledResult<unknown>[] = [];
  // A few at a time: a request that waits too long for a connection is refused with the same code.
  while (all.length < 300)
    all.push(...(await Promise.allSettled(Array.from({ length: 10 }, () => submit(people.operator, input)))));
  const refused = all.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  assert.equal(refused.length, 300 - 256);
  assert(refused.every(overloaded));
  const [first] = refused;
  assert.equal(first instanceof Fault && first.details?.retryAfter, 1);
  const { entry } = await submit(people['other-tenant'], input);
  assert.equal(entry.treeSize, 1);
  await assert.rejects(submit(people.operator, input), overloaded);
  await base.clock.advance(1_000);
  const rested = await Promise.allSettled(Array.from({ length: 25 }, () => submit(people.operator, input)));
  assert.equal(rested.filter(({ status }) => status === 'fulfilled').length, 20);
});

test('a log that as many wait for as it has room for refuses the next, and takes it once they are in', async () => {
  const { log } = createTransparencyLog(base.deps, { origin: 'narrow.example/log', keys: base.keys, maxWaiting: 3 });
  const all = await Promise.allSettled([0, 1, 2, 3].map((at) => log.append(bodyOf(at))));
  assert.deepEqual(
    all.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
  );
  assert.equal((await log.append(bodyOf(3))).index, 3);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemCaller } from '@landfall/kernel/core/caller';
import { toTenantId } from '@landfall/kernel/core/ids';
import { count } from '@landfall/kernel/db/columns';
import { createDatabase, type Database } from '@landfall/kernel/db/database';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { notice } from '@landfall/kernel/events/write';
import { revoke } from '@landfall/kernel/identity/denylist';
import { insert as insertProofs } from '@landfall/kernel/identity/dpop.store';
import { createIdempotency } from '@landfall/kernel/operation/idempotency';
import { createLog } from '@landfall/kernel/system/log';
import { testDeps } from '@landfall/kernel/testing/app';
import { createHousekeeping } from './housekeeping.ts';
import { insert as insertSession } from './session/session.store.ts';

const hourMs = 3_600_000;
const total = table('kernel.totals', { keys: count, notices: count, proofs: count, tokens: count, sessions: count });

const totals = (database: Database) =>
  database.system.read((query) =>
    query.get(
      total,
      sql`select (select count(*) from kernel.idempotency) as keys,
        (select count(*) from kernel.notices) as notices, (select count(*) from kernel.dpop_proofs) as proofs,
        (select count(*) from kernel.revoked_tokens) as tokens,
        (select count(*) from kernel.sessions) as sessions`,
    ),
  );

/** Inserts rows that expire after `lifeMs`, and others that stay. */
const fill = async ({ deps, clock }: Awaited<ReturnType<typeof testDeps>>): Promise<void> => {
  const caller = systemCaller(toTenantId('acme'), 'test', 'c-1');
  const idempotency = createIdempotency(deps.secrets);
  const lease = (key: string) =>
    deps.database.write(caller.tenant, (tx) => idempotency.reserve(tx, caller, idempotency.claim('a.b', key, {})));
  const publish = (id: string) =>
    deps.database.write(caller.tenant, (tx) => notice(tx, caller, 'note.grown', { entity: 'Note', id, version: 1 }));
  await lease('old');
  await publish('old');
  await clock.advance(hourMs);
  await lease('new');
  await publish('new');
  for (const [name, hours] of [
    ['short', 23],
    ['long', 48],
  ] as const)
    await deps.database.system.write(async (tx) => {
      const expiresAt = new Date(clock.now().getTime() + hours * hourMs - 1);
      await revoke(tx, name, expiresAt);
      await insertProofs(tx, [{ jkt: 'key', jti: name, expiresAt }]);
      const bytes = Buffer.from(name);
      const row = { tenant: 'acme', subject: 'x', sealed: bytes, csrfHash: bytes, idHash: bytes };
      await insertSession(tx, { ...row, lifeMs: hours * hourMs });
    });
};

test('of two workers one forgets what is past its time, and nothing else', async () => {
  await using base = await testDeps();
  const { database } = base.deps;
  const other = createDatabase({ connection: base.connection, max: 4 });
  await fill(base);
  await base.clock.advance(23 * hourMs);
  const lines: string[] = [];
  const log = createLog({ level: 'info' }, { write: (line) => void lines.push(line) });
  {
    await using _one = createHousekeeping({ database, log }).start();
    await using _two = createHousekeeping({ database: other, log }).start();
  }
  await other.close();
  assert.deepEqual(await totals(database), { keys: 1, notices: 1, proofs: 1, tokens: 1, sessions: 1 });
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).pruned),
    [{ dpopProofs: 1, egressDecisions: 0, idempotency: 1, notices: 1, revokedTokens: 1, sessions: 1 }],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { createDatabase } from '@landfall/kernel/db/database';
import { createOperations } from '@landfall/kernel/operation/operation';
import { caller } from '@landfall/kernel/testing/callers';
import { inputOf } from '@landfall/kernel/testing/matrix';
import { MODULES } from '@landfall/rest-compat/modules';
import { createModules } from '../modules/modules.ts';
import { createTestInstallation } from './test-installation.ts';

const CONCURRENCY = 4;
const UNKNOWN = '01900000-0000-7000-8000-0000000000ff';

// Every cache of these modules is empty, so that each operation loads what it needs itself.
test('every operation of every module needs one connection at a time', async () => {
  await using installation = await createTestInstallation();
  const { deps, data } = installation;
  const operations = installation.operations.toSorted((a, b) => a.spec.kind.localeCompare(b.spec.kind));
  const scopes = operations.flatMap(({ spec }) => spec.scope);
  const problems: string[] = [];
  for (const { spec } of operations) {
    const database = createDatabase({ connection: installation.connection, max: 1, systemMax: 1 });
    const operation = createOperations(database, deps.secrets);
    const fresh = createModules(MODULES, { ...deps, database, operation }, installation.settings);
    const found = fresh.flatMap((module) => module.operations).find((each) => each.spec.name === spec.name);
    assert.ok(found);
    const [kind = 'user'] = spec.callers;
    const subjects = { user: data.ids.User, client: data.ids.Client, agent: data.ids.Agent, system: 'system' };
    const person = caller({ tenant: 'acme', subject: subjects[kind] ?? kind, kind, scopes });
    // The token is not of the console's client, so that a lookup of the console's rights happens, too.
    const as = kind === 'user' ? { ...person, tokenId: UNKNOWN, clientId: data.ids.Client ?? UNKNOWN } : person;
    const times = spec.kind === 'read' ? CONCURRENCY : 1;
    const settled = await Promise.allSettled(Array.from({ length: times }, () => found(as, inputOf(found, data))));
    for (const each of settled) {
      if (each.status === 'fulfilled') continue;
      const isAnswer = each.reason instanceof Fault && !each.reason.code.startsWith('SYS_');
      if (!isAnswer) problems.push(`${spec.name}: ${each.reason}`);
    }
    await database.close();
  }
  assert.deepEqual(problems, []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMatrix, tenantTables } from '@landfall/kernel/testing/matrix';
import pg from 'pg';
import { MARK, seedSpec } from './seed.ts';
import { createTestInstallation } from './test-installation.ts';

test('no operation shows or changes anything of another tenant', async () => {
  await using installation = await createTestInstallation();
  const { unscoped, shared } = await seedSpec();
  assert.deepEqual(
    await checkMatrix({ ...installation, mark: MARK, owner: 'acme', other: 'globex', unscoped, shared }),
    [],
  );
});

test('whatever a statement asks for, the app role is given rows of its tenant only', async () => {
  await using installation = await createTestInstallation();
  const owner = new pg.Client(installation.connection);
  const app = new pg.Client({ ...installation.connection, options: '-c role=landfall_app' });
  await Promise.all([owner.connect(), app.connect()]);
  const { rows: tables } = await owner.query<{ name: string }>(
    `select name from (${tenantTables}) t where has_table_privilege('landfall_app', name, 'select')`,
  );
  const visibleIds = async (tenant: string): Promise<readonly (readonly [string, string])[]> => {
    await app.query("select set_config('landfall.tenant', $1, false)", [tenant]);
    const found = [];
    for (const { name } of tables) {
      // Rows of everybody (`*`) stand in the tables that row-level-security.test.ts lists.
      const { rows } = await app.query<{ tenant: string }>(`select distinct tenant from ${name} where tenant <> '*'`);
      found.push(...rows.map((row) => [name, row.tenant] as const));
    }
    return found;
  };
  const owns = await visibleIds('acme');
  assert.ok(owns.length > tables.length / 2, 'acme has rows in most tables');
  assert.ok(owns.every(([, tenant]) => tenant === 'acme'));
  assert.ok((await visibleIds('globex')).every(([, tenant]) => tenant === 'globex'));
  assert.deepEqual(await visibleIds(''), [], 'nobody has nothing');
  await Promise.all([owner.end(), app.end()]);
});

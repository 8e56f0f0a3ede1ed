import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { toId, toTenantId } from '@landfall/kernel/core/ids';
import { createDatabase } from '@landfall/kernel/db/database';
import { startUpgrade } from '@landfall/kernel/testing/upgrade';
import * as releases from '../../catalogue/releases/releases.store.ts';
import * as promotions from './promotions.store.ts';

const folder = fileURLToPath(new URL('../../migrations', import.meta.url));
const kernel = fileURLToPath(new URL('../../../kernel/migrations', import.meta.url));
const tenant = toTenantId('acme');
const uuid = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const promotion = (n: number, client: string | null): string[] => {
  const value = client === null ? 'null' : `'${client}'`;
  return [
    `insert into orchestrator.promotions (tenant, id, release_id, target_environment_id, state, reason, requested_by,
       requesting_client_id, approvals_needed, gated_digest_set, updated_by)
     values ('acme', '${uuid(n)}', '${uuid(1)}', '${uuid(1)}', 'failed', 'go', 'o', ${value}, 1, 'sha256:0', 'o')`,
    `insert into orchestrator.promotion_approvals (tenant, promotion_id, actor, client_id, decision, gated_digest_set)
     values ('acme', '${uuid(n)}', 'a', ${value}, 'approved', 'sha256:0')`,
  ];
};

test('promotions and approvals of the version before keep the client that was recorded, and releases have none', async () => {
  await using upgrade = await startUpgrade([kernel, folder]);
  await upgrade.migrateTo({ orchestrator: 19 });
  await upgrade.force(
    `insert into orchestrator.environments (tenant, id, name, order_index, stage_kind, required_approvals,
       separation_of_duties, required_evidence, default_strategy, deploy_timeout_seconds, created_by, updated_by)
     values ('acme', '${uuid(1)}', 'prod', 10, 'prod', 1, 'off', '[]', 'all_at_once', 600, 'o', 'o')`,
    `insert into orchestrator.releases (tenant, id, name, semver, gated_digest_set, finalized_by, finalized_at, status,
       created_by, updated_by)
     values ('acme', '${uuid(1)}', 'shop', '1.0.0', 'sha256:0', 'o', now(), 'ready', 'o', 'o')`,
    ...promotion(2, 'portal'),
    ...promotion(3, null),
  );
  await upgrade.migrateTo();
  const database = createDatabase({ connection: upgrade.connection });
  await using _closing = { [Symbol.asyncDispose]: () => database.close() };
  const id = toId(uuid(1), 'Release');
  const { found, release } = await database.read(tenant, async (query) => ({
    found: await promotions.listByReleases(query, tenant, [id]),
    release: await releases.find(query, tenant, id),
  }));
  assert.deepEqual(
    found.map(({ requestedThrough, approvals }) => [requestedThrough, approvals.map((each) => each.givenThrough)]),
    [
      [null, [null]],
      [['portal'], [['portal']]],
    ],
  );
  assert.deepEqual([release?.createdThrough, release?.finalizedThrough], [null, null]);
});

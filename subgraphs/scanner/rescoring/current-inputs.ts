import type { TenantId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import { readFeeds } from '../feeds/current-feeds.ts';
import { currentPolicy } from '../manifests/policies.ts';
import type { InputDigests } from '../scans/concerned-inputs.ts';
import { policyHash } from '../scans/freeze.ts';
import { vexSetDigest } from '../vex/document-set.ts';

/** Digests of the feeds in force, by role. */
export const feedsInForce = (database: Database): Promise<InputDigests> =>
  database.system.read(async (query) => {
    const { feeds } = await readFeeds(query);
    return Object.fromEntries(feeds.map(({ role, digest }) => [role, digest]));
  });

/** Digests of the inputs that a tenant has of its own: its policy and its VEX documents. */
export const tenantInputs = (database: Database, tenant: TenantId): Promise<InputDigests> =>
  database.read(tenant, async (query) => ({
    policy: policyHash(await currentPolicy(query, tenant)),
    vex: await vexSetDigest(query, tenant),
  }));

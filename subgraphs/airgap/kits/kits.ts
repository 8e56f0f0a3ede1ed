import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { digest } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { findRoot, readRoots } from '../roots/installed-root.ts';
import { AIRGAP_READ } from '../shared/scopes.ts';
import * as statements from './carried-statements.store.ts';
import type { KitDirectories } from './inbox.ts';
import { type InstalledKit, installedKit } from './installed-kit.ts';
import * as store from './kits.store.ts';
import { readManifest } from './manifest.ts';

/** Release, by which other modules know it. */
export interface ReleaseReference {
  readonly id: string;
}

/** Active kits of all channels. */
const listActive = async (query: Query, tenant: TenantId): Promise<InstalledKit[]> => {
  const roots = await readRoots(query);
  return (await store.listActive(query, tenant)).map((kit) => installedKit(kit, roots));
};

interface KitDeps extends Pick<Deps, 'operation'> {
  readonly database: Pick<Database, 'read'>;
  readonly directories: KitDirectories;
}

/** Creates the operations that read kits. */
export const createKits = ({ operation, directories }: KitDeps) => ({
  /** Active kits of all channels. */
  list: operation({
    name: 'kit.list',
    kind: 'read',
    scope: AIRGAP_READ,
    input: Type.Object({}),
    run: ({ tenant }, _input, query) => listActive(query, tenant),
  }),

  get: operation({
    name: 'kit.get',
    kind: 'read',
    scope: AIRGAP_READ,
    input: Type.Object({ digest }),
    raises: ['RES_NOT_FOUND'],
    example: { digest: `sha256:${'0'.repeat(64)}` },
    async run({ tenant }, { digest: kitDigest }, query) {
      const kit = await store.findByDigest(query, tenant, kitDigest);
      if (kit) return installedKit(kit, await readRoots(query));
      throw new Fault('RES_NOT_FOUND', `No kit ${kitDigest} is installed.`, { digest: kitDigest });
    },
  }),

  /** Root and active kits, as REST shows them together. */
  status: operation({
    name: 'kit.status',
    kind: 'read',
    scope: AIRGAP_READ,
    input: Type.Object({}),
    run: async ({ tenant }, _input, query) => ({
      tenant,
      root: (await findRoot(query)) ?? null,
      kits: await listActive(query, tenant),
    }),
  }),

  /** Manifest of the active kit of a channel. */
  manifest: operation({
    name: 'kit.manifest',
    kind: 'read',
    scope: AIRGAP_READ,
    input: Type.Object({ channel: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) }),
    raises: ['RES_NOT_FOUND'],
    example: { channel: 'main' },
    async run({ tenant }, { channel = 'main' }, query) {
      const kit = await store.findActive(query, tenant, channel);
      if (kit) return readManifest(kit.envelope).value;
      throw new Fault('RES_NOT_FOUND', `No kit of the channel ${channel} is installed.`, { channel });
    },
  }),

  /** Kit by which a release came; null for one that was made here. */
  ofReleases: operation({
    name: 'kit.listOfReleases',
    kind: 'read',
    scope: ['release:read', 'orch:read', ...AIRGAP_READ],
    input: Type.Object({ releaseIds: Type.Array(idOf('Release'), { maxItems: 1_000 }) }),
    example: { releaseIds: [exampleId('Release')] },
    async run({ tenant }, { releaseIds }, query) {
      const carried = await store.listCarried(query, tenant, releaseIds);
      const kits = await store.listByDigests(
        query,
        tenant,
        carried.map(({ kitDigest }) => kitDigest),
      );
      const roots = await readRoots(query);
      const byDigest = new Map(kits.map((kit) => [kit.digest, installedKit(kit, roots)]));
      return carried.map(({ releaseId, kitDigest }) => ({ releaseId, kit: byDigest.get(kitDigest) ?? null }));
    },
  }),

  /** Approvals and policies that came with releases. */
  statementsOfReleases: operation({
    name: 'kitStatement.listOfReleases',
    kind: 'read',
    scope: ['release:read', 'orch:read', ...AIRGAP_READ],
    input: Type.Object({ releaseIds: Type.Array(idOf('Release'), { maxItems: 1_000 }) }),
    example: { releaseIds: [exampleId('Release')] },
    run: ({ tenant }, { releaseIds }, query) => statements.listShown(query, tenant, releaseIds),
  }),

  /** Kits that lie in the inbox. */
  inbox: operation({
    name: 'kit.listInbox',
    kind: 'read',
    isDetached: true,
    cost: 0,
    scope: AIRGAP_READ,
    input: Type.Object({}),
    run: ({ tenant }) => directories.list(tenant),
  }),

  /** Root under which kits are verified; null before the first. */
  root: operation({
    name: 'kitRoot.get',
    kind: 'read',
    scope: AIRGAP_READ,
    input: Type.Object({}),
    run: async (_who, _input, query) => (await findRoot(query)) ?? null,
  }),
});

import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import type { Deps } from '@landfall/kernel/module';
import { digest } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { findRoot } from '../roots/installed-root.ts';
import { AIRGAP_READ } from '../shared/scopes.ts';
import type { KitDirectories } from './inbox.ts';
import * as store from './kits.store.ts';
import { type KitManifest, readManifest } from './manifest.ts';

/** Installed kit with its manifest. */
export interface InstalledKit extends Omit<store.Kit, 'envelope'> {
  readonly manifest: KitManifest;
}

/** Release, by which other modules know it. */
export interface ReleaseReference {
  readonly id: string;
}

const installed = ({ envelope, ...kit }: store.Kit): InstalledKit => ({
  ...kit,
  manifest: readManifest(envelope).value,
});

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
    run: async ({ tenant }, _input, query) => (await store.listActive(query, tenant)).map(installed),
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
      if (kit) return installed(kit);
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
      kits: (await store.listActive(query, tenant)).map(installed),
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
      if (kit) return installed(kit).manifest;
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
      const byDigest = new Map(kits.map((kit) => [kit.digest, installed(kit)]));
      return carried.map(({ releaseId, kitDigest }) => ({ releaseId, kit: byDigest.get(kitDigest) ?? null }));
    },
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

export type Kits = ReturnType<typeof createKits>;

import { connectionOf } from '@landfall/kernel/operation/page';
import type { Resolvers } from './generated.ts';
import { keysOf } from './roots/root.ts';

export const resolvers: Resolvers = {
  Query: {
    airgap: (_, _args, { caller, control }) => control.status(caller, {}),
    egressDecisions: (_, args, { caller, control }) => control.decisions(caller, args),
    sealPreflight: (_, args, { caller, control }) => control.preflight(caller, args),
    verifyAirGap: (_, _args, { caller, control }) => control.verify(caller, {}),
    timeStatus: (_, _args, { caller, control }) => control.time.status(caller, {}),
    offlineKits: (_, _args, { caller, kits }) => kits.list(caller, {}),
    offlineKitInbox: (_, _args, { caller, kits }) => kits.inbox(caller, {}),
    offlineKitRoot: (_, _args, { caller, kits }) => kits.root(caller, {}),
    kitImports: async (_, page, { caller, kitImports }) => connectionOf(await kitImports.list(caller, page)),
    advisoryMirrors: (_, _args, { caller, mirrors }) => mirrors.list(caller, {}),
    kitImport: (_, { id }, { caller, kitImports }) => kitImports.get(caller, { id }),
  },
  Mutation: {
    setEgressPolicy: (_, { input }, { caller, control }) => control.seal.setPolicy(caller, input),
    seal: (_, { input }, { caller, control }) => control.seal.seal(caller, input),
    unseal: (_, { input }, { caller, control }) => control.seal.unseal(caller, input),
    setTimeAnchor: (_, { input }, { caller, control }) => control.time.setAnchor(caller, input),
    importOfflineKit: (_, { input }, { caller, kitImports }) => kitImports.request(caller, input),
    importAdvisoryMirror: (_, { input }, { caller, mirrors }) => mirrors.request(caller, input),
  },
  AdvisoryMirrorKind: { FEEDS: 'feeds', VEX: 'vex' },
  AdvisoryMirrorState: { QUEUED: 'queued', IMPORTED: 'imported', COMPLETE: 'complete', FAILED: 'failed' },
  OfflineKitKind: { FEEDS: 'feeds', RELEASE: 'release' },
  KitImportState: {
    QUEUED: 'queued',
    WAITING: 'waiting',
    SWITCHED: 'switched',
    COMPLETE: 'complete',
    FAILED: 'failed',
  },
  OfflineKit: {
    createdAt: ({ manifest }) => new Date(manifest.createdAt),
    expiresAt: ({ manifest }) => new Date(manifest.expiresAt),
    components: ({ manifest }) => manifest.components.length,
  },
  KitChanges: {
    release: ({ releaseId }) => (releaseId === null ? null : { id: releaseId }),
  },
  InboxKit: {
    digest: ({ kit }) => kit?.digest ?? null,
    kitId: ({ kit }) => kit?.value.kitId ?? null,
    kind: ({ kit }) => kit?.value.kind ?? null,
    channel: ({ kit }) => kit?.value.channel ?? null,
    sequence: ({ kit }) => kit?.value.sequence ?? null,
    parts: ({ kit }) => kit?.value.archive.parts.length ?? null,
    size: ({ kit }) => kit?.value.archive.size ?? null,
    expiresAt: ({ kit }) => (kit ? new Date(kit.value.expiresAt) : null),
  },
  OfflineKitRoot: {
    version: ({ value }) => value.version,
    threshold: ({ value }) => value.threshold,
    keys: ({ value }) => keysOf(value).length,
    expiresAt: ({ value }) => new Date(value.expiresAt),
  },
  KitImport: {
    __resolveReference: ({ id }, { caller, kitImports }) => kitImports.get(caller, { id }),
  },
  Release: {
    __resolveReference: ({ id }) => ({ id }),
    kit: ({ id }, _args, { loaders }) => loaders.kitOfRelease(id),
  },
  AirGap: {
    id: ({ tenant }) => tenant,
    changedBy: ({ changedBy }) => (changedBy === null ? null : { id: changedBy }),
  },
};

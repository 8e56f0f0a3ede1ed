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
    syncStatus: (_, _args, { caller, sync }) => sync.status(caller, {}),
    syncJobs: async (_, page, { caller, sync }) => connectionOf(await sync.jobs(caller, page)),
    syncJob: (_, { id }, { caller, sync }) => sync.job(caller, { id }),
    syncSites: (_, _args, { caller, sync }) => sync.sites(caller, {}),
    syncConflicts: (_, args, { caller, sync }) => sync.conflicts(caller, args),
  },
  Mutation: {
    enqueueSyncJob: (_, { input }, { caller, sync }) => sync.enqueue(caller, input),
    exportSyncBundle: (_, { input }, { caller, sync }) => sync.export(caller, input),
    importSyncBundle: (_, { input }, { caller, sync }) => sync.import(caller, input),
    addSyncSite: (_, { input }, { caller, sync }) => sync.addSite(caller, input),
    resolveSyncConflict: (_, { input }, { caller, sync }) => sync.resolve(caller, input),
    setEgressPolicy: (_, { input }, { caller, control }) => control.seal.setPolicy(caller, input),
    seal: (_, { input }, { caller, control }) => control.seal.seal(caller, input),
    unseal: (_, { input }, { caller, control }) => control.seal.unseal(caller, input),
    setTimeAnchor: (_, { input }, { caller, control }) => control.time.setAnchor(caller, input),
    importOfflineKit: (_, { input }, { caller, kitImports }) => kitImports.request(caller, input),
    importAdvisoryMirror: (_, { input }, { caller, mirrors }) => mirrors.request(caller, input),
  },
  SyncJob: { payload: async ({ id }, _args, { loaders }) => (await loaders.payloadOfJob(id))?.payload ?? '' },
  SyncSite: { addedBy: ({ addedBy }) => ({ id: addedBy }) },
  SyncConflict: {
    isResolved: ({ state }) => state === 'resolved',
    resolvedBy: ({ resolvedBy }) => (resolvedBy === null ? null : { id: resolvedBy }),
  },
  OfflineKit: {
    createdAt: ({ manifest }) => new Date(manifest.createdAt),
    expiresAt: ({ manifest }) => new Date(manifest.expiresAt),
    components: ({ manifest }) => manifest.components.length,
  },
  KitChanges: {
    release: ({ releaseId }) => (releaseId === null ? null : { id: releaseId }),
    gate: ({ gate }) => gate ?? null,
  },
  KitGateChange: { release: ({ releaseId }) => ({ id: releaseId }) },
  KitStatement: {
    approvals: ({ approvals }) => approvals.map((each) => ({ ...each, comment: each.comment ?? null })),
  },
  KitStatementKind: { APPROVAL: 'approval', POLICY: 'policy' },
  KitGateOutcome: { PASS: 'pass', FAIL: 'fail', NOT_EVALUATED: 'not_evaluated' },
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
    kit: async ({ id }, _args, { loaders }) => (await loaders.kitOfRelease(id))?.kit ?? null,
    kitStatements: ({ id }, _args, { loaders }) => loaders.statementsOfRelease(id),
  },
  AirGap: {
    id: ({ tenant }) => tenant,
    changedBy: ({ changedBy }) => (changedBy === null ? null : { id: changedBy }),
  },
};

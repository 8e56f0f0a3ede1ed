import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { toId } from '@landfall/kernel/core/ids';
import { add as addDecisions } from '@landfall/kernel/egress/decisions.store';
import type { Seed, SeedContext } from '@landfall/kernel/operation/seed';
import { until } from '@landfall/kernel/testing/until';
import type { AirGap } from '../index.ts';
import { insertIfAbsent as insertStatement } from '../kits/carried-statements.store.ts';
import { insertCarried } from '../kits/kits.store.ts';
import { installRoots } from '../roots/installed-root.ts';
import { testKey, testKit, testRoot } from './kits.ts';
import { deliverBundle, entryOf, evidenceWith, stampAt, syncSite } from './sync-sites.ts';

const DAY_MS = 86_400_000;

/** Advisory of an ecosystem that no other seed is about. */
const advisory = (id: string): string =>
  JSON.stringify({
    id,
    modified: '2026-01-01T00:00:00Z',
    affected: [{ package: { ecosystem: 'Hex', name: 'kit' }, versions: ['1.0.0'] }],
  });

/** Puts two kits of the owner's into its inbox, and imports the first one. */
const deliverKits = async ({ kitInbox, kitImports, importKits }: AirGap, { deps, owner, mark }: SeedContext) => {
  const now = deps.clock.now();
  const at = (days: number): string => `${new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 19)}Z`;
  const key = testKey();
  await installRoots(deps.database, [await testRoot([key], { expiresAt: at(300) })], { now, by: 'seed' });
  const directory = await mkdtemp(join(tmpdir(), 'landfall-seed-'));
  const deliver = async (folder: string, sequence: number) => {
    const times = { createdAt: at(-1), expiresAt: at(30) };
    const files = { [`${mark}.json`]: advisory(`KIT-${sequence}`) };
    const kit = await testKit(join(directory, folder), { signers: [key], ...times, sequence, files });
    const target = kitInbox(owner.tenant, folder);
    await mkdir(dirname(target), { recursive: true });
    await rename(join(directory, folder, 'kit'), target);
    return kit;
  };
  const { digest } = await deliver(mark, 1);
  await deliver('next', 2);
  const { id } = await kitImports.request(owner, { folder: mark });
  // The product's own worker may have taken it.
  await until(async () => {
    await importKits();
    return (await kitImports.get(owner, { id })).state === 'complete';
  });
  await rm(directory, { recursive: true });
  return { digest, id };
};

/** Records a decision about a destination of the owner. */
const recordDecision = ({ deps, owner, mark }: SeedContext) =>
  deps.database.system.write((tx) =>
    addDecisions(tx, [
      {
        ...{ tenant: owner.tenant, host: `${mark}.example`, port: 443, transport: 'https', feature: mark },
        ...{ allowed: 1, blocked: 0, reason: null },
      },
    ]),
  );

/** Exchanges jobs with another site: one that waits, a bundle that was sent, and one that has come with a conflict. */
const exchangeJobs = async ({ sync, bundleInbox }: AirGap, { owner, mark }: SeedContext) => {
  const site = syncSite();
  await sync.addSite(owner, { siteId: site.siteId, name: mark, siteKey: site.publicKey });
  const evidence = (key: string) => ({ kind: 'evidence', key, payload: JSON.stringify(evidenceWith(mark)) });
  await sync.enqueue(owner, evidence(`${mark} sent`));
  await sync.export(owner, {});
  const { id } = await sync.enqueue(owner, evidence(mark));
  const jobAt = (minute: number, text: string) => entryOf(stampAt(minute), `${mark} conflict`, text);
  const bundle = await site.next([jobAt(1, 'one'), jobAt(2, 'two')]);
  const inbox = bundleInbox(owner.tenant);
  await sync.import(owner, { file: await deliverBundle(inbox, bundle) });
  const file = await deliverBundle(inbox, await site.next([entryOf(stampAt(3), mark, mark)]));
  const [conflict] = await sync.conflicts(owner, {});
  return { ids: { Site: site.siteId, SyncJob: id, SyncConflict: conflict?.id ?? '' }, file };
};

const create = async (airgap: AirGap, context: SeedContext) => {
  await recordDecision(context);
  const { digest, id } = await deliverKits(airgap, context);
  const { deps, owner, ids } = context;
  if (ids.Release !== undefined) {
    const releaseId = ids.Release;
    await deps.database.write(owner.tenant, async (tx) => {
      await insertCarried(tx, owner.tenant, releaseId, digest);
      await insertStatement(tx, owner.tenant, {
        ...{ id: toId(deps.ids.uuid(), 'KitStatement'), releaseId: toId(releaseId, 'Release'), kitDigest: digest },
        ...{ kind: 'approval', environment: context.mark, policy: null, policyDigest: null, decidedAt: null },
        approvals: [{ actor: context.mark, at: '2026-01-01T00:00:00Z' }],
        ...{ bundle: '{}', digest },
      });
    });
  }
  const exchanged = await exchangeJobs(airgap, context);
  await airgap.mirrors.request(context.owner, { sourceId: 'osv', folder: context.mark });
  return {
    ids: { KitImport: id, OfflineKit: digest, ...exchanged.ids },
    inputs: {
      'kit.get': { digest },
      'syncBundle.import': { file: exchanged.file },
      'syncBundle.export': { sequence: 1 },
    },
  };
};

/** Public key of a throwaway site (Ed25519). */
const SITE_KEY =
  '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n';

export const airgapSeed: Seed<AirGap> = {
  order: 70,
  create,
  shared: { 'kitRoot.get': 'the root belongs to the installation' },
  sharedFields: {
    airgap: 'whether the environment is sealed',
    syncStatus: 'numbers, and the id of the own site',
    offlineKitRoot: 'the root belongs to the installation',
    timeStatus: 'the time and the ages of content',
    verifyAirGap: 'digests and whether they hold',
  },
  values: {
    folder: 'next',
    siteId: '0197c0de-0000-7000-8000-00000000000c',
    siteKey: SITE_KEY,
    AdvisoryMirrorKind: 'FEEDS',
  },
};

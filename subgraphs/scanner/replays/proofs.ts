import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, type Id, idOf, type TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { digest, freeText } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { replayInTurns } from '../score/replay.ts';
import { type BundleVerification, verifyBundle } from '../score/verify-bundle.ts';
import { SCANS_READ, SCANS_WRITE } from '../shared/scopes.ts';
import { secondsText } from './freeze-time.ts';
import { expectScan, readFrozen } from './frozen-scans.ts';
import * as store from './proof-bundles.store.ts';
import { LIST_LIMIT } from './replay-history.ts';
import type { BundleStore } from './scored-bundle.ts';
import { trustedKeys } from './trusted-keys.ts';

export type { ProofBundle } from './proof-bundles.store.ts';

interface ProofDeps extends Pick<Deps, 'operation' | 'database' | 'clock'> {
  readonly bundles: BundleStore;
}

/** Result of a verification with its time. */
export interface ScoreVerification extends BundleVerification {
  readonly verifiedAtUtc: Date;
}

const record = eventsOf('Scan');
const COST = 100;

const verifyInput = Type.Object({
  scanId: idOf('Scan'),
  expectedRootHash: freeText(200),
  bundleUri: Type.Optional(Type.String({ maxLength: 4_096 })),
  expectedCanonicalInputHash: Type.Optional(Type.String({ maxLength: 200 })),
  canonicalInputPayload: Type.Optional(Type.String()),
});

type VerifyInput = Static<typeof verifyInput>;

const ofScan = Type.Object({ scanId: idOf('Scan') });
const example = { scanId: exampleId('Scan') };

const notFound = (scanId: string, rootHash: string | undefined): Fault =>
  new Fault('RES_NOT_FOUND', `The scan ${scanId} has no proof bundle${rootHash ? ` ${rootHash}` : ''}.`, {
    id: scanId,
  });

const getBundle = async (
  query: Query,
  tenant: TenantId,
  { scanId, rootHash }: { readonly scanId: Id<'Scan'>; readonly rootHash?: string | undefined },
): Promise<store.ProofBundle> => {
  const bundle = await store.find(query, tenant, scanId, rootHash);
  if (!bundle) throw notFound(scanId, rootHash);
  return bundle;
};

/** Canonical input of a bundle, from what the scan froze; undefined without the bundle's row. */
const storedPayload = async (
  query: Query,
  tenant: TenantId,
  bundle: store.ProofBundle | undefined,
): Promise<string | undefined> => {
  if (!bundle) return undefined;
  const { input } = await readFrozen(query, tenant, bundle.scanId, { freezeNumber: bundle.freezeNumber });
  const replayed = await replayInTurns({ ...input, freezeTimestamp: secondsText(bundle.freezeTimestamp) });
  return replayed.canonicalInputPayload;
};

/** Creates the operations on proof bundles (spec 2.4, 4.3). */
export const createProofs = ({ operation, database, clock, bundles }: ProofDeps) => {
  const { directory, signingKeys } = bundles;

  /** The bundle that is named, else that of the root, else the newest, and the canonical input where it is known. */
  const findSubject = (tenant: TenantId, { scanId, expectedRootHash, bundleUri, ...sent }: VerifyInput) =>
    database.read(tenant, async (query) => {
      const scan = await expectScan(query, tenant, scanId);
      const ofRoot = await store.find(query, tenant, scanId, expectedRootHash);
      const newest = ofRoot ?? (await store.find(query, tenant, scanId, undefined));
      const payload = sent.canonicalInputPayload === undefined ? await storedPayload(query, tenant, ofRoot) : undefined;
      return { scan, bundleUri: bundleUri || newest?.path, payload };
    });

  const get = operation({
    name: 'proof.get',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({ scanId: idOf('Scan'), rootHash: Type.Optional(digest) }),
    raises: ['RES_NOT_FOUND'],
    example,
    run: ({ tenant }, input, query) => getBundle(query, tenant, input),
  });

  return {
    get,

    list: operation({
      name: 'proof.list',
      kind: 'read',
      scope: SCANS_READ,
      input: ofScan,
      raises: ['RES_NOT_FOUND'],
      example,
      async run({ tenant }, { scanId }, query) {
        await expectScan(query, tenant, scanId);
        return store.listByScans(query, tenant, [scanId], LIST_LIMIT);
      },
    }),

    bundle: operation({
      name: 'score.bundle',
      kind: 'read',
      scope: SCANS_READ,
      input: Type.Object({ scanId: idOf('Scan'), rootHash: Type.Optional(digest) }),
      raises: ['RES_NOT_FOUND'],
      example,
      isDetached: true,
      cost: COST,
      async run({ tenant }, input) {
        const bundle = await database.read(tenant, (query) => getBundle(query, tenant, input));
        const { scanId, path, rootHash } = bundle;
        const keys = await trustedKeys(signingKeys);
        const location = { basePath: directory, bundleUri: path, scanId };
        const { manifestValid } = await verifyBundle(location, keys, { expectedRootHash: rootHash });
        return { ...bundle, manifestDsseValid: manifestValid };
      },
    }),

    verify: operation({
      name: 'score.verify',
      cost: COST,
      kind: 'write',
      scope: SCANS_WRITE,
      input: verifyInput,
      raises: ['RES_NOT_FOUND'],
      example: { ...example, expectedRootHash: `sha256:${'0'.repeat(64)}` },
      async prepare({ tenant }, input) {
        const { scan, bundleUri, payload } = await findSubject(tenant, input);
        const location = { basePath: directory, bundleUri, scanId: scan.id };
        const expected = { ...input, storedInputPayload: payload };
        return { scan, verification: await verifyBundle(location, await trustedKeys(signingKeys), expected) };
      },
      async run(who, { expectedRootHash }, tx, { scan, verification }): Promise<ScoreVerification> {
        const { valid, errorMessage } = verification;
        await record(tx, who, 'score.verify', scan, { expectedRootHash, valid, errorMessage });
        return { ...verification, verifiedAtUtc: clock.now() };
      },
    }),
  };
};

export type Proofs = ReturnType<typeof createProofs>;

/** Bundles of scans, for loaders. */
export const listProofs = (
  query: Query,
  tenant: TenantId,
  scanIds: readonly Id<'Scan'>[],
): Promise<store.ProofBundle[]> => store.listByScans(query, tenant, scanIds, LIST_LIMIT);

import { exampleId, type Id, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import { type Digest, sha256 } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { type Manifest, parseManifest, signManifest } from '../score/manifest.ts';
import type { Policy } from '../score/policy.ts';
import { SCANS_READ } from '../shared/scopes.ts';
import * as freezes from './freezes.store.ts';
import * as store from './manifests.store.ts';

export type { StoredFreeze } from './freezes.store.ts';
export type { StoredManifest } from './manifests.store.ts';

/** Signed manifest of a scan, ready to be stored with what the scan found. */
export type SealedManifest = store.StoredManifest;

/** Results of a freeze. */
type FreezeResults = Omit<freezes.StoredFreeze, 'scanId' | 'freezeNumber' | 'manifestHash' | 'createdAt'>;

/** Freezes of a scan that its history shows. */
const HISTORY_LIMIT = 100;

/** Inputs of a scan: its manifest, and the facts that the manifest has by hash only. */
interface FrozenInputs {
  readonly manifest: Manifest;
  readonly policy: Policy;
  /** Newest capture among the feeds; null without feeds. */
  readonly capturedAt: Date | null;
  /** Number of the freeze: 1 unless the scan was frozen before. */
  readonly freezeNumber?: number;
}

interface ManifestDeps extends Pick<Deps, 'operation'> {
  readonly signingKeys: SigningKeys;
}

/** Instant in whole seconds, rounded down as in every hashed document. */
const wholeSecond = (time: Date): Date => new Date(Math.floor(time.getTime() / 1000) * 1000);

const vexHashOf = ({ inputs }: Manifest): Digest => inputs.find(({ role }) => role === 'vex')?.hash ?? sha256('');

/** Creates the freeze of scans, and the operation that reads what was frozen. */
export const createManifests = ({ operation, signingKeys }: ManifestDeps) => ({
  /**
   * Signs the manifest of a freeze, once. Must not be called inside a transaction, since a device may be slow;
   * `storeFreeze` stores the result in the transaction that stores the findings.
   */
  async freezeScan({ manifest, policy, capturedAt, freezeNumber = 1 }: FrozenInputs): Promise<SealedManifest> {
    const text = canonicalJson(manifest);
    return {
      scanId: toId(manifest.scanId, 'Scan'),
      freezeNumber,
      manifest: text,
      envelope: await signManifest(await signingKeys.signer('manifest'), manifest),
      manifestHash: manifest.manifestHash,
      manifestDigest: sha256(text),
      policy,
      vexSetHash: vexHashOf(manifest),
      capturedAt: capturedAt && wholeSecond(capturedAt),
      createdAt: new Date(manifest.createdAtUtc),
    };
  },

  get: operation({
    name: 'scan.manifest',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({ scanId: idOf('Scan') }),
    raises: ['RES_NOT_FOUND'],
    example: { scanId: exampleId('Scan') },
    run: ({ tenant }, { scanId }, query) => store.getNewest(query, tenant, scanId),
  }),

  scoreHistory: operation({
    name: 'scan.scoreHistory',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({ scanId: idOf('Scan') }),
    example: { scanId: exampleId('Scan') },
    run: ({ tenant }, { scanId }, query) => freezes.listByScans(query, tenant, [scanId], HISTORY_LIMIT),
  }),
});

export type Manifests = ReturnType<typeof createManifests>;

/**
 * Stores a freeze: its results, then its manifest. Neither is ever changed: a second one of the same number is a bug and
 * throws.
 */
export const storeFreeze = async (
  tx: Tx,
  tenant: TenantId,
  sealed: SealedManifest,
  results: FreezeResults,
): Promise<void> => {
  const { scanId, freezeNumber, manifestHash, createdAt } = sealed;
  await freezes.insert(tx, tenant, { ...results, scanId, freezeNumber, manifestHash, createdAt });
  await store.insert(tx, tenant, sealed);
};

/** Manifest of a scan: of its newest freeze, or of one that is named. @throws Fault RES_NOT_FOUND where there is none */
export const getManifest = (
  query: Query,
  tenant: TenantId,
  scanId: Id<'Scan'>,
  {
    manifestHash,
    freezeNumber,
  }: { readonly manifestHash?: string | undefined; readonly freezeNumber?: number | undefined } = {},
): Promise<store.StoredManifest> => {
  if (freezeNumber !== undefined) return store.getOfFreeze(query, tenant, scanId, freezeNumber);
  if (manifestHash !== undefined) return store.getByHash(query, tenant, scanId, manifestHash);
  return store.getNewest(query, tenant, scanId);
};

/** Results of a freeze whose manifest is stored. */
export const getFreeze = async (
  query: Query,
  tenant: TenantId,
  { scanId, freezeNumber }: Pick<store.StoredManifest, 'scanId' | 'freezeNumber'>,
): Promise<freezes.StoredFreeze> => {
  const found = await freezes.find(query, tenant, scanId, freezeNumber);
  if (!found) throw new TypeError(`The scan ${scanId} has a manifest and no freeze ${freezeNumber}.`);
  return found;
};

/** Freezes of scans, the newest first, for loaders. */
export const listFreezes = (
  query: Query,
  tenant: TenantId,
  scanIds: readonly Id<'Scan'>[],
): Promise<freezes.StoredFreeze[]> => freezes.listByScans(query, tenant, scanIds, HISTORY_LIMIT);

/** Manifests of the newest freezes of scans, in no order. */
export const listManifests = (
  query: Query,
  tenant: TenantId,
  scanIds: readonly Id<'Scan'>[],
): Promise<store.StoredManifest[]> => store.listByScans(query, tenant, scanIds);

/** Manifest as a document. */
export const manifestDocument = ({ manifest }: Pick<store.StoredManifest, 'manifest'>): Manifest =>
  parseManifest(JSON.parse(manifest));

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
import * as store from './manifests.store.ts';

export type { StoredManifest } from './manifests.store.ts';

/** Signed manifest of a scan, ready to be stored with what the scan found. */
type SealedManifest = store.StoredManifest;

/** Inputs of a scan: its manifest, and the facts that the manifest has by hash only. */
interface FrozenInputs {
  readonly manifest: Manifest;
  readonly policy: Policy;
  /** Newest capture among the feeds; null without feeds. */
  readonly capturedAt: Date | null;
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
   * Signs the manifest of a scan, once. Must not be called inside a transaction, since a device may be slow;
   * `storeManifest` stores the result in the transaction that stores the findings.
   */
  async freezeScan({ manifest, policy, capturedAt }: FrozenInputs): Promise<SealedManifest> {
    const text = canonicalJson(manifest);
    return {
      scanId: toId(manifest.scanId, 'Scan'),
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
    run: ({ tenant }, { scanId }, query) => store.get(query, tenant, scanId),
  }),
});

export type Manifests = ReturnType<typeof createManifests>;

/** Stores the manifest of a scan. It is never changed: a second one for the same scan is a bug and throws. */
export const storeManifest = (tx: Tx, tenant: TenantId, sealed: SealedManifest): Promise<store.StoredManifest> =>
  store.insert(tx, tenant, sealed);

/** Manifest of a scan. Throws RES_NOT_FOUND for a scan that has none. */
export const getManifest = (query: Query, tenant: TenantId, scanId: Id<'Scan'>): Promise<store.StoredManifest> =>
  store.get(query, tenant, scanId);

/** Manifests of scans, in no order. */
export const listManifests = (
  query: Query,
  tenant: TenantId,
  scanIds: readonly Id<'Scan'>[],
): Promise<store.StoredManifest[]> => store.listByScans(query, tenant, scanIds);

/** Manifest as a document. */
export const manifestDocument = ({ manifest }: Pick<store.StoredManifest, 'manifest'>): Manifest =>
  parseManifest(JSON.parse(manifest));

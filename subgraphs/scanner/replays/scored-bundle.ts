import { Fault } from '@landfall/kernel/core/fault';
import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { createBundle } from '../score/bundle.ts';
import { writeBundle } from '../score/bundle-file.ts';
import { InvalidDocument } from '../score/document.ts';
import { type Replay, replayInTurns } from '../score/replay.ts';
import { statusOf } from '../score/scan-score.ts';
import { verifyBundle } from '../score/verify-bundle.ts';
import type { FrozenState } from './frozen-scans.ts';
import { trustedKeys } from './trusted-keys.ts';

/** Directory of proof bundles, and how they are named. */
export interface BundleStore {
  /** Absolute. */
  readonly directory: string;
  readonly isContentAddressed: boolean;
  readonly signingKeys: SigningKeys;
}

/** Result of verifying a bundle again after it was written (rulings 40, 68). */
export type VerificationStatus = 'verified' | 'unverified' | 'failed' | 'not_evaluated';

interface ScoredBundle {
  readonly replayed: Replay;
  readonly path: string;
  readonly bundleHash: string;
  readonly verificationStatus: VerificationStatus;
}

const write = async ({ directory, isContentAddressed }: BundleStore, { stored }: FrozenState, replayed: Replay) => {
  const bytes = createBundle(replayed, stored.envelope);
  try {
    return await writeBundle(directory, {
      scanId: stored.scanId,
      rootHash: replayed.rootHash,
      bytes,
      isContentAddressed,
    });
  } catch (error) {
    if (error instanceof InvalidDocument && error.reason === 'bundle-conflict')
      throw new Fault('RES_CONFLICT', 'The proof bundle of this root was changed on disk.', { path: error.message });
    throw error;
  }
};

const statusOfBundle = async (
  { directory, signingKeys }: BundleStore,
  path: string,
  { rootHash, canonicalInputPayload, scan }: Replay,
): Promise<VerificationStatus> => {
  const { valid, manifestValid, ledgerValid } = await verifyBundle(
    { basePath: directory, bundleUri: path },
    await trustedKeys(signingKeys),
    { expectedRootHash: rootHash, canonicalInputPayload },
  );
  if (!valid) return ledgerValid && !manifestValid ? 'unverified' : 'failed';
  return statusOf(scan.coverage) === 'notEvaluated' ? 'not_evaluated' : 'verified';
};

/**
 * Scores a frozen scan, writes its bundle and verifies the file. Must not be called inside a transaction.
 * @throws Fault RES_CONFLICT for a file of this name with other bytes
 */
export const scoreAndProve = async (
  bundles: BundleStore,
  state: FrozenState,
  freezeTimestamp: string,
): Promise<ScoredBundle> => {
  const replayed = await replayInTurns({ ...state.input, freezeTimestamp });
  const { path, bundleHash } = await write(bundles, state, replayed);
  await failpoint('scanner.replay.written');
  return { replayed, path, bundleHash, verificationStatus: await statusOfBundle(bundles, path, replayed) };
};

import { type Digest, parseDigest, sha256 } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { createManifest, type Manifest } from '../score/manifest.ts';
import type { Policy } from '../score/policy.ts';
import { replayInTurns } from '../score/replay.ts';
import type { Coverage } from '../score/scan-score.ts';
import { vexSetHash } from '../score/vex-set.ts';
import { concernedInputs, type InputDigests } from './concerned-inputs.ts';
import type { RuledScan } from './finding-vex.ts';

/** State of a scan that no later knowledge changes, with its score at this time. */
export interface FrozenState {
  readonly manifest: Manifest;
  readonly coverage: Coverage;
  readonly policy: Policy;
  /** Digests of the inputs that concern the scan. */
  readonly inputs: InputDigests;
  /** Latest capture among the feeds; null without feeds. */
  readonly capturedAt: Date | null;
  /** In parts per million; null where nothing was evaluated. */
  readonly scorePpm: number | null;
  readonly rootHash: string;
  /** Score of a finding in parts per million. */
  findingScore(findingId: string): number;
}

/** RFC 3339 with whole seconds, rounded down. */
const second = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;

/** Hash by which a manifest pins a policy. */
export const policyHash = (policy: Policy): Digest => sha256(canonicalJson(policy));

interface ScanFacts {
  readonly scanId: string;
  readonly sbomDigest: string;
  readonly scannerVersion: string;
  /** Time at which the bill of materials was received. */
  readonly createdAt: Date;
  readonly now: Date;
}

/** Time of the latest capture of a feed; null without feeds. */
const lastCapture = (feeds: RuledScan['feeds']): Date | null =>
  feeds.map(({ capturedAt }) => capturedAt).toSorted((a, b) => b.getTime() - a.getTime())[0] ?? null;

/** Freezes what was matched: the manifest pins every input by hash, and the score is that of the policy in force. */
export const freezeMatches = async (
  { coverage, findings, feeds, families, policy, vexDocuments }: RuledScan,
  { scanId, sbomDigest, scannerVersion, createdAt, now }: ScanFacts,
): Promise<FrozenState> => {
  const capturedAt = lastCapture(feeds);
  // The clock of this process may be behind that of the database: no freeze is older than what it has.
  const createdAtUtc = second(new Date(Math.max(now.getTime(), createdAt.getTime(), capturedAt?.getTime() ?? 0)));
  const manifest = createManifest({
    scanId,
    createdAtUtc,
    deterministic: true,
    scannerVersion,
    inputs: [
      { role: 'sbom', hash: parseDigest(sbomDigest) },
      { role: 'policy', hash: policyHash(policy) },
      { role: 'vex', hash: vexSetHash(vexDocuments) },
      ...feeds.map(({ role, digest, publishedAt }) => ({
        role,
        hash: parseDigest(digest),
        publishedAt: second(publishedAt),
      })),
    ],
  });
  const scored = await replayInTurns({
    manifest,
    coverage,
    findings: findings.map(({ finding }) => finding),
    freezeTimestamp: createdAtUtc,
    policy,
    vexDocuments,
  });
  return {
    manifest,
    coverage,
    policy,
    inputs: concernedInputs(manifest, families),
    capturedAt,
    scorePpm: scored.score,
    rootHash: scored.rootHash,
    findingScore: (findingId) => scored.findingScores.get(findingId)?.score ?? 0,
  };
};

/** Results of a freeze for the history of the scan's score, but for the differences from the freeze before. */
export const resultsOf = ({ coverage, scorePpm, rootHash }: FrozenState, findingCount: number) => ({
  ...coverage,
  scorePpm,
  rootHash,
  findingCount,
});

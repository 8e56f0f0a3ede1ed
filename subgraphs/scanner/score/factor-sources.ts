import type { Digest } from '@landfall/kernel/crypto/digest';
import { digestHex } from '@landfall/kernel/crypto/digest';
import { type Finding, oldestFeed } from './finding.ts';
import type { Factor } from './finding-score.ts';
import type { Replay } from './replay.ts';

/** Factor as the API shows it (spec 2.4), in ppm: `source` names the frozen input that gave its raw value. */
interface SourcedFactor extends Factor {
  readonly source: string;
}

const reference = (role: string, hash: Digest): string => `${role}:${digestHex(hash).slice(0, 8)}`;

const inputReference = ({ scan: { manifest } }: Replay, role: string): string => {
  const input = manifest.inputs.find((each) => each.role === role);
  if (!input) throw new TypeError(`A replayed manifest has no input ${role}.`);
  return reference(role, input.hash);
};

const policyReference = ({ scan: { policy } }: Replay): string => `policy:${policy.id}@${policy.version}`;

const floorSource = (replayed: Replay, { kev, malicious }: Finding): string => {
  const { kevFloor, maliciousFloor } = replayed.scan.policy;
  const source = policyReference(replayed);
  if (malicious && (!kev || maliciousFloor >= kevFloor)) return `${source}#maliciousFloor`;
  return kev ? `${source}#kevFloor` : source;
};

const freshnessSource = ({ scan: { manifest } }: Replay, { advisoryFeed }: Finding): string => {
  const { role, hash } = oldestFeed(advisoryFeed, manifest.inputs);
  return reference(role, hash);
};

const sourceOf = (replayed: Replay, finding: Finding, factor: string): string => {
  switch (factor) {
    case 'cvss':
      return finding.severitySource === 'cvss'
        ? inputReference(replayed, finding.advisoryFeed)
        : policyReference(replayed);
    case 'epss':
    case 'kev':
      return inputReference(replayed, `feed:${factor}`);
    case 'reachability':
    case 'vex':
      return inputReference(replayed, factor);
    case 'freshness':
      return freshnessSource(replayed, finding);
    case 'floor':
      return floorSource(replayed, finding);
    default:
      return policyReference(replayed);
  }
};

/** Factors of a finding; none if it is informational or not in the scan. */
export const findingFactors = (replayed: Replay, findingId: string): SourcedFactor[] => {
  const finding = replayed.findings.find((each) => each.findingId === findingId);
  const factors = replayed.findingScores.get(findingId)?.factors ?? [];
  return finding ? factors.map((factor) => ({ ...factor, source: sourceOf(replayed, finding, factor.name) })) : [];
};

/** Factors of a scan: those of its first finding and `tail`. They sum to the score; a scan without one has none. */
export const scanFactors = (replayed: Replay): SourcedFactor[] => {
  const { score, tail, top, scan } = replayed;
  if (score === null || tail === null || top === null) return [];
  const source = policyReference(replayed);
  const last = { name: 'tail', raw: tail, weight: scan.policy.tail.share, weighted: tail, source };
  return [...findingFactors(replayed, top), last];
};

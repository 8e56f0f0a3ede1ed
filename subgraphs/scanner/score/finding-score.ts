import type { Finding } from './finding.ts';
import type { Policy } from './policy.ts';
import { interpolate, MILLION, multiply, parsePpm } from './ppm.ts';

/** Line of a finding's score. All numbers are ppm; `weighted` is what the line adds. */
export interface Factor {
  readonly name: string;
  readonly raw: number;
  readonly weight: number;
  readonly weighted: number;
}

export interface FindingScore {
  /** Sum of the factors, 0 to 1 000 000. */
  readonly score: number;
  readonly factors: readonly Factor[];
}

/** Names of the factors that have a weight, in the order in which they are summed. */
export const WEIGHTED_FACTORS = ['cvss', 'epss', 'kev', 'reachability', 'exposure', 'freshness'] as const;

type RawValues = Readonly<Record<(typeof WEIGHTED_FACTORS)[number], number>>;

const rawValues = (finding: Finding, policy: Policy): RawValues => ({
  cvss: (finding.cvssTenths ?? policy.unknownCvssTenths) * 10_000,
  epss: finding.epss === null ? 0 : parsePpm(finding.epss),
  kev: finding.kev ? MILLION : 0,
  reachability: policy.reachability[finding.reachability],
  exposure: policy.exposure[finding.exposure],
  freshness: interpolate(policy.freshnessSeconds, finding.evidenceAgeSeconds),
});

/** Factor that raises a sum to a floor. */
export const floorFactor = (sum: number, floor: number): Factor => ({
  name: 'floor',
  raw: floor,
  weight: MILLION,
  weighted: Math.max(0, floor - sum),
});

/** Factor that reduces a sum to the part that a VEX status leaves. */
export const vexFactor = (sum: number, part: number): Factor => ({
  name: 'vex',
  raw: part,
  weight: MILLION,
  weighted: multiply(part, sum) - sum,
});

/** Scores a finding (proofs 2.3). An informational one has no factors and the score 0. */
export const scoreFinding = (finding: Finding, policy: Policy): FindingScore => {
  if (finding.class === 'informational') return { score: 0, factors: [] };
  const raws = rawValues(finding, policy);
  const factors: Factor[] = [];
  let score = 0;
  const add = (factor: Factor): void => {
    factors.push(factor);
    score += factor.weighted;
  };
  for (const name of WEIGHTED_FACTORS) {
    const [raw, weight] = [raws[name], policy.weights[name]];
    add({ name, raw, weight, weighted: multiply(weight, raw) });
  }
  const floor = Math.max(finding.kev ? policy.kevFloor : 0, finding.malicious ? policy.maliciousFloor : 0);
  add(floorFactor(score, floor));
  add(vexFactor(score, policy.vexKeep[finding.vex]));
  return { score, factors };
};

/**
 * States by which a deployment's targets are filtered, those that need attention first; `look` stands for all of these.
 */
export const TARGET_FILTERS = [
  'look',
  'FAILED',
  'MISMATCH',
  'UNVERIFIED',
  'RUNNING',
  'HELD',
  'PENDING',
  'CANCELLED',
  'SUCCEEDED',
  'VERIFIED',
] as const;

/** Fields of a deployment's target that counting needs. */
type CountedTarget = {
  readonly status?: 'PENDING' | 'RUNNING' | 'HELD' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  readonly landing: { readonly verdict: 'VERIFIED' | 'MISMATCH' | 'UNVERIFIED' } | null;
};

/** Targets by state. A mismatch counts as bad, and a failed target counts once even with a verdict. */
export type TargetCounts = {
  readonly verified: number;
  readonly unverified: number;
  readonly mismatch: number;
  readonly failed: number;
  readonly running: number;
  readonly held: number;
  readonly cancelled: number;
  readonly waiting: number;
  readonly total: number;
};

/** Verdict of a target, or the state of its task where there is none yet. */
export const targetState = ({ status, landing }: CountedTarget) => landing?.verdict ?? status ?? 'PENDING';

/** Counts targets by verdict, or by state where there is none yet. */
export function countTargets(targets: readonly CountedTarget[]): TargetCounts {
  const of = (...requested: readonly ReturnType<typeof targetState>[]) =>
    targets.filter((target) => requested.includes(targetState(target))).length;
  return {
    verified: of('VERIFIED'),
    unverified: of('UNVERIFIED'),
    mismatch: of('MISMATCH'),
    failed: of('FAILED'),
    running: of('RUNNING'),
    held: of('HELD'),
    cancelled: of('CANCELLED'),
    waiting: of('PENDING', 'SUCCEEDED'),
    total: targets.length,
  };
}

/** Counts as the segments of a bar. */
export const meterSegments = ({
  verified,
  unverified,
  mismatch,
  failed,
  running,
  held,
  cancelled,
  waiting,
}: TargetCounts) => ({
  verified,
  unverified,
  bad: mismatch + failed,
  running,
  held,
  waiting: cancelled + waiting,
});

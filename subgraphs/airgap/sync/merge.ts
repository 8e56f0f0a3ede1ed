/** Job as the merge sees it. */
export interface Side {
  readonly id: string;
  readonly siteId: string;
  readonly stamp: string;
  readonly digest: string;
}

type MergedState = 'applied' | 'duplicate' | 'conflict';

/** Outcome of a merge of all jobs with one kind and key. */
interface Merged<Job extends Side> {
  /** Digest that counts; undefined without a job. */
  readonly inForce: string | undefined;
  /** All digests, the earliest first: more than one is a conflict. */
  readonly digests: readonly string[];
  /** The jobs, the earliest first. */
  readonly inOrder: readonly Job[];
  /** States of jobs that came in bundles, by their ids. */
  readonly states: ReadonlyMap<string, MergedState>;
}

const byStamp = (a: Side, b: Side): number => {
  if (a.stamp !== b.stamp) return a.stamp < b.stamp ? -1 : 1;
  return a.siteId < b.siteId ? -1 : 1;
};

/**
 * Merges jobs with one kind and key. The earliest stamp counts unless a person chose another side, so that the outcome
 * depends on the set of jobs alone, and not on the order in which they came.
 */
export const merge = <Job extends Side>(sides: readonly Job[], chosen: string | null): Merged<Job> => {
  const inOrder = sides.toSorted(byStamp);
  const digests = [...new Set(inOrder.map(({ digest }) => digest))];
  const inForce = digests.find((digest) => digest === chosen) ?? digests[0];
  const seen = new Set<string>();
  const states = new Map<string, MergedState>();
  for (const { id, digest } of inOrder) {
    states.set(id, seen.has(digest) ? 'duplicate' : digest === inForce ? 'applied' : 'conflict');
    seen.add(digest);
  }
  return { inForce, digests, inOrder, states };
};

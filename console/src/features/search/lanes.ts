type Reason = { readonly lane: string; readonly rank: number; readonly contribution: number };

/** Contribution of each lane to a card: the best rank and the sum of the contributions of its pieces. */
export function lanesOf(reason: readonly Reason[]): readonly Reason[] {
  const lanes = new Map<string, Reason>();
  for (const { lane, rank, contribution } of reason) {
    const before = lanes.get(lane);
    lanes.set(lane, {
      lane,
      rank: Math.min(rank, before?.rank ?? rank),
      contribution: contribution + (before?.contribution ?? 0),
    });
  }
  return [...lanes.values()];
}

import type { Query } from '@landfall/kernel/db/query';
import { type AdvisoryState, loadAdvisoryStates } from '../feeds/advisory-states.ts';
import { loadGroupJoins } from '../feeds/vulnerability-facts.ts';
import type { NewFinding } from './finding-freeze.ts';

/** Finding of the freeze before. */
interface KnownFinding {
  readonly findingId: string;
  readonly vulnId: string;
  readonly purl: string;
  readonly aliasGroup: bigint;
  readonly aliases: readonly string[];
}

/** Finding that went away. One that was renamed is found under the id of its successor. */
interface Disappearance extends Pick<KnownFinding, 'findingId' | 'vulnId' | 'purl'> {
  readonly reason: AdvisoryState | 'renamed';
  readonly successor?: string;
}

/** Differences between the findings of two freezes of a scan. */
export interface FindingChanges {
  readonly appeared: readonly NewFinding[];
  /** Findings whose vulnerability was found before under another id. */
  readonly successors: readonly NewFinding[];
  readonly disappeared: readonly Disappearance[];
}

/** Number of vulnerabilities that went away; one that was renamed is found under its other id. */
export const disappearedCount = ({ disappeared }: FindingChanges): number =>
  disappeared.filter(({ reason }) => reason !== 'renamed').length;

const NONE: FindingChanges = { appeared: [], successors: [], disappeared: [] };

/** Continuity of a finding over time: it stays when a CVE is assigned (proofs 2.1). */
const keyOf = (purl: string, aliasGroup: bigint): string => `${purl}\n${aliasGroup}`;

const hasEqualIds = (before: readonly KnownFinding[], after: readonly NewFinding[]): boolean => {
  const ids = new Set(before.map(({ findingId }) => findingId));
  return before.length === after.length && after.every(({ finding }) => ids.has(finding.findingId));
};

/** Compares the findings of a new freeze with those of the one before, and gives the reason for each that went away. */
export const compareFindings = async (
  query: Query,
  before: readonly KnownFinding[],
  after: readonly NewFinding[],
): Promise<FindingChanges> => {
  if (hasEqualIds(before, after)) return NONE;
  const groupOf = await loadGroupJoins(query, [...new Set(before.map(({ aliasGroup }) => aliasGroup))]);
  const earlier = new Set(before.map(({ purl, aliasGroup }) => keyOf(purl, groupOf(aliasGroup))));
  const earlierIds = new Set(before.map(({ findingId }) => findingId));
  const later = new Map(after.map((each) => [keyOf(each.finding.purl, each.aliasGroup), each.finding.findingId]));
  const laterIds = new Set(later.values());
  const gone = before.filter(({ findingId }) => !laterIds.has(findingId));
  const asFound = ({ purl, vulnId, aliases }: KnownFinding) => ({ purl, ids: [vulnId, ...aliases] });
  const stateOf = await loadAdvisoryStates(query, gone.map(asFound));
  const fresh = after.filter(({ finding }) => !earlierIds.has(finding.findingId));
  const isKnown = ({ finding, aliasGroup }: NewFinding): boolean => earlier.has(keyOf(finding.purl, aliasGroup));
  return {
    appeared: fresh.filter((each) => !isKnown(each)),
    successors: fresh.filter(isKnown),
    disappeared: gone.map((each) => {
      const { findingId, vulnId, purl, aliasGroup } = each;
      const successor = later.get(keyOf(purl, groupOf(aliasGroup)));
      if (successor !== undefined) return { findingId, vulnId, purl, reason: 'renamed', successor };
      return { findingId, vulnId, purl, reason: stateOf(asFound(each)) };
    }),
  };
};

import type { Reachability } from '../../generated/operations.ts';

type Statement = { readonly reachability: Reachability };
type Finding = { readonly reachability: Reachability; readonly reachabilityStatements: readonly Statement[] };

/** Reachability that a call graph may know, from the most to the least risky. */
const KNOWN = ['REACHABLE', 'POTENTIALLY_REACHABLE', 'UNREACHABLE'] as const satisfies readonly Reachability[];

/**
 * Reachability of a finding: that of its call graphs where they know more than the freeze, the riskiest of several.
 * A graph that does not know changes nothing.
 */
export function reachabilityOf({ reachability, reachabilityStatements }: Finding): Reachability {
  const stated = reachabilityStatements.map((statement) => statement.reachability);
  return KNOWN.find((one) => stated.includes(one)) ?? reachability;
}

import type { Component } from '../catalogue/releases/release.ts';
import type { Variable } from '../catalogue/variables/variable-sets.ts';
import type { EvidenceType } from '../shared/enums.ts';
import { componentDifference, type Difference, typeDifference, variableDifference } from './difference.ts';
import type { Pair, Side } from './side.ts';

/** Facts about two sides that qualify their comparison. */
type ComparisonNotice = 'from_is_empty' | 'to_is_empty' | 'same_release' | 'different_products' | 'not_finalized';

/** Differences between two sides. */
export interface Comparison extends Pair<Side> {
  readonly notices: readonly ComparisonNotice[];
  readonly components: Difference<Component>;
  /** Null where no environment is compared. */
  readonly variables: Difference<Variable> | null;
  readonly evidence: { readonly added: readonly EvidenceType[]; readonly removed: readonly EvidenceType[] };
}

const noticesOf = ({ from, to }: Pair<Side>): ComparisonNotice[] => {
  const releases = [from.release, to.release].filter((release) => release !== undefined);
  const facts: readonly (readonly [ComparisonNotice, boolean])[] = [
    ['from_is_empty', from.release === undefined],
    ['to_is_empty', to.release === undefined],
    ['same_release', from.release !== undefined && from.release.id === to.release?.id],
    ['different_products', from.productId !== to.productId],
    ['not_finalized', releases.some(({ status }) => status === 'draft')],
  ];
  return facts.flatMap(([notice, applies]) => (applies ? [notice] : []));
};

/** Compares two sides. Where nothing runs on a side, everything of the other one is added or removed. */
export const comparisonOf = ({ from, to }: Pair<Side>): Comparison => {
  const typesOf = ({ release }: Side): EvidenceType[] => (release?.evidence ?? []).map(({ type }) => type);
  const hasEnvironment = from.environmentId !== undefined || to.environmentId !== undefined;
  return {
    from,
    to,
    notices: noticesOf({ from, to }),
    components: componentDifference(from.release?.components ?? [], to.release?.components ?? []),
    variables: hasEnvironment
      ? variableDifference(from.variableSet?.variables ?? [], to.variableSet?.variables ?? [])
      : null,
    evidence: typeDifference(typesOf(from), typesOf(to)),
  };
};

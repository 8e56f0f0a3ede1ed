import type { SavedForge } from '../catalogue/integrations/forges.ts';
import type { Variable } from '../catalogue/variables/variable-sets.ts';
import type { ImageSource } from '../evidence/images/image-statements.ts';
import type { EvidenceType } from '../shared/enums.ts';
import { type CommitRange, rangeOf } from './commit-range.ts';
import { type ComparedComponent, withSources } from './compared-component.ts';
import { type Change, componentDifference, type Difference, typeDifference, variableDifference } from './difference.ts';
import type { Pair, Side } from './side.ts';

/** Facts about two sides that qualify their comparison. */
type ComparisonNotice = 'from_is_empty' | 'to_is_empty' | 'same_release' | 'different_products' | 'not_finalized';

/** Component that differs, with its commits where they are known. */
export interface ComponentChange extends Change<ComparedComponent> {
  /** Commits between both sides, or the reason why they are not known; undefined where it is added or removed. */
  readonly range: CommitRange | string | undefined;
}

/** Differences between two sides. */
export interface Comparison extends Pair<Side> {
  readonly notices: readonly ComparisonNotice[];
  readonly components: { readonly changes: readonly ComponentChange[]; readonly unchanged: number };
  /** Null where no environment is compared. */
  readonly variables: Difference<Variable> | null;
  readonly evidence: { readonly added: readonly EvidenceType[]; readonly removed: readonly EvidenceType[] };
}

/** Facts about images and forges beside the sides. */
interface Surroundings {
  readonly sources: readonly ImageSource[];
  readonly forges: readonly SavedForge[];
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
export const comparisonOf = ({ from, to }: Pair<Side>, { sources, forges }: Surroundings): Comparison => {
  const typesOf = ({ release }: Side): EvidenceType[] => (release?.evidence ?? []).map(({ type }) => type);
  const hasEnvironment = from.environmentId !== undefined || to.environmentId !== undefined;
  const { changes, unchanged } = componentDifference(withSources(from, sources), withSources(to, sources));
  return {
    from,
    to,
    notices: noticesOf({ from, to }),
    components: { changes: changes.map((change) => ({ ...change, range: rangeOf(change, forges) })), unchanged },
    variables: hasEnvironment
      ? variableDifference(from.variableSet?.variables ?? [], to.variableSet?.variables ?? [])
      : null,
    evidence: typeDifference(typesOf(from), typesOf(to)),
  };
};

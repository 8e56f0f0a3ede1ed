import { packageOf } from './symbol-key.ts';

/** First difference along a path (proofs 5.2): what the other side of the comparison does not have. */
export interface Cause {
  readonly kind: 'entry_added' | 'entry_removed' | 'symbol_added' | 'symbol_removed' | 'edge_added' | 'edge_removed';
  /** Key of the entry, of the symbol, or of the callee of the edge. */
  readonly symbol: string;
  /** Key of the symbol before it on the path; null for an entry. */
  readonly caller: string | null;
}

/** Step of a path: a symbol key, or how many symbols were left out. */
export type PathStep = string | { readonly elided: number };

/**
 * Path with its entry, its sink, both ends of every call from one package to another and both ends of the cause; each
 * run of other symbols becomes its length.
 */
export const compressPath = (path: readonly string[], cause: Cause): PathStep[] => {
  const packages = path.map(packageOf);
  const isNamed = (i: number): boolean =>
    i === 0 ||
    i === path.length - 1 ||
    packages[i] !== packages[i - 1] ||
    packages[i] !== packages[i + 1] ||
    path[i] === cause.symbol ||
    path[i] === cause.caller;
  const steps: PathStep[] = [];
  let elided = 0;
  path.forEach((symbol, i) => {
    if (!isNamed(i)) {
      elided++;
      return;
    }
    if (elided > 0) steps.push({ elided });
    elided = 0;
    steps.push(symbol);
  });
  return steps;
};

/** Parent chains of the paths that a result names: the symbols on them, each with the position of its parent. */
export interface ParentChains {
  readonly symbols: readonly string[];
  /** Position of each symbol's caller; -1 for an entry. */
  readonly parents: readonly number[];
}

/** Symbol keys from the entry to the symbol at a position of the chains. */
export const chainTo = ({ symbols, parents }: ParentChains, position: number): string[] => {
  const path: string[] = [];
  for (let at = position; at >= 0; at = parents[at] ?? -1) path.push(symbols[at] ?? '');
  return path.reverse();
};

import { useState } from 'react';
import {
  type PathEnvironmentFragment,
  type ProductPathFragment,
  SetProductPathDocument,
} from '../../generated/operations.ts';
import { useAction } from '../../lib/graph.ts';
import type { FieldProblem, Problem } from '../../lib/problem.ts';
import { type Draft, draftOf, inputOf, problemsByStep } from './path-draft.ts';
import { type PathEffect, pathEffect } from './path-effect.ts';

export interface PathDraft {
  readonly draft: Draft;
  readonly change: (draft: Draft) => void;
  readonly effect: PathEffect;
  readonly isChanged: boolean;
  /** Problems of the steps by environment: found here, or refused by the server. */
  readonly problems: ReadonlyMap<string, readonly FieldProblem[]>;
  readonly refusal: Problem | undefined;
  readonly busy: boolean;
  /** Saves the path; resolves to whether it was saved. */
  readonly save: () => Promise<boolean>;
}

/** Draft of a product's path, from the version that was seen when the editing began. */
export function usePathDraft(
  product: ProductPathFragment,
  environments: readonly PathEnvironmentFragment[],
): PathDraft {
  const [begun] = useState(() => ({ id: product.id, version: product.version, draft: draftOf(product) }));
  const [draft, setDraft] = useState(begun.draft);
  const [wrong, setWrong] = useState<readonly FieldProblem[]>([]);
  const action = useAction(SetProductPathDocument);
  return {
    draft,
    change(next) {
      setDraft(next);
      setWrong([]);
      action.clear();
    },
    effect: pathEffect(begun.draft.steps, draft.steps, environments),
    isChanged: JSON.stringify(draft) !== JSON.stringify(begun.draft),
    problems: problemsByStep(wrong.length > 0 ? wrong : (action.problem?.fields ?? []), draft.steps),
    refusal: wrong.length > 0 ? undefined : action.problem,
    busy: action.busy,
    async save() {
      const input = inputOf(draft);
      setWrong(input.wrong);
      if (input.wrong.length > 0) return false;
      const saved = await action.run({ id: begun.id, expectedVersion: begun.version, steps: input.steps });
      return saved !== undefined;
    },
  };
}

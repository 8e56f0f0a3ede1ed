import { useEffect, useMemo, useState } from 'react';
import {
  type PathEnvironmentFragment,
  type ProductPathFragment,
  SetProductPathDocument,
} from '../../generated/operations.ts';
import { dropDraft, findDraft, registerDraft } from '../../lib/form-drafts.ts';
import { useAction } from '../../lib/graph-hooks.ts';
import type { FieldProblem, Problem } from '../../lib/problem.ts';
import { type Draft, draftOf, inputOf, problemsByStep } from './path-draft.ts';
import { type PathEffect, pathEffect } from './path-effect.ts';
import { isSame, rebase } from './path-rebase.ts';

export interface PathDraft {
  readonly draft: Draft;
  /** Path that the draft changes. */
  readonly before: Draft;
  readonly change: (draft: Draft) => void;
  readonly effect: PathEffect;
  readonly isChanged: boolean;
  /** Whether the path was changed elsewhere since the editing began. */
  readonly isOutdated: boolean;
  /** Makes the changes to the newest path instead. */
  readonly adoptNewest: () => void;
  /** Steps whose changes did not apply to the newest path. */
  readonly dropped: readonly string[];
  /** Problems of the steps by environment: found here, or refused by the server. */
  readonly problems: ReadonlyMap<string, readonly FieldProblem[]>;
  readonly refusal: Problem | undefined;
  readonly busy: boolean;
  /** Saves the path; resolves to whether it was saved. */
  readonly save: () => Promise<boolean>;
}

/** Path of a version that was seen, and what became of it since. */
interface Editing {
  readonly version: number;
  readonly before: Draft;
  readonly draft: Draft;
  readonly dropped: readonly string[];
}

const NO_STEPS: readonly string[] = [];

/** Editing from a version of the product; its changes are taken over while they are on that very path. */
function continued(editing: Editing, version: number, newest: Draft): Editing {
  if (version <= editing.version) return editing;
  if (isSame(editing.draft, editing.before)) return { version, before: newest, draft: newest, dropped: NO_STEPS };
  return isSame(newest, editing.before) ? { ...editing, version } : editing;
}

/** Editing that the sign-in page interrupted. */
function savedEditing(name: string): Editing | undefined {
  const text = findDraft(name)?.get('path');
  return text === undefined ? undefined : JSON.parse(text);
}

/** Saves the editing when the session ends, as forms do with their input. */
function useSavedEditing(name: string, editing: Editing, isChanged: boolean): void {
  useEffect(() => dropDraft(name), [name]);
  useEffect(
    () =>
      registerDraft(name, () => {
        const form = new FormData();
        if (isChanged) form.set('path', JSON.stringify(editing));
        return form;
      }),
    [name, editing, isChanged],
  );
}

/**
 * Draft of a product's path. It follows the newest version until something is changed, and then stays with the version
 * that the changes began from until the newest one is taken up.
 */
export function usePathDraft(
  product: ProductPathFragment,
  environments: readonly PathEnvironmentFragment[],
  refetch: () => void,
): PathDraft {
  const { id, version } = product;
  const name = `path ${id}`;
  const newest = useMemo(() => draftOf(product), [product]);
  const [started, set] = useState<Editing>(
    () => savedEditing(name) ?? { version, before: newest, draft: newest, dropped: NO_STEPS },
  );
  const editing = continued(started, version, newest);
  const { before, draft, dropped } = editing;
  const isChanged = !isSame(draft, before);
  useSavedEditing(name, editing, isChanged);
  const [wrong, setWrong] = useState<readonly FieldProblem[]>([]);
  const action = useAction(SetProductPathDocument);
  const clear = () => {
    setWrong([]);
    action.clear();
  };
  return {
    draft,
    before,
    change(next) {
      set({ ...editing, draft: next, dropped: NO_STEPS });
      clear();
    },
    effect: pathEffect(before.steps, draft.steps, environments),
    isChanged,
    isOutdated: version > editing.version,
    adoptNewest() {
      set({ version, before: newest, ...rebase(before, draft, newest) });
      clear();
    },
    dropped,
    problems: problemsByStep(wrong.length > 0 ? wrong : (action.problem?.fields ?? []), draft.steps),
    refusal: wrong.length > 0 ? undefined : action.problem,
    busy: action.busy,
    async save() {
      const input = inputOf(draft);
      setWrong(input.wrong);
      if (input.wrong.length > 0) return false;
      const saved = await action.run({ id, expectedVersion: editing.version, steps: input.steps });
      // The path may have changed elsewhere: a refused draft can be of an older version.
      if (saved === undefined) refetch();
      return saved !== undefined;
    },
  };
}

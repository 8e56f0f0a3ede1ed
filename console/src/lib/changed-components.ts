export type PinnedComponent = {
  readonly name: string;
  readonly requestedTag: string | null;
  readonly digest: string | null;
};

export type ComponentChange = {
  readonly name: string;
  readonly kind: 'added' | 'changed' | 'same' | 'removed';
  readonly before: PinnedComponent | undefined;
  readonly after: PinnedComponent | undefined;
};

const ORDER = ['added', 'changed', 'removed', 'same'] as const;

/** Differences between two sets of components: changed ones first, unchanged ones last. */
export function changedComponents(
  before: readonly PinnedComponent[],
  after: readonly PinnedComponent[],
): ComponentChange[] {
  const old = new Map(before.map((component) => [component.name, component]));
  const changes = after.map((component): ComponentChange => {
    const previous = old.get(component.name);
    old.delete(component.name);
    return { name: component.name, kind: kindOf(previous, component), before: previous, after: component };
  });
  const removed = [...old.values()].map(
    (previous): ComponentChange => ({ name: previous.name, kind: 'removed', before: previous, after: undefined }),
  );
  return [...changes, ...removed].sort(
    (a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.name.localeCompare(b.name),
  );
}

function kindOf(before: PinnedComponent | undefined, after: PinnedComponent): 'added' | 'changed' | 'same' {
  if (before === undefined) return 'added';
  // Without a digest nothing is known to be the same.
  return before.digest !== null && before.digest === after.digest ? 'same' : 'changed';
}

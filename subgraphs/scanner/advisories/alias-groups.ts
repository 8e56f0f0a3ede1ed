/** Alias groups by number; of two groups that are joined the lower number, which is the older, remains. */
interface AliasGroupChanges {
  /** Ids whose group is new or another one. */
  readonly assigned: ReadonlyMap<string, number>;
  /** Group that each joined group points to. */
  readonly joined: ReadonlyMap<number, number>;
}

/**
 * Joins ids through OSV aliases, transitively (OSV schema: aliases are symmetric and transitive, `related` and `upstream` are
 * not). Numbers of groups come from the caller, ascending.
 * @param existing group of every id that is known
 */
export const createAliasGroups = (existing: ReadonlyMap<string, number>, nextNumber: () => number) => {
  const groups = new Map<string, number>();
  const joined = new Map<number, number>();

  const oldestOf = (group: number): number => {
    let oldest = group;
    for (let older = joined.get(oldest); older !== undefined; older = joined.get(oldest)) oldest = older;
    // Shortens the chain for the next look-up.
    for (let at = group; at !== oldest; ) {
      const older = joined.get(at) ?? oldest;
      joined.set(at, oldest);
      at = older;
    }
    return oldest;
  };
  const groupOf = (id: string): number | undefined => {
    const group = groups.get(id) ?? existing.get(id);
    return group === undefined ? undefined : oldestOf(group);
  };

  return {
    /** Group of an id after what was joined so far. */
    groupOf,
    /** Joins the ids of one record: its own and its aliases, normalised. Returns their group. */
    join: (ids: readonly string[]): number => {
      const known = ids.map(groupOf).filter((group) => group !== undefined);
      const oldest = known.length > 0 ? Math.min(...known) : nextNumber();
      for (const group of known) if (group !== oldest) joined.set(group, oldest);
      for (const id of ids) if (groupOf(id) === undefined) groups.set(id, oldest);
      return oldest;
    },
    /** Changes that have to be stored. */
    changes: (): AliasGroupChanges => ({
      assigned: new Map([...groups].map(([id, group]) => [id, oldestOf(group)])),
      joined: new Map([...joined.keys()].map((group) => [group, oldestOf(group)])),
    }),
  };
};

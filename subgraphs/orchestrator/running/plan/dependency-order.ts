interface Dependent {
  readonly name: string;
  readonly dependsOn: readonly string[];
}

/** Orders components after their dependencies (Kahn's algorithm); undefined for a cycle or an unknown name. */
export const inDependencyOrder = <C extends Dependent>(components: readonly C[]): readonly C[] | undefined => {
  const ordered: C[] = [];
  const placed = new Set<string>();
  let waiting = [...components];
  while (waiting.length > 0) {
    const ready = waiting.filter(({ dependsOn }) => dependsOn.every((name) => placed.has(name)));
    if (ready.length === 0) return undefined;
    for (const component of ready) placed.add(component.name);
    ordered.push(...ready);
    waiting = waiting.filter(({ name }) => !placed.has(name));
  }
  return ordered;
};

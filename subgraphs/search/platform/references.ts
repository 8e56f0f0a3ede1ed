import type { Subject, World } from './entity-index.ts';
import { doersIn } from './fold.ts';

/** Whatever of a world speaks of things by a name that they have no more. */
export const speaksOf = (world: World, renamed: readonly Subject[]): Subject[] => {
  if (renamed.length === 0) return [];
  const ids = new Set(renamed.map(({ id }) => id));
  return world.all().filter(({ kind, id }) => {
    const facts: Readonly<Record<string, unknown>> = { ...world.find(kind, id) };
    const named = [facts.environmentId, facts.targetId, ...doersIn(facts)];
    return named.some((name) => typeof name === 'string' && ids.has(name));
  });
};

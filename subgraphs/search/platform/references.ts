import type { EntityIndex, Subject } from './entity-index.ts';
import { actorsIn } from './fold.ts';

export const referrersOf = (entities: EntityIndex, renamed: readonly Subject[]): Subject[] => {
  if (renamed.length === 0) return [];
  const ids = new Set(renamed.map(({ id }) => id));
  return entities.all().filter(({ kind, id }) => {
    const facts: Readonly<Record<string, unknown>> = { ...entities.find(kind, id) };
    const path = Array.isArray(facts.path) ? facts.path : [];
    const named = [facts.environmentId, facts.targetId, ...path, ...actorsIn(facts)];
    return named.some((name) => typeof name === 'string' && ids.has(name));
  });
};

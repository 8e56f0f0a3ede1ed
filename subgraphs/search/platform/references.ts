import type { EntityIndex, Subject } from './entity-index.ts';
import { actorsIn } from './fold.ts';

export const referrersOf = (entities: EntityIndex, renamed: readonly Subject[]): Subject[] => {
  if (renamed.length === 0) return [];
  const ids = new Set(renamed.map(({ id }) => id));
  return entities.all().filter(({ kind, id }) => {
    const facts: Readonly<Record<string, unknown>> = { ...entities.find(kind, id) };
    const named = [facts.environmentId, facts.targetId, ...actorsIn(facts)];
    return named.some((name) => typeof name === 'string' && ids.has(name));
  });
};

import type { Change } from './feed.ts';

/** Whether an answer contains a changed entity. Answers are plain JSON, as deep as their query. */
export function isAffected(answer: unknown, changes: readonly Change[]): boolean {
  if (Array.isArray(answer)) return answer.some((item) => isAffected(item, changes));
  if (typeof answer !== 'object' || answer === null) return false;
  const node: Readonly<Record<string, unknown>> = { ...answer };
  if (changes.some(({ type, id }) => node.__typename === type && node.id === id)) return true;
  return Object.values(node).some((value) => isAffected(value, changes));
}

/** Longest message that is tried, in characters. */
export const MAX_MESSAGE = 200;
/** Quantifiers of an expression that is tried. The browser backtracks: its work grows with their number. */
const MAX_QUANTIFIERS = 3;

/** Whether the browser searches for the expression quickly: few quantifiers, and none of a group. */
const isQuick = (pattern: string): boolean =>
  !/\)[*+{?]/.test(pattern) && (pattern.match(/[*+{]/g) ?? []).length <= MAX_QUANTIFIERS;

const compiled = (pattern: string): RegExp | undefined => {
  try {
    return new RegExp(pattern, 'gu');
  } catch {
    return undefined;
  }
};

/**
 * Tickets that an expression finds in a message, once each; undefined where it is not tried. The server reads RE2 syntax
 * and searches in linear time, without these limits. The browser tries an expression only if its own grammar has it:
 * `(?i)` at its beginning is valid there and not here.
 */
export function ticketsIn(message: string, pattern: string): readonly string[] | undefined {
  const expression = pattern !== '' && isQuick(pattern) ? compiled(pattern) : undefined;
  if (expression === undefined) return undefined;
  const found = [...message.slice(0, MAX_MESSAGE).matchAll(expression)].map(([match, group]) => group ?? match);
  return [...new Set(found)].filter(Boolean);
}

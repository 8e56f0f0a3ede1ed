import { RE2JS, RE2JSException } from 're2js';

/** Limit of a pattern's length, in characters. */
export const MAX_PATTERN = 200;

/** Steps that searches may still take, shared by all searches of a request. */
export interface Budget {
  steps: number;
}

/** Error of a pattern, for its author. */
export class PatternError extends Error {}

/** Match: the whole text, and the first group where the pattern has one that took part. */
export interface Match {
  readonly text: string;
  readonly group: string | undefined;
}

/** Compiled pattern. */
export interface LinearPattern {
  /**
   * Finds all matches from left to right, none of them empty; undefined once the budget is used up. Each search for the
   * next match costs the instructions of the pattern times the rest of the text, which is its upper bound.
   */
  findAll(text: string, budget: Budget): Match[] | undefined;
}

/**
 * Compiles a regular expression in RE2's syntax, which is searched in time linear to the text: it has no back references
 * and no look-around, and bounds what repetitions may multiply to.
 * @throws PatternError for a pattern that is not of that syntax, or too large
 */
export const linearPattern = (pattern: string): LinearPattern => {
  if (pattern.length > MAX_PATTERN) throw new PatternError(`the pattern is longer than ${MAX_PATTERN} characters`);
  const compiled = compile(pattern);
  const instructions = compiled.programSize();
  return {
    findAll(text, budget) {
      const matches: Match[] = [];
      const matcher = compiled.matcher(text);
      for (let start = 0; ; start = matcher.end()) {
        budget.steps -= instructions * (text.length - start + 1);
        if (budget.steps < 0) return undefined;
        if (!matcher.find()) return matches;
        const found = matcher.group() ?? '';
        if (found !== '')
          matches.push({ text: found, group: matcher.groupCount() > 0 ? (matcher.group(1) ?? undefined) : undefined });
      }
    },
  };
};

const compile = (pattern: string): RE2JS => {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) throw new PatternError(error.message.replace(/^error parsing regexp: /, ''));
    throw error;
  }
};

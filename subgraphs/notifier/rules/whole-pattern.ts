import { RE2JS, RE2JSException } from 're2js';

const MAX_PATTERN = 200;
/** Limit of a compiled pattern. With {@link MAX_TEXT} it bounds a match to a million steps of some 25 ns. */
const MAX_INSTRUCTIONS = 500;
/** Limit of a text that patterns are applied to, in UTF-16 code units. A longer one matches no pattern. */
export const MAX_TEXT = 2_000;

/** Test of a text against a pattern. */
type WholePattern = (text: string) => boolean;

/**
 * Compiles a regular expression in RE2's syntax that must match a whole text, in time linear to it: no back references,
 * no look-around. As in Alertmanager `prod` does not match `preprod`; `.*prod.*` does.
 * @returns the test, or what is wrong with the pattern
 */
export const wholePattern = (pattern: string): WholePattern | { readonly problem: string } => {
  if (pattern.length > MAX_PATTERN) return { problem: `is longer than ${MAX_PATTERN} characters` };
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > MAX_INSTRUCTIONS)
      return { problem: 'repeats too much: write smaller numbers in its braces' };
    return (text) => text.length <= MAX_TEXT && compiled.matches(text);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { problem: `is no regular expression: ${error.message.replace(/^error parsing regexp: /, '')}` };
  }
};

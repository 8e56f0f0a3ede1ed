import Type, { type Static } from 'typebox';
import { exclusionOf, reportedFinding, SEVERITIES } from './scan-report.ts';

/** Part of a finding that a rule reads. */
export const gatedFinding = Type.Omit(reportedFinding, [
  'findingId',
  'vulnId',
  'aliases',
  'title',
  'purl',
  'cvss',
  'cvssVector',
  'epss',
  'path',
]);

type GatedFinding = Static<typeof gatedFinding>;

/** Condition on one finding, with the text that it was read from. */
export interface FailRule {
  readonly text: string;
  /** Whether the score of a finding decides. */
  readonly readsScore: boolean;
  isMet(finding: GatedFinding): boolean;
}

/** Accepted terms of a rule, one a line. */
export const RULE_HELP = `  critical, high, medium, low   findings of that severity and above
  unrated                       findings whose severity nothing rates
  kev                           known to be exploited (CISA)
  malicious                     malicious packages
  reachable                     the call graph reaches the vulnerable code
  fixable                       a version without the vulnerability is known
  score>=0.7                    findings with that score or a higher one, 0 to 1; also >`;

const RULE_TERMS =
  'critical, high, medium, low, unrated, kev, malicious, reachable, fixable, score>=<0..1>, score><0..1>';

/** Characters of a term that a refusal repeats. */
const LONGEST_TERM = 40;

/** Error of a rule that cannot be read. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
}

type Condition = FailRule['isMet'];

const FLAGS: Readonly<Record<string, Condition>> = {
  unrated: ({ severity }) => severity === null,
  kev: ({ kev }) => kev,
  malicious: ({ malicious }) => malicious,
  reachable: ({ reachability }) => reachability === 'REACHABLE',
  fixable: ({ fixedVersions, lowestCleanVersion }) => fixedVersions.length > 0 || lowestCleanVersion !== null,
};

/** Condition of a severity and every one above it; `none` is no threshold. */
const severityCondition = (term: string): Condition | undefined => {
  const bound = SEVERITIES.findIndex((each) => each !== 'none' && each === term);
  if (bound === -1) return undefined;
  const above = new Set(SEVERITIES.slice(0, bound + 1).map((each) => each.toUpperCase()));
  return ({ severity }) => severity !== null && above.has(severity);
};

const scoreCondition = (term: string): Condition | undefined => {
  const [, operator, number] = /^score\s*(>=|>)\s*(\d+(?:\.\d+)?|\.\d+)$/.exec(term) ?? [];
  const bound = Number(number);
  if (operator === undefined || !(bound >= 0 && bound <= 1)) return undefined;
  return operator === '>' ? ({ score }) => score > bound : ({ score }) => score >= bound;
};

/**
 * Whether a finding can meet a rule: notices about packages that are no vulnerabilities, and findings that a VEX
 * statement rules out or a triage decision suppresses, are listed and never fail a scan.
 */
const isCounted = (finding: GatedFinding): boolean =>
  finding.class === 'VULNERABILITY' && exclusionOf(finding) === undefined;

/**
 * Reads a rule: terms separated by commas, of which a finding meets any one.
 * @throws RuleError that names the accepted terms
 */
export const parseFailRule = (text: string): FailRule => {
  const conditions = text.split(',').map((written) => {
    const term = written.trim().toLowerCase();
    const flag = Object.hasOwn(FLAGS, term) ? FLAGS[term] : undefined;
    const condition = flag ?? severityCondition(term) ?? scoreCondition(term);
    if (!condition)
      throw new RuleError(
        `'${written.trim().slice(0, LONGEST_TERM)}' is no rule of --fail-on. There is ${RULE_TERMS}.`,
      );
    return condition;
  });
  return {
    text,
    // No other term has the word.
    readsScore: /score/i.test(text),
    isMet: (finding) => isCounted(finding) && conditions.some((condition) => condition(finding)),
  };
};

/** Reason why a text is no rule; undefined for a rule. */
export const problemOfRule = (text: string): string | undefined => {
  try {
    parseFailRule(text);
    return undefined;
  } catch (error) {
    if (error instanceof RuleError) return error.message;
    throw error;
  }
};

import type { Purl } from '../packages/purl.ts';
import { VEX_STATUSES, type VexProduct, type VexReference, type VexStatement } from './vex-statement.ts';

/** Trust in a document, least first: signed under the source's key is `verified`. */
export const VEX_TRUSTS = ['untrusted', 'trusted', 'verified'] as const;

type VexTrust = (typeof VEX_TRUSTS)[number];

/** A statement with the registration of the source that it comes from. */
export interface SourcedStatement {
  readonly statement: VexStatement;
  readonly source: string;
  /** Greater wins. */
  readonly rank: number;
  readonly trust: VexTrust;
}

/** Vulnerability, artifact and component of a finding. */
export interface VexSubject {
  /** Normalised ids of the alias group. */
  readonly vulnerabilityIds: ReadonlySet<string>;
  readonly artifact: Omit<VexReference, 'name'>;
  readonly component: Omit<VexReference, 'name'>;
}

/** Whether a package URL is one that the stated package URL covers. */
const covers = (stated: Purl, purl: Purl): boolean =>
  stated.type === purl.type &&
  stated.namespace === purl.namespace &&
  stated.name === purl.name &&
  (stated.version === null || stated.version === purl.version) &&
  Object.entries(stated.qualifiers).every(([key, value]) => purl.qualifiers[key] === value);

const isReferenced = (reference: VexReference, { purl, hashes }: VexSubject['component']): boolean =>
  reference.hashes.some((hash) => hashes.includes(hash)) ||
  (reference.purl !== null && purl !== null && covers(reference.purl, purl));

const isProduct = (product: VexProduct, { artifact, component }: VexSubject): boolean =>
  (isReferenced(product, artifact) || isReferenced(product, component)) &&
  (product.subcomponents.length === 0 || product.subcomponents.some((part) => isReferenced(part, component)));

/** Whether a statement is about the vulnerability and the component of a finding. */
const isAbout = ({ vulnerabilityIds, products }: VexStatement, subject: VexSubject): boolean =>
  vulnerabilityIds.some((id) => subject.vulnerabilityIds.has(id)) &&
  products.some((product) => isProduct(product, subject));

/** Reasons for which a statement about a finding does not rule it. */
const NOT_CHOSEN = [
  'below_minimum_trust',
  'no_justification',
  /** A later statement of the same source. */
  'superseded',
  /** A source of a higher rank. */
  'outranked',
  /** A riskier status of a source of the same rank. */
  'less_risky',
  /** The same status of another source of the same rank. */
  'repeated',
] as const;

type NotChosen = (typeof NOT_CHOSEN)[number];

/** Statements below the minimum trust are never chosen, nor is `not_affected` without a reason. */
const ineligibility = ({ statement, trust }: SourcedStatement, minimum: VexTrust): NotChosen | undefined => {
  if (VEX_TRUSTS.indexOf(trust) < VEX_TRUSTS.indexOf(minimum)) return 'below_minimum_trust';
  const { status, justification, impactStatement } = statement;
  return status === 'not_affected' && (justification ?? impactStatement) === null ? 'no_justification' : undefined;
};

const isEligible = (sourced: SourcedStatement, minimum: VexTrust): boolean =>
  ineligibility(sourced, minimum) === undefined;

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const compareRisk = (a: SourcedStatement, b: SourcedStatement): number =>
  VEX_STATUSES.indexOf(a.statement.status) - VEX_STATUSES.indexOf(b.statement.status);

const compareIdentity = (a: SourcedStatement, b: SourcedStatement): number =>
  compareBytes(a.source, b.source) ||
  compareBytes(a.statement.documentDigest, b.statement.documentDigest) ||
  a.statement.index - b.statement.index;

/** Latest first; without a time is oldest. Times are in one format, so that their order is that of the texts. */
const compareRevisions = (a: SourcedStatement, b: SourcedStatement): number =>
  compareBytes(b.statement.statedAt ?? '', a.statement.statedAt ?? '') || compareRisk(a, b) || compareIdentity(a, b);

const compareSources = (a: SourcedStatement, b: SourcedStatement): number =>
  b.rank - a.rank || compareRisk(a, b) || compareIdentity(a, b);

const firstOf = <T>(values: readonly T[], compare: (a: T, b: T) => number): T | undefined =>
  values.toSorted(compare)[0];

interface Rules {
  readonly vexMinimumTrust: VexTrust;
}

/** Latest statement of each source. */
const latestOf = (eligible: readonly SourcedStatement[]): readonly SourcedStatement[] =>
  [...Map.groupBy(eligible, ({ source }) => source).values()].flatMap(
    (revisions) => firstOf(revisions, compareRevisions) ?? [],
  );

/**
 * Statement that rules a finding: of each source its latest, of the sources the one of the highest rank, then the riskier
 * status. Undefined where none matches. The order of the statements has no part in it.
 */
export const rulingStatement = (
  statements: readonly SourcedStatement[],
  subject: VexSubject,
  { vexMinimumTrust }: Rules,
): SourcedStatement | undefined =>
  firstOf(
    latestOf(statements.filter((one) => isEligible(one, vexMinimumTrust) && isAbout(one.statement, subject))),
    compareSources,
  );

/** Statement about a finding, and why it does not rule it; null for the one that does. */
export interface JudgedStatement extends SourcedStatement {
  readonly notChosen: NotChosen | null;
}

const defeatBy = (ruling: SourcedStatement, loser: SourcedStatement): NotChosen => {
  if (ruling.rank > loser.rank) return 'outranked';
  return compareRisk(ruling, loser) < 0 ? 'less_risky' : 'repeated';
};

/** Judges every statement that is about a finding, the ruling one first. */
export const judgeStatements = (
  statements: readonly SourcedStatement[],
  subject: VexSubject,
  { vexMinimumTrust }: Rules,
): readonly JudgedStatement[] => {
  const about = statements.filter(({ statement }) => isAbout(statement, subject));
  const latest = new Set(latestOf(about.filter((one) => isEligible(one, vexMinimumTrust))));
  const ruling = firstOf([...latest], compareSources);
  const reasonOf = (one: SourcedStatement): NotChosen | null => {
    if (one === ruling || ruling === undefined) return ineligibility(one, vexMinimumTrust) ?? null;
    return ineligibility(one, vexMinimumTrust) ?? (latest.has(one) ? defeatBy(ruling, one) : 'superseded');
  };
  return about
    .map((one) => ({ ...one, notChosen: reasonOf(one) }))
    .toSorted((a, b) => Number(a.notChosen !== null) - Number(b.notChosen !== null) || compareSources(a, b));
};

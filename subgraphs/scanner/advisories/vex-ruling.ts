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

/** Statements below the minimum trust are never chosen, nor is `not_affected` without a reason. */
const isEligible = ({ statement, trust }: SourcedStatement, minimum: VexTrust): boolean =>
  VEX_TRUSTS.indexOf(trust) >= VEX_TRUSTS.indexOf(minimum) &&
  (statement.status !== 'not_affected' || statement.justification !== null || statement.impactStatement !== null);

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

/**
 * Statement that rules a finding: of each source its latest, of the sources the one of the highest rank, then the riskier
 * status. Undefined where none matches. The order of the statements has no part in it.
 */
export const rulingStatement = (
  statements: readonly SourcedStatement[],
  subject: VexSubject,
  { vexMinimumTrust }: { readonly vexMinimumTrust: VexTrust },
): SourcedStatement | undefined => {
  const matching = statements.filter((one) => isEligible(one, vexMinimumTrust) && isAbout(one.statement, subject));
  const latest = [...Map.groupBy(matching, ({ source }) => source).values()].flatMap(
    (revisions) => firstOf(revisions, compareRevisions) ?? [],
  );
  return firstOf(latest, compareSources);
};

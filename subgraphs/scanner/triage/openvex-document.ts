import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { VexStatus } from '../advisories/vex-statement.ts';
import { formatPurl, PurlError } from '../packages/purl.ts';
import type { TriageStatus } from './decision.ts';
import type { TriageDecision } from './decisions.store.ts';

/** Scanned software, as the scan names it. */
export interface VexSubject {
  readonly imageDigest: string | null;
  readonly subjectName: string | null;
  readonly subjectVersion: string | null;
  readonly subjectPurl: string | null;
}

/** Finding with the decision in force about it. */
export interface VexFinding {
  readonly vulnId: string;
  readonly aliases: readonly string[];
  readonly purl: string;
  readonly decision: TriageDecision;
}

/** Status of OpenVEX for each status of a decision: an accepted risk and a fix under way are still affected. */
export const VEX_STATUS: Readonly<Record<TriageStatus, VexStatus>> = {
  not_affected: 'not_affected',
  false_positive: 'not_affected',
  accepted: 'affected',
  fixing: 'affected',
};

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Distinct texts in byte order. */
const ordered = (texts: readonly string[]): string[] => [...new Set(texts)].toSorted(compareBytes);

const IMAGE_NAME = /([^/@:]+)(?::[^/@]+)?(?:@[^/]*)?$/;

/** Package URL of an image by its digest; its name is the last part of the repository. */
const imagePurl = (digest: string, name: string | null): string => {
  const purl = (image: string): string =>
    formatPurl({ type: 'oci', namespace: null, name: image, version: digest, qualifiers: {}, subpath: null });
  try {
    return purl(IMAGE_NAME.exec(name ?? '')?.[1]?.toLowerCase() ?? 'image');
  } catch (error) {
    if (error instanceof PurlError) return purl('image');
    throw error;
  }
};

interface Product {
  readonly id: string;
  readonly hashes?: Readonly<Record<string, string>>;
}

/** Product that statements are about; undefined for a subject that neither a package URL nor a digest identifies. */
const productOf = ({ imageDigest, subjectName, subjectPurl }: VexSubject): Product | undefined => {
  if (imageDigest === null) return subjectPurl === null ? undefined : { id: subjectPurl };
  return {
    id: subjectPurl ?? imagePurl(imageDigest, subjectName),
    hashes: { 'sha-256': imageDigest.slice('sha256:'.length) },
  };
};

/** Components are products of their own where the subject cannot be named. */
const productsOf = (product: Product | undefined, purls: readonly string[]) => {
  const components = purls.map((purl) => ({ '@id': purl }));
  if (!product) return components;
  const { id, hashes } = product;
  return [{ '@id': id, ...(hashes && { hashes }), subcomponents: components }];
};

const ACTIONS = { accepted: 'The risk is accepted', fixing: 'A fix is under way' } as const;

/** Members that a status demands: a reason for not affected, an action for affected. */
const explanationOf = ({ status, justification, impactStatement, reason, expiresAt }: TriageDecision) => {
  if (status === 'false_positive') return { impact_statement: `False positive: ${reason}` };
  if (status === 'not_affected')
    return {
      ...(justification !== null && { justification }),
      ...(impactStatement !== null && { impact_statement: impactStatement }),
      status_notes: reason,
    };
  const until = expiresAt === null ? '' : ` until ${expiresAt.toISOString()}`;
  return { action_statement: `${ACTIONS[status]}${until}: ${reason}` };
};

/** Statement of one decision about one vulnerability and its components. */
const statementOf = (findings: readonly [VexFinding, ...VexFinding[]], product: Product | undefined) => {
  const [{ vulnId, decision }] = findings;
  const aliases = ordered(findings.flatMap((finding) => finding.aliases)).filter((alias) => alias !== vulnId);
  const purls = ordered(findings.map(({ purl }) => purl));
  return {
    vulnerability: { name: vulnId, ...(aliases.length > 0 && { aliases }) },
    timestamp: decision.decidedAt.toISOString(),
    products: productsOf(product, purls),
    status: VEX_STATUS[decision.status],
    ...explanationOf(decision),
  };
};

/** Findings by vulnerability and decision, in the byte order of both. */
const groupsOf = (findings: readonly VexFinding[]): (readonly [VexFinding, ...VexFinding[]])[] => {
  const groups = Map.groupBy(findings, ({ vulnId, decision }) => `${vulnId}\n${decision.id}`);
  return [...groups]
    .toSorted(([a], [b]) => compareBytes(a, b))
    .flatMap(([, [first, ...rest]]) => (first ? [[first, ...rest] as const] : []));
};

const latestOf = (decisions: readonly TriageDecision[]): Date =>
  new Date(Math.max(...decisions.map(({ decidedAt }) => decidedAt.getTime())));

/**
 * OpenVEX 0.2.0 document of decided findings, in canonical JSON (RFC 8785). The same decisions give the same bytes: authors
 * and times are those of the decisions, and `@id` names the rest of the document by its SHA-256 (RFC 6920). Undefined
 * without a decided finding, since a document has one statement at least.
 */
export const openVexDocument = (subject: VexSubject, findings: readonly VexFinding[]): string | undefined => {
  if (findings.length === 0) return undefined;
  const decisions = findings.map(({ decision }) => decision);
  const product = productOf(subject);
  const content = {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    author: ordered(decisions.map(({ decidedBy }) => decidedBy)).join(', '),
    timestamp: latestOf(decisions).toISOString(),
    version: 1,
    tooling: 'Landfall',
    statements: groupsOf(findings).map((group) => statementOf(group, product)),
  };
  const hash = sha256Bytes(canonicalJson(content)).toString('base64url');
  return canonicalJson({ ...content, '@id': `ni:///sha-256;${hash}` });
};

import type { Digest } from '@landfall/kernel/crypto/digest';
import type { Purl } from '../packages/purl.ts';
import type { Problem } from './document-fields.ts';

/** Statuses of VEX, the riskiest first. */
export const VEX_STATUSES = ['affected', 'under_investigation', 'fixed', 'not_affected'] as const;

export type VexStatus = (typeof VEX_STATUSES)[number];

/** Product or component as a statement names it; without package URL and hashes it matches nothing. */
export interface VexReference {
  /** As written, for lists of statements. */
  readonly name: string | null;
  readonly purl: Purl | null;
  /** Such as `sha256:` and hex digits, in lower case. */
  readonly hashes: readonly string[];
}

export interface VexProduct extends VexReference {
  /** Components of the product that the statement is about; empty for the product as a whole. */
  readonly subcomponents: readonly VexReference[];
}

/** One status for some products. A CSAF vulnerability gives several of the same identity, one for each status. */
export interface VexStatement {
  readonly documentDigest: Digest;
  /** Position in OpenVEX `statements[]`, in CSAF or CycloneDX `vulnerabilities[]`. */
  readonly index: number;
  /** Names of the vulnerability: its own and its aliases, normalised. */
  readonly vulnerabilityIds: readonly string[];
  readonly status: VexStatus;
  readonly justification: string | null;
  readonly impactStatement: string | null;
  /** Time of the statement, otherwise of its document; RFC 3339 in UTC with milliseconds. */
  readonly statedAt: string | null;
  readonly products: readonly VexProduct[];
}

export interface VexDocument {
  readonly format: 'openvex' | 'csaf' | 'cyclonedx';
  readonly digest: Digest;
  /** Date that the document gives itself. */
  readonly issuedAt: string | null;
  readonly statements: readonly VexStatement[];
  readonly problems: readonly Problem[];
}

/** Statements of a format, before the document's identity is added. */
export interface VexContent {
  readonly issuedAt: string | null;
  readonly statements: readonly Omit<VexStatement, 'documentDigest'>[];
}

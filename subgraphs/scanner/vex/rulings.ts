import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { createVexIndex } from '../advisories/vex-index.ts';
import { referenceOf } from '../advisories/vex-reference.ts';
import { rulingStatement, type SourcedStatement, type VexSubject } from '../advisories/vex-ruling.ts';
import type { FrozenFinding } from '../score/finding.ts';
import type { Policy } from '../score/policy.ts';
import type { VexDocument } from '../score/vex-set.ts';
import * as contents from './vex-contents.store.ts';

/** Scanned artifact as statements name it. */
export interface VexArtifact {
  readonly imageDigest: string | null;
  readonly subjectPurl: string | null;
}

/** Vulnerability and component of a finding. */
interface VexFinding {
  readonly vulnId: string;
  /** Other ids of its alias group. */
  readonly aliases: readonly string[];
  /** Package URL of the component, in canonical form. */
  readonly purl: string;
  readonly componentHashes: readonly string[];
}

/** Subject that statements are compared with. */
export const subjectOf = (finding: VexFinding, { imageDigest, subjectPurl }: VexArtifact): VexSubject => ({
  vulnerabilityIds: new Set([finding.vulnId, ...finding.aliases]),
  artifact: referenceOf({ names: [subjectPurl], hashes: [imageDigest] }),
  component: referenceOf({ names: [finding.purl], hashes: finding.componentHashes }),
});

/** Reads the statements of documents about the vulnerabilities of findings. */
export const loadStatements = async (
  query: Query,
  tenant: TenantId,
  findings: readonly VexFinding[],
  documents: readonly VexDocument[],
): Promise<readonly SourcedStatement[]> => {
  if (findings.length === 0 || documents.length === 0) return [];
  const ids = new Set(findings.flatMap(({ vulnId, aliases }) => [vulnId, ...aliases]));
  const byDigest = Map.groupBy(documents, ({ digest }) => digest);
  const rows = await contents.listAbout(query, tenant, [...ids], [...byDigest.keys()]);
  const statements = Map.groupBy(rows, ({ digest }) => digest);
  return documents.flatMap(({ digest, source, rank, trust }) =>
    (statements.get(digest) ?? []).map(({ statement }) => ({
      source,
      rank,
      trust,
      statement: { ...statement, documentDigest: digest },
    })),
  );
};

/** Status of a finding, with the statement that gives it. */
type VexRuling = Pick<FrozenFinding, 'vex' | 'vexStatement'>;

const NO_RULING: VexRuling = { vex: 'none', vexStatement: null };

/** Returns the function from a finding to its ruling by the documents. */
export const loadRulings = async (
  query: Query,
  tenant: TenantId,
  {
    findings,
    documents,
    artifact,
    policy,
  }: {
    readonly findings: readonly VexFinding[];
    readonly documents: readonly VexDocument[];
    readonly artifact: VexArtifact;
    readonly policy: Pick<Policy, 'vexMinimumTrust'>;
  },
): Promise<(finding: VexFinding) => VexRuling> => {
  const index = createVexIndex(await loadStatements(query, tenant, findings, documents));
  return (finding) => {
    const subject = subjectOf(finding, artifact);
    const ruling = rulingStatement(index.candidates(subject), subject, policy);
    if (!ruling) return NO_RULING;
    const { documentDigest, index: place, status } = ruling.statement;
    return { vex: status, vexStatement: { documentDigest, index: place, source: ruling.source } };
  };
};

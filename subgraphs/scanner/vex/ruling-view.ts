import type { JudgedStatement } from '../advisories/vex-ruling.ts';
import type { FrozenFinding } from '../score/finding.ts';

/** Statement that gave the status of a finding, as the graph shows it. */
export interface RulingStatement {
  readonly documentDigest: string;
  readonly index: number;
  readonly source: string;
  readonly status: FrozenFinding['vex'];
  readonly justification: string | null;
  readonly impactStatement: string | null;
  readonly timestamp: Date | null;
}

/** Statement that a finding was frozen with. Its identity is frozen, its texts are those of the document. */
export const rulingOf = (
  { finding }: { readonly finding: FrozenFinding },
  statements: readonly JudgedStatement[],
): RulingStatement | null => {
  const { vex: status, vexStatement } = finding;
  if (!vexStatement) return null;
  const named = statements.find(
    ({ source, statement }) =>
      source === vexStatement.source &&
      statement.documentDigest === vexStatement.documentDigest &&
      statement.index === vexStatement.index &&
      statement.status === status,
  );
  const { justification = null, impactStatement = null, statedAt = null } = named?.statement ?? {};
  const timestamp = statedAt === null ? null : new Date(statedAt);
  return { ...vexStatement, status, justification, impactStatement, timestamp };
};

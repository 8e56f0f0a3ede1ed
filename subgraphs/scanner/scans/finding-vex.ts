import type { Who } from '@landfall/kernel/core/caller';
import type { Database } from '@landfall/kernel/db/database';
import type { VexDocument } from '../score/vex-set.ts';
import { mapInSteps, runInTurns } from '../shared/steps.ts';
import { currentDocuments } from '../vex/document-set.ts';
import { loadRulings, type VexArtifact } from '../vex/rulings.ts';
import type { MatchedScan } from './matching.ts';

/** Matched scan whose findings have the status that VEX statements give them. */
export interface RuledScan extends MatchedScan {
  /** Documents in force, all of which the manifest pins. */
  readonly vexDocuments: readonly VexDocument[];
}

/** Gives findings the status of the statements that rule them, by the documents in force. */
export const ruleFindings = (
  database: Database,
  { tenant }: Who,
  matched: MatchedScan,
  artifact: VexArtifact,
): Promise<RuledScan> =>
  database.read(tenant, async (query) => {
    const subjects = matched.findings.map(({ finding: { vulnId, purl }, aliases, componentHashes }) => ({
      vulnId,
      purl,
      aliases,
      componentHashes,
    }));
    const documents = await currentDocuments(query, tenant);
    const rulingOf = await loadRulings(query, tenant, {
      findings: subjects,
      documents,
      artifact,
      policy: matched.policy,
    });
    const ruled = mapInSteps(matched.findings, (each, at) => {
      const subject = subjects[at];
      return subject ? { ...each, finding: { ...each.finding, ...rulingOf(subject) } } : each;
    });
    const findings = await runInTurns(ruled);
    return { ...matched, findings, vexDocuments: documents };
  });

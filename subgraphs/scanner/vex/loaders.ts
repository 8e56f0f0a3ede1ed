import { createBatch } from '@landfall/kernel/core/batch';
import type { Caller } from '@landfall/kernel/core/caller';
import type { Ssvc, SsvcPoints } from '../feeds/ssvc.ts';
import type { FindingStatements, VexStatements } from './statements.ts';
import type { VexDocuments } from './vex-documents.ts';
import type { VexSource } from './vex-sources.store.ts';

interface FindingKey {
  readonly scanId: string;
  readonly findingId: string;
}

interface Identifiers {
  readonly vulnId: string;
  readonly aliases: readonly string[];
}

interface LoaderServices {
  readonly vexDocuments: VexDocuments;
  readonly vexStatements: VexStatements;
  readonly ssvc: Ssvc;
}

/** Totals of a source without a document. */
const EMPTY = { documentCount: 0, statementCount: 0, problemCount: 0, lastImportedAt: null };

/**
 * Loaders of one request: statements about its findings, CISA's decision points of their vulnerabilities, and the totals of
 * its sources.
 */
export const createVexLoaders = (caller: Caller, { vexDocuments, vexStatements, ssvc }: LoaderServices) => ({
  statementsOfFinding: createBatch(async (keys: readonly FindingKey[]) => {
    const found = new Map<string, FindingStatements['statements']>();
    for (const [scanId, own] of Map.groupBy(keys, (key) => key.scanId))
      for (const { findingId, statements } of await vexStatements.ofFindings(caller, {
        scanId,
        findingIds: [...new Set(own.map((key) => key.findingId))],
      }))
        found.set(`${scanId} ${findingId}`, statements);
    return keys.map(({ scanId, findingId }) => found.get(`${scanId} ${findingId}`) ?? []);
  }),

  totalsOfSource: createBatch(async (sources: readonly VexSource[]) => {
    const sourceIds = [...new Set(sources.map(({ id }) => id))];
    const found = new Map((await vexDocuments.totals(caller, { sourceIds })).map((each) => [each.sourceId, each]));
    return sources.map(({ id }) => found.get(id) ?? EMPTY);
  }),

  ssvcOfFinding: createBatch(async (keys: readonly Identifiers[]): Promise<readonly (SsvcPoints | undefined)[]> => {
    const ids = new Set(keys.flatMap(({ vulnId, aliases }) => [vulnId, ...aliases]));
    const points = new Map((await ssvc.list(caller, { ids: [...ids] })).map((each) => [each.cveId, each]));
    return keys.map(({ vulnId, aliases }) =>
      [vulnId, ...aliases].map((id) => points.get(id)).find((each) => each !== undefined),
    );
  }),
});

export type VexLoaders = ReturnType<typeof createVexLoaders>;

import { createBatch } from '@landfall/kernel/core/batch';
import type { Caller } from '@landfall/kernel/core/caller';
import type { ShownDecision } from './decisions.ts';
import type { FindingDecisions } from './finding-decisions.ts';

interface FindingKey {
  readonly scanId: string;
  readonly findingId: string;
}

/** Findings of one read. */
const READ = 200;

const pagesOf = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / READ) }, (_, page) => ids.slice(page * READ, (page + 1) * READ));

/** Loader of one request: the decisions in force about its findings. */
export const createTriageLoaders = (caller: Caller, { listOfFindings }: { listOfFindings: FindingDecisions }) => ({
  decisionOfFinding: createBatch(
    async (keys: readonly FindingKey[]): Promise<readonly (ShownDecision | undefined)[]> => {
      const found = new Map<string, ShownDecision>();
      for (const [scanId, own] of Map.groupBy(keys, (key) => key.scanId))
        for (const findingIds of pagesOf([...new Set(own.map(({ findingId }) => findingId))]))
          for (const decision of await listOfFindings(caller, { scanId, findingIds }))
            found.set(`${scanId} ${decision.findingId}`, decision);
      return keys.map(({ scanId, findingId }) => found.get(`${scanId} ${findingId}`));
    },
  ),
});

export type TriageLoaders = ReturnType<typeof createTriageLoaders>;

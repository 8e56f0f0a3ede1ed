import type { Deps, ProductDirectory } from '@landfall/kernel/module';
import { createTriageDecisions } from './decisions.ts';
import { createFindingDecisions } from './finding-decisions.ts';
import { createVexExport } from './vex-export.ts';

/** Creates the operations of triage. */
export const createTriage = (deps: Deps & { readonly products: ProductDirectory }) => ({
  ...createTriageDecisions(deps),
  listOfFindings: createFindingDecisions(deps),
  exportVex: createVexExport(deps),
});

export type Triage = ReturnType<typeof createTriage>;

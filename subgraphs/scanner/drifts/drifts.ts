import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { type Direction, parseDirection } from '../reachability/direction.ts';
import { sinkPage } from '../reachability/drift-record.ts';
import { SCANS_READ } from '../shared/scopes.ts';
import { refuseConflictingTenants } from './asserted-tenants.ts';
import { createComparison } from './comparison.ts';
import * as store from './drifts.store.ts';
import type { GraphThreads } from './graph-threads.ts';
import { languageField, languageOf } from './language-input.ts';
import * as scans from './scan-facts.store.ts';
import type { ReadGraph } from './stored-graphs.ts';

const DEFAULT_DIRECTION = 'became_reachable';
/** Sinks of a page (spec 8). */
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;

/** @throws Fault VAL_INVALID_VALUE */
const directionOf = (text: string = DEFAULT_DIRECTION): Direction => {
  const direction = parseDirection(text);
  if (direction !== undefined) return direction;
  const message = 'The direction must be became_reachable or became_unreachable, or an alias of one.';
  throw invalid([{ field: 'direction', message, code: 'VAL_INVALID_VALUE' }]);
};

interface DriftDeps extends Pick<Deps, 'operation' | 'database'> {
  readonly threads: GraphThreads;
  readonly readGraph: ReadGraph;
}

/** Creates the operations on reachability drift (spec 4.4). None of them answers 409 (spec 7.3). */
export const createDrifts = ({ operation: maker, database, threads, readGraph }: DriftDeps) => {
  const operation = maker.reading(refuseConflictingTenants);
  const compareScans = createComparison({ database, threads, readGraph });

  return {
    compare: operation({
      name: 'drift.compare',
      kind: 'read',
      isDetached: true,
      // The queue of comparisons bounds it.
      cost: 0,
      scope: SCANS_READ,
      input: Type.Object({
        scanId: idOf('Scan'),
        baseScanId: Type.Optional(idOf('Scan')),
        language: languageField,
        /** Read by the view of the answer. */
        includeFullPath: Type.Optional(Type.Boolean()),
      }),
      raises: ['RES_NOT_FOUND'],
      example: { scanId: exampleId('Scan'), baseScanId: exampleId('Scan') },
      async run({ tenant }, { scanId, baseScanId, language: name }) {
        const language = languageOf(name);
        if (baseScanId !== undefined) return compareScans(tenant, { headScan: scanId, baseScan: baseScanId, language });
        const latest = await database.read(tenant, async (query) => {
          await scans.getScan(query, tenant, scanId);
          return store.findLatest(query, tenant, scanId, language);
        });
        if (latest) return latest;
        throw new Fault(
          'RES_NOT_FOUND',
          `There is no stored drift of scan ${scanId} for ${language}. Name a base scan to compute one.`,
          { scanId, language },
        );
      },
    }),

    get: operation({
      name: 'drift.get',
      kind: 'read',
      scope: SCANS_READ,
      input: Type.Object({ id: idOf('Drift') }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('Drift') },
      run: ({ tenant }, { id }, query) => store.get(query, tenant, id),
    }),

    sinks: operation({
      name: 'drift.listSinks',
      kind: 'read',
      scope: SCANS_READ,
      input: Type.Object({
        driftId: idOf('Drift'),
        direction: Type.Optional(Type.String()),
        offset: Type.Optional(Type.Integer({ minimum: 0 })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT })),
      }),
      raises: ['RES_NOT_FOUND'],
      example: { driftId: exampleId('Drift') },
      async run({ tenant }, { driftId, direction: name, offset = 0, limit = DEFAULT_LIMIT }, query) {
        const direction = directionOf(name);
        const { drift } = await store.get(query, tenant, driftId);
        return sinkPage(drift, driftId, { direction, offset, limit });
      },
    }),
  };
};

export type Drifts = ReturnType<typeof createDrifts>;

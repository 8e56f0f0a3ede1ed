import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { SCANS_READ, SCANS_WRITE } from '../shared/scopes.ts';
import * as callGraphs from './call-graphs.store.ts';
import { countByScans, listByFindings } from './finding-reachability.store.ts';
import { languageField, languageOf } from './language-input.ts';
import * as store from './reachability-jobs.store.ts';
import * as scans from './scan-facts.store.ts';

const scanIds = Type.Object({ scanIds: Type.Array(idOf('Scan'), { maxItems: 200 }) });

/** Creates the operations on computations of reachability; `createReachabilityWorker` performs them. */
export const createReachabilityJobs = ({ operation, ids }: Pick<Deps, 'operation' | 'ids'>) => ({
  compute: operation({
    name: 'scan.computeReachability',
    kind: 'write',
    scope: SCANS_WRITE,
    input: Type.Object({ scanId: idOf('Scan'), language: languageField }),
    raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
    example: { scanId: exampleId('Scan') },
    async run(who, { scanId, language: name }, tx) {
      const { tenant, subject } = who;
      const language = languageOf(name);
      const { status, version } = await scans.advanceScan(tx, tenant, scanId);
      await callGraphs.get(tx, tenant, scanId, language);
      if (status !== 'completed')
        throw new Fault('RES_CONFLICT', `Scan ${scanId} is ${status}; its findings are not known yet.`, {
          state: status,
          allowed: ['completed'],
        });
      const job = await store.insertIfAbsent(tx, tenant, {
        id: toId(ids.uuid(), 'ReachabilityJob'),
        scanId,
        language,
        status: 'queued',
        requestedBy: subject,
      });
      if (!job) {
        const open = await store.findOpen(tx, tenant, scanId, language);
        throw new Fault('RES_CONFLICT', `The reachability of scan ${scanId} for ${language} is being computed.`, {
          jobId: open?.id,
          state: open?.status,
        });
      }
      const data = { jobId: job.id, language };
      await event(tx, who, 'scan.computeReachability', { entity: 'Scan', id: scanId, version, data });
      return job;
    },
  }),

  listNewest: operation({
    name: 'reachabilityJob.listNewest',
    kind: 'read',
    scope: SCANS_READ,
    input: scanIds,
    example: { scanIds: [exampleId('Scan')] },
    run: ({ tenant }, input, query) => store.listNewest(query, tenant, input.scanIds),
  }),

  /** Statements on findings; `findingIds[i]` is a finding of `scanIds[i]`. */
  listStatements: operation({
    name: 'findingReachability.list',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({
      ...scanIds.properties,
      findingIds: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 200 }),
    }),
    example: { scanIds: [exampleId('Scan')], findingIds: ['0'.repeat(32)] },
    run: ({ tenant }, input, query) => listByFindings(query, tenant, input.scanIds, input.findingIds),
  }),

  countFindings: operation({
    name: 'findingReachability.count',
    kind: 'read',
    scope: SCANS_READ,
    input: scanIds,
    example: { scanIds: [exampleId('Scan')] },
    run: ({ tenant }, input, query) => countByScans(query, tenant, input.scanIds),
  }),
});

export type ReachabilityJobs = ReturnType<typeof createReachabilityJobs>;

import { systemCaller, type Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import { CallGraphError } from '../reachability/call-graph-error.ts';
import { stateReachability } from '../reachability/reachability-thread.ts';
import * as callGraphs from './call-graphs.store.ts';
import * as statements from './finding-reachability.store.ts';
import type { GraphThreads } from './graph-threads.ts';
import { purlTypesOf } from './language-input.ts';
import * as store from './reachability-jobs.store.ts';
import * as scans from './scan-facts.store.ts';
import type { ReadGraph } from './stored-graphs.ts';

const POLL_MS = 2_000;
/** Lease of a job: longer than the statements by the largest graph take. A thread ends a minute before. */
const LEASE_SECONDS = 900;
const THREAD_MS = (LEASE_SECONDS - 60) * 1_000;
/** Attempts after which a job fails; each of them ended with the death of its process, or with its lease. */
const MAX_ATTEMPTS = 3;

type Findings = Awaited<ReturnType<typeof scans.listFindings>>;

/** Statements by a call graph, and the findings that they are about. */
interface Stated {
  readonly graph: callGraphs.CallGraph;
  readonly findings: Findings;
  readonly rows: readonly statements.FindingReachability[];
}

interface ReachabilityWorkerDeps extends Pick<Deps, 'database' | 'ids' | 'hints' | 'log'> {
  readonly threads: GraphThreads;
  readonly readGraph: ReadGraph;
}

const isSame = (one: Findings, other: Findings): boolean =>
  one.length === other.length && one.every(({ findingId }, at) => findingId === other[at]?.findingId);

/** Creates the worker that states the reachability of the findings of scans, one job at a time in each process. */
export const createReachabilityWorker = ({ database, ids, hints, log, threads, readGraph }: ReachabilityWorkerDeps) => {
  /** Graph and findings of a job; without the stored form where the graph was replaced meanwhile. */
  const read = async ({ tenant, scanId, language }: store.LeasedJob) => {
    const facts = await database.read(tenant, async (query) => {
      const graph = await callGraphs.get(query, tenant, scanId, language);
      return { graph, findings: await scans.listFindings(query, tenant, scanId, purlTypesOf(language)) };
    });
    return { ...facts, stored: await readGraph(tenant, facts.graph) };
  };

  /** Whether the scan still has the call graph and the findings, which stay until the transaction ends. */
  const isCurrent = async (tx: Tx, { tenant, scanId, language }: store.LeasedJob, { graph, findings }: Stated) => {
    await scans.lockScan(tx, tenant, scanId);
    if (!(await callGraphs.lockUnchanged(tx, tenant, [graph]))) return false;
    return isSame(findings, await scans.listFindings(tx, tenant, scanId, purlTypesOf(language)));
  };

  /** Stores the statements; the job is due again where the scan has another call graph or other findings by then. */
  const save = (who: Who, job: store.LeasedJob, stated: Stated): Promise<void> =>
    database.write(who.tenant, async (tx) => {
      const { tenant, scanId, language, id: jobId } = job;
      const { rows } = stated;
      if (!(await isCurrent(tx, job, stated))) return void (await store.release(tx, job));
      if ((await store.finish(tx, job, null)) === 0) return;
      await statements.removeStatements(tx, tenant, scanId, language);
      await statements.insertAll(tx, tenant, rows);
      await failpoint('scanner.reachability.saving');
      const { version } = await scans.advanceScan(tx, tenant, scanId);
      const data = { jobId, language, findings: rows.length };
      await event(tx, who, 'scan.reachabilityComputed', { entity: 'Scan', id: scanId, version, data });
    });

  const compute = async (who: Who, job: store.LeasedJob): Promise<void> => {
    const { scanId, language } = job;
    const { graph, stored, findings } = await read(job);
    if (stored === undefined) return void (await database.write(who.tenant, (tx) => store.release(tx, job)));
    const subjects = findings.map(({ purl, vulnId, aliases }) => ({ purl, vulnerabilityIds: [vulnId, ...aliases] }));
    const stated = await threads.comparisons.run(who.tenant, () =>
      stateReachability({ graph: stored, findings: subjects }, { signal: AbortSignal.timeout(THREAD_MS) }),
    );
    await failpoint('scanner.reachability.stated');
    const rows = stated.flatMap((statement, i) => {
      const findingId = findings[i]?.findingId;
      return findingId === undefined ? [] : [{ scanId, language, findingId, ...statement }];
    });
    await save(who, job, { graph, findings, rows });
  };

  const fail = (who: Who, job: store.LeasedJob, error: string): Promise<void> =>
    database.write(who.tenant, async (tx) => {
      if ((await store.finish(tx, job, error)) === 0) return;
      const { version } = await scans.advanceScan(tx, who.tenant, job.scanId);
      const data = { jobId: job.id, language: job.language, error };
      await event(tx, who, 'scan.reachabilityFailed', { entity: 'Scan', id: job.scanId, version, data });
    });

  const run = async (job: store.LeasedJob): Promise<void> => {
    const who = systemCaller(job.tenant, 'scanner.reachability', ids.uuid());
    try {
      if (job.attempts > MAX_ATTEMPTS) await fail(who, job, 'The computation ended early several times.');
      else await compute(who, job);
    } catch (error) {
      log.error({ err: error, tenant: job.tenant, scan: job.scanId }, 'scanner.reachability');
      // A fault of the database passes, and the lease with it; anything else would fail again.
      if (error instanceof Fault && error.status >= 500) return;
      const isKnown = error instanceof CallGraphError || error instanceof Fault;
      await fail(who, job, isKnown ? error.message : 'The computation failed. The log of the process says why.');
    }
  };

  /** Performs the oldest job, and returns the number of jobs. */
  const turn = async (): Promise<number> => {
    const job = await database.system.write((tx) => store.leaseDue(tx, LEASE_SECONDS));
    if (!job) return 0;
    await failpoint('scanner.reachability.leased');
    await run(job);
    return 1;
  };

  const worker: Worker = pollingWorker({
    name: 'scanner.reachability',
    pollMs: POLL_MS,
    hints: hints.of('Scan'),
    log,
    turn,
  });
  return { turn, worker };
};

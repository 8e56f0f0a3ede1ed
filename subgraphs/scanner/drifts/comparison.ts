import { Fault } from '@landfall/kernel/core/fault';
import { type TenantId, toId } from '@landfall/kernel/core/ids';
import { type Digest, isDigest, sha256 } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { Deps } from '@landfall/kernel/module';
import { CallGraphError } from '../reachability/call-graph-error.ts';
import { driftId } from '../reachability/drift-record.ts';
import type { Language } from '../reachability/language.ts';
import { compareStoredGraphs } from '../reachability/reachability-thread.ts';
import { SEVERITIES, type Severity, severityOf } from '../reachability/severity.ts';
import * as callGraphs from './call-graphs.store.ts';
import * as store from './drifts.store.ts';
import type { GraphThreads } from './graph-threads.ts';
import type { ScanId } from './scan-facts.store.ts';
import * as scans from './scan-facts.store.ts';
import type { ReadGraph } from './stored-graphs.ts';

/** Two scans of a tenant and the language of the graphs that are compared. */
interface ScanPair {
  readonly headScan: ScanId;
  readonly baseScan: ScanId;
  readonly language: Language;
}

/** Comparisons that a graph may be replaced under before a request gives up. */
const TRIES = 3;

type SeverityRows = Awaited<ReturnType<typeof scans.listSeverities>>;

const isGreater = (a: Severity, b: Severity): boolean => SEVERITIES.indexOf(a) < SEVERITIES.indexOf(b);

/** Greatest severity that a finding of either scan gives each vulnerability id and its aliases. */
const severitiesOf = (rows: SeverityRows): ReadonlyMap<string, Severity> => {
  const severities = new Map<string, Severity>();
  for (const { vulnId, aliases, severityTenths } of rows)
    for (const id of [vulnId, ...aliases]) {
      const known = severities.get(id);
      const found = severityOf(severityTenths);
      if (known === undefined || isGreater(found, known)) severities.set(id, found);
    }
  return severities;
};

const digestOf = (severities: ReadonlyMap<string, Severity>): Digest =>
  sha256('drift-severities/v1\n', canonicalJson(Object.fromEntries(severities)));

const hashOf = ({ graphHash }: callGraphs.CallGraph): Digest => {
  if (!isDigest(graphHash)) throw new TypeError(`not the hash of a call graph: ${graphHash}`);
  return graphHash;
};

/** A stored graph that is refused is damaged, which no other request repairs. @throws Fault SYS_STORAGE_ERROR */
const throwAsFault = (error: unknown): never => {
  if (!(error instanceof CallGraphError)) throw error;
  throw new Fault('SYS_STORAGE_ERROR', error.message, { reason: error.reason }, [], { cause: error });
};

/** Creates the comparison of two scans, whose result is stored and used again while nothing it depends on changes. */
export const createComparison = ({
  database,
  threads,
  readGraph,
}: Pick<Deps, 'database'> & { readonly threads: GraphThreads; readonly readGraph: ReadGraph }) => {
  const read = (tenant: TenantId, { headScan, baseScan, language }: ScanPair) =>
    database.read(tenant, async (query) => {
      await scans.getScan(query, tenant, headScan);
      await scans.getScan(query, tenant, baseScan);
      const head = await callGraphs.get(query, tenant, headScan, language);
      const base = await callGraphs.get(query, tenant, baseScan, language);
      const graphs = { language, headGraphHash: hashOf(head), baseGraphHash: hashOf(base) };
      const id = toId(driftId(graphs, { tenant, headScan, baseScan }), 'Drift');
      const severities = severitiesOf(await scans.listSeverities(query, tenant, [headScan, baseScan]));
      const stored = await store.find(query, tenant, id);
      return { id, head, base, severities, severitiesDigest: digestOf(severities), stored };
    });

  type Facts = Awaited<ReturnType<typeof read>>;

  const isCurrent = (stored: store.StoredDrift, { head, base, severitiesDigest }: Facts): boolean =>
    stored.headDigest === head.digest &&
    stored.baseDigest === base.digest &&
    stored.severitiesDigest === severitiesDigest;

  /** Computes and stores a drift; undefined where a graph was replaced meanwhile. */
  const compute = async (tenant: TenantId, facts: Facts): Promise<store.StoredDrift | undefined> => {
    const { id, head, base, severities, severitiesDigest } = facts;
    const drift = await threads.comparisons.run(tenant, async () => {
      const storedHead = await readGraph(tenant, head);
      const storedBase = await readGraph(tenant, base);
      if (!storedHead || !storedBase) return undefined;
      return compareStoredGraphs({ base: storedBase, head: storedHead, severities }).catch(throwAsFault);
    });
    if (!drift) return undefined;
    const row = {
      id,
      headScan: head.scanId,
      baseScan: base.scanId,
      language: head.language,
      headDigest: head.digest,
      baseDigest: base.digest,
      severitiesDigest,
      drift,
    };
    return database.write(tenant, async (tx) =>
      (await callGraphs.lockUnchanged(tx, tenant, [head, base])) ? store.upsert(tx, tenant, row) : undefined,
    );
  };

  /** Drift of two scans by their present call graphs. @throws Fault RES_NOT_FOUND without a scan or a call graph */
  return async (tenant: TenantId, pair: ScanPair): Promise<store.StoredDrift> => {
    for (let tries = 0; tries < TRIES; tries++) {
      const facts = await read(tenant, pair);
      if (facts.stored && isCurrent(facts.stored, facts)) return facts.stored;
      const computed = await compute(tenant, facts);
      if (computed) return computed;
    }
    throw new Error(`The call graphs of scan ${pair.headScan} were replaced during each of ${TRIES} comparisons.`);
  };
};

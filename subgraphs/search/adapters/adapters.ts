import type { Caller, Who } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps, Upstream } from '@landfall/kernel/module';
import type { Meter } from '@landfall/kernel/system/telemetry';
import Type from 'typebox';
import type { Chunk } from '../corpus/chunk.ts';
import type { Corpus } from '../corpus/corpus.ts';
import type { Domain } from '../shared/domains.ts';
import { createIntervals } from '../shared/interval.ts';
import { SCOPES, searchOperations } from '../shared/operations.ts';
import type { SearchSettings } from '../shared/settings.ts';
import { ADAPTERS, type Adapter, type AdapterName } from './adapter.ts';
import * as store from './adapters.store.ts';
import { withoutPlatformFindings } from './platform-findings.ts';
import { suppressionMinutes } from './suppression.ts';
import { readPages, UpstreamFailure } from './upstream-pages.ts';

/** Origin of an adapter's documents (spec 2.8). */
export interface Provenance {
  readonly name: AdapterName;
  readonly domain: Domain;
  /** `snapshot`: documents of the last successful read, or of imports. */
  readonly source: 'upstream' | 'snapshot';
  /** Reason for a snapshot: `http_404`, `suppressed`, `timeout`, …; `not_asked_yet`. */
  readonly cause: string | null;
  readonly attemptedTarget: string;
  /** Documents of its domain that searches are answered from meanwhile; 0 where it is upstream. */
  readonly snapshotBackedCount: number;
  readonly upstreamSuppressedUntil: Date | null;
}

interface AdaptersDeps extends Deps {
  readonly corpus: Pick<Corpus, 'put' | 'sweep' | 'knownKeys'>;
  readonly ports: { readonly upstream: Upstream; readonly meter?: Meter | undefined };
  readonly settings: Pick<SearchSettings, 'indexRefreshSeconds'>;
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 10_000;

/** The only scopes of the background refresh (search.md 2.10). */
const REFRESHING = new Set(['findings:read', 'policy:read', 'vex:read']);

/** Name of the lease that refresh and rebuild of a tenant's documents share, so that they never run at once. */
export const sourcesLease = (tenant: TenantId): string => `search.sources/${tenant}`;

const refresher = (tenant: TenantId, correlationId: string): Who => ({
  tenant,
  subject: 'search-refresh',
  clientId: 'search-refresh',
  scopes: REFRESHING,
  kind: 'client',
  correlationId,
  assertedTenants: [],
});

const isChunk = (chunk: Chunk | undefined): chunk is Chunk => chunk !== undefined;

const provenanceOf = (
  { name, domain, target }: Adapter,
  row: store.AdapterRow | undefined,
  documents: number,
): Provenance => ({
  name,
  domain,
  source: row?.source === 'Upstream' ? 'upstream' : 'snapshot',
  cause: row ? row.cause : 'not_asked_yet',
  attemptedTarget: row?.attemptedTarget ?? target,
  snapshotBackedCount: row?.source === 'Upstream' ? 0 : documents,
  upstreamSuppressedUntil: row?.isSuppressed ? row.suppressedUntil : null,
});

/** Imports the documents of other modules' routes and records their provenance. */
export const createAdapters = ({ corpus, ports, settings, timeoutMs = TIMEOUT_MS, ...deps }: AdaptersDeps) => {
  const { database, ids, log } = deps;
  const operation = searchOperations(deps.operation);
  const fellBack = ports.meter?.counter('advisory_ai_unified_adapter_fallback_total', {
    description: 'Readings for which an adapter served its snapshot, by reason; structural where the route is absent.',
  });

  /** Writes the route's documents and deletes those it no longer has. Throws UpstreamFailure. */
  const read = async (adapter: Adapter, tenant: TenantId, caller: Caller): Promise<void> => {
    const runId = ids.uuid();
    let remaining = 0;
    let count = 0;
    for await (const items of readPages({ upstream: ports.upstream, caller, timeoutMs }, adapter.target)) {
      const chunks = items.map((item) => adapter.chunkOf(item)).filter(isChunk);
      remaining += items.length - chunks.length;
      count += chunks.length;
      await corpus.put(tenant, await withoutPlatformFindings(corpus, tenant, chunks), runId);
    }
    // Items of an unknown shape: the documents that are stored already are better than none.
    if (remaining > 0 && count === 0) throw new UpstreamFailure('malformed');
    if (remaining > 0)
      log.warn({ adapter: adapter.name, tenant, left: remaining }, 'an adapter left out items that it cannot read');
    await corpus.sweep(tenant, adapter.name, runId);
  };

  const attempt = async (
    adapter: Adapter,
    tenant: TenantId,
    caller: Caller,
    absences: number,
  ): Promise<Omit<store.Attempt, 'name' | 'attemptedTarget'>> => {
    try {
      await read(adapter, tenant, caller);
      return { source: 'Upstream', cause: null, absences: 0, suppressedMinutes: 0 };
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      const { reason, isAbsent } = error;
      fellBack?.({ reason, structural: isAbsent });
      if (!isAbsent) log.warn({ adapter: adapter.name, tenant, reason, err: error.cause }, 'an adapter fell back');
      if (!isAbsent) return { source: 'Snapshot', cause: reason, absences, suppressedMinutes: 0 };
      const times = absences + 1;
      return { source: 'Snapshot', cause: reason, absences: times, suppressedMinutes: suppressionMinutes(times) };
    }
  };

  const refreshOne = async (adapter: Adapter, tenant: TenantId, caller: Caller, row: store.AdapterRow | undefined) => {
    if (row?.isSuppressed) {
      fellBack?.({ reason: 'suppressed', structural: true });
      return;
    }
    const { name, target: attemptedTarget } = adapter;
    const noted = { name, attemptedTarget, ...(await attempt(adapter, tenant, caller, row?.absences ?? 0)) };
    await database.write(tenant, (tx) => store.upsert(tx, tenant, noted));
  };

  const rowsOf = async (query: Query, tenant: TenantId): Promise<Map<string, store.AdapterRow>> => {
    const rows = await store.list(query, tenant);
    return new Map(rows.map((row) => [row.name, row]));
  };

  /** Uses the caller's connection: waiting for a second one while holding the first could deadlock the pool. */
  const provenances = async (query: Query, tenant: TenantId): Promise<Provenance[]> => {
    const rows = await rowsOf(query, tenant);
    const domains = ADAPTERS.map(({ domain }) => domain);
    const counts = await store.countDocuments(query, tenant, domains);
    const documents = new Map(counts.map((row) => [row.domain, row.documents]));
    return ADAPTERS.map((adapter) => provenanceOf(adapter, rows.get(adapter.name), documents.get(adapter.domain) ?? 0));
  };

  const refresh = async (tenant: TenantId, caller: Caller): Promise<Provenance[]> => {
    const rows = await database.read(tenant, (query) => rowsOf(query, tenant));
    for (const adapter of ADAPTERS) await refreshOne(adapter, tenant, caller, rows.get(adapter.name));
    return database.read(tenant, (query) => provenances(query, tenant));
  };

  const everyMs = settings.indexRefreshSeconds * 1_000;
  const works = async () => {
    const tenants = await database.system.read(store.listTenants);
    return tenants.map((tenant) => ({
      name: sourcesLease(tenant),
      everyMs,
      run: async () => void (await refresh(tenant, refresher(tenant, ids.uuid()))),
    }));
  };
  const worker: Worker = createIntervals(deps, { name: 'search.refresh', leastMs: everyMs, works });

  return {
    list: operation({
      name: 'searchAdapters.list',
      kind: 'read',
      scope: SCOPES.operate,
      input: Type.Object({}),
      run: ({ tenant }, _input, query) => provenances(query, tenant),
    }),
    refresh,
    worker,
    /** Refresh work, one unit per tenant; exposed for tests. */
    works,
  };
};

export type Adapters = ReturnType<typeof createAdapters>;

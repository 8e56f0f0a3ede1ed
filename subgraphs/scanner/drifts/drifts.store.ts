import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, json, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import type { Drift } from '../reachability/drift.ts';
import { LANGUAGES, type Language } from '../reachability/language.ts';
import type { ScanId } from './scan-facts.store.ts';

export type DriftId = Id<'Drift'>;

/** `computeDrift` wrote the document; reading it checks that it is one. */
const driftDocument = Type.Unsafe<Drift>(
  Type.Object({
    language: Type.String(),
    counts: Type.Object({}),
    coverage: Type.Object({}),
    sinks: Type.Array(Type.Object({ symbol: Type.String(), position: Type.Integer() })),
    chains: Type.Object({}),
  }),
);

const drifts = table(
  'scanner.drifts',
  {
    id: id('Drift'),
    headScan: id('Scan'),
    baseScan: id('Scan'),
    language: oneOf(...LANGUAGES),
    headDigest: text,
    baseDigest: text,
    severitiesDigest: text,
    drift: json(driftDocument),
    computedAt: instant,
  },
  { noun: 'drift' },
);

/** Drift of two scans as it was computed. */
export type StoredDrift = RowOf<typeof drifts>;

export const { find, get } = drifts;

/** Newest drift of a head scan and a language. */
export const findLatest = (query: Query, tenant: TenantId, headScan: ScanId, language: Language) =>
  drifts.findWhere(
    query,
    'findLatest',
    sql`tenant = ${tenant} and head_scan = ${headScan} and language = ${language}
      order by computed_at desc, id
      limit 1`,
  );

/** Stores a drift, or replaces the one that has its id and was computed from other coverage or severities. */
export const upsert = (tx: Tx, tenant: TenantId, row: Omit<StoredDrift, 'computedAt'>): Promise<StoredDrift> =>
  tx.get(
    drifts,
    sql`/* scanner.drifts.upsert */
    insert into scanner.drifts (tenant, id, head_scan, base_scan, language, head_digest, base_digest, severities_digest,
      head_graph_hash, base_graph_hash, drift)
    values (${tenant}, ${row.id}, ${row.headScan}, ${row.baseScan}, ${row.language}, ${row.headDigest},
      ${row.baseDigest}, ${row.severitiesDigest}, ${row.drift.headGraphHash}, ${row.drift.baseGraphHash},
      ${jsonb(row.drift)}::jsonb)
    on conflict (tenant, id) do update set
      head_digest = excluded.head_digest, base_digest = excluded.base_digest,
      severities_digest = excluded.severities_digest, drift = excluded.drift, computed_at = kernel.now()
    returning ${drifts.columns}`,
  );

interface ReplacedGraph {
  readonly scanId: ScanId;
  readonly language: Language;
  /** Digest of the graph that the scan has now. */
  readonly digest: string;
  readonly graphHash: string;
}

/** Deletes drifts whose id stands for a graph of the scan that now has other confidences or another coverage. */
export const removeSuperseded = (
  tx: Tx,
  tenant: TenantId,
  { scanId, language, digest, graphHash }: ReplacedGraph,
): Promise<number> =>
  drifts.removeWhere(
    tx,
    'removeSuperseded',
    sql`tenant = ${tenant} and language = ${language}
      and (head_scan = ${scanId} and head_graph_hash = ${graphHash} and head_digest <> ${digest}
        or base_scan = ${scanId} and base_graph_hash = ${graphHash} and base_digest <> ${digest})`,
  );

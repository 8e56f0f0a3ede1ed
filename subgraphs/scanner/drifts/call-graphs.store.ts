import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Digest } from '@landfall/kernel/crypto/digest';
import { bytes, id, instant, integer, json, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { LANGUAGES, type Language } from '../reachability/language.ts';
import type { ScanId } from './scan-facts.store.ts';

const coverage = Type.Object({
  complete: Type.Boolean(),
  incompletePackages: Type.Array(Type.String()),
  limitations: Type.Array(Type.String()),
});

/** A call graph as it was received, before a scan has it. */
export interface ReceivedGraph {
  /** SHA-256 of the stored form. */
  readonly digest: Digest;
  readonly language: Language;
  readonly graphHash: Digest;
  readonly coverage: {
    readonly complete: boolean;
    readonly incompletePackages: readonly string[];
    readonly limitations: readonly string[];
  };
  readonly symbols: number;
  readonly edges: number;
  readonly entries: number;
  readonly sinks: number;
  readonly size: number;
}

const callGraphs = table('scanner.call_graphs', {
  scanId: id('Scan'),
  language: oneOf(...LANGUAGES),
  digest: text,
  graphHash: text,
  coverage: json(coverage),
  symbols: integer,
  edges: integer,
  entries: integer,
  sinks: integer,
  size: integer,
  importedBy: text,
  importedAt: instant,
});

/** Call graph of a scan and a language. */
export type CallGraph = RowOf<typeof callGraphs>;

/** Call graphs of some scans, in the order of the languages' names. */
export const listByScans = (query: Query, tenant: TenantId, scanIds: readonly ScanId[]): Promise<CallGraph[]> =>
  query.list(
    callGraphs,
    sql`/* scanner.call_graphs.listByScans */
    select g.scan_id, g.language, g.digest, c.graph_hash, c.coverage, c.symbols, c.edges, c.entries, c.sinks, c.size,
      g.imported_by, g.imported_at
    from scanner.call_graphs as g
    join scanner.call_graph_contents as c on c.tenant = g.tenant and c.digest = g.digest
    where g.tenant = ${tenant} and g.scan_id = any(${scanIds}::uuid[])
    order by g.scan_id, g.language`,
  );

/** Call graph of a scan and a language. @throws Fault RES_NOT_FOUND without one */
export const get = async (query: Query, tenant: TenantId, scanId: ScanId, language: Language): Promise<CallGraph> => {
  const found = (await listByScans(query, tenant, [scanId])).find((graph) => graph.language === language);
  if (found) return found;
  throw new Fault('RES_NOT_FOUND', `Scan ${scanId} has no call graph of the language ${language}. Import one first.`, {
    scanId,
    language,
  });
};

const keys = table('scanner.call_graphs.keys', { scanId: id('Scan') });

/** Locks call graphs against replacement. @returns whether the scans still have exactly these graphs */
export const lockUnchanged = async (
  tx: Tx,
  tenant: TenantId,
  graphs: readonly Pick<CallGraph, 'scanId' | 'language' | 'digest'>[],
): Promise<boolean> => {
  for (const { scanId, language, digest } of graphs) {
    const locked = await tx.list(
      keys,
      sql`/* scanner.call_graphs.lockUnchanged */
      select scan_id from scanner.call_graphs
      where tenant = ${tenant} and scan_id = ${scanId} and language = ${language} and digest = ${digest}
      for share`,
    );
    if (locked.length === 0) return false;
  }
  return true;
};

/** Stores what describes a graph, or notes that the same graph was received again. */
export const upsertContent = (tx: Tx, tenant: TenantId, graph: ReceivedGraph): Promise<number> =>
  tx.run(sql`/* scanner.call_graph_contents.upsert */
    insert into scanner.call_graph_contents
      (tenant, digest, language, graph_hash, coverage, symbols, edges, entries, sinks, size)
    values (${tenant}, ${graph.digest}, ${graph.language}, ${graph.graphHash}, ${jsonb(graph.coverage)}::jsonb,
      ${graph.symbols}, ${graph.edges}, ${graph.entries}, ${graph.sinks}, ${graph.size})
    on conflict (tenant, digest) do update set received_at = kernel.now()`);

export const insertPart = (tx: Tx, tenant: TenantId, digest: Digest, part: number, content: Uint8Array) =>
  tx.run(sql`/* scanner.call_graph_parts.insert */
    insert into scanner.call_graph_parts (tenant, digest, part, bytes)
    values (${tenant}, ${digest}, ${part}, ${content})`);

const parts = table('scanner.call_graph_parts', { bytes });

export const hasParts = (query: Query, tenant: TenantId, digest: Digest): Promise<boolean> =>
  parts.existsWhere(query, 'exists', sql`tenant = ${tenant} and digest = ${digest}`);

/** Stored form of a graph; undefined where it was replaced and deleted meanwhile. */
export const readStored = async (
  query: Query,
  tenant: TenantId,
  { digest, size }: Pick<CallGraph, 'digest' | 'size'>,
): Promise<Uint8Array | undefined> => {
  const found = await parts.listWhere(query, 'list', sql`tenant = ${tenant} and digest = ${digest} order by part`);
  const whole = Buffer.concat(found.map((row) => row.bytes));
  return whole.length === size ? whole : undefined;
};

const received = table('scanner.call_graph_contents', { graphHash: text });

/** Graph that was received and not yet deleted. */
export const findReceived = (query: Query, tenant: TenantId, digest: string, language: Language) =>
  received.findWhere(query, 'find', sql`tenant = ${tenant} and digest = ${digest} and language = ${language}`);

/** Gives a scan a received graph instead of the one of the same language that it has. */
export const upsert = (
  tx: Tx,
  tenant: TenantId,
  { scanId, language, digest, importedBy }: Pick<CallGraph, 'scanId' | 'language' | 'digest' | 'importedBy'>,
) =>
  tx.run(sql`/* scanner.call_graphs.upsert */
    insert into scanner.call_graphs (tenant, scan_id, language, digest, imported_by)
    values (${tenant}, ${scanId}, ${language}, ${digest}, ${importedBy})
    on conflict (tenant, scan_id, language) do update set
      digest = excluded.digest, imported_by = excluded.imported_by, imported_at = kernel.now()`);

/** Deletes graphs that no scan has and that no import of the last hour may still refer to. */
export const removeUnused = (tx: Tx, tenant: TenantId) =>
  tx.run(sql`/* scanner.call_graph_contents.removeUnused */
    delete from scanner.call_graph_contents as c
    where c.tenant = ${tenant} and c.received_at < kernel.now() - interval '1 hour'
      and not exists (
        select from scanner.call_graphs as g where g.tenant = c.tenant and g.digest = c.digest)`);

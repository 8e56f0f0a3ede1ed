import type { TenantId } from '@landfall/kernel/core/ids';
import { count, id, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { CONFIDENCES } from '../reachability/call-graph.ts';
import { LANGUAGES, type Language } from '../reachability/language.ts';
import type { ScanId } from './scan-facts.store.ts';

const REACHABILITIES = ['reachable', 'potentially_reachable', 'unknown', 'unreachable'] as const;

const statements = table('scanner.finding_reachability', {
  scanId: id('Scan'),
  findingId: text,
  language: oneOf(...LANGUAGES),
  reachability: oneOf(...REACHABILITIES),
  reason: text,
  symbol: text.nullable(),
  confidence: oneOf(...CONFIDENCES).nullable(),
});

/** Statement on the reachability of a finding by the call graph of one language. */
export type FindingReachability = RowOf<typeof statements>;

export const insertAll = (tx: Tx, tenant: TenantId, rows: readonly FindingReachability[]): Promise<number> =>
  statements.insertAll(
    tx,
    tenant,
    rows.map(({ scanId, findingId, language, reachability, reason, symbol, confidence }) => ({
      scanId,
      findingId,
      language,
      reachability,
      reason,
      symbol: symbol ?? null,
      confidence: confidence ?? null,
    })),
  );

export const removeStatements = (tx: Tx, tenant: TenantId, scanId: ScanId, language: Language): Promise<number> =>
  statements.removeWhere(tx, 'remove', sql`tenant = ${tenant} and scan_id = ${scanId} and language = ${language}`);

/** Statements of a scan and a language, by finding; one more than the page if there are more. */
export const list = (
  query: Query,
  tenant: TenantId,
  { scanId, language }: { readonly scanId: ScanId; readonly language: Language },
  page: { readonly after: string | undefined; readonly limit: number },
): Promise<FindingReachability[]> =>
  statements.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} and scan_id = ${scanId} and language = ${language}
        and finding_id > ${page.after ?? ''}
      order by finding_id
      limit ${page.limit}`,
  );

/** Statements on some findings of some scans; each pair has a position in both lists. */
export const listByFindings = (
  query: Query,
  tenant: TenantId,
  scanIds: readonly ScanId[],
  findingIds: readonly string[],
): Promise<FindingReachability[]> =>
  statements.listWhere(
    query,
    'listByFindings',
    sql`tenant = ${tenant}
        and (scan_id, finding_id) in (select * from unnest(${scanIds}::uuid[], ${findingIds}::text[]))
      order by scan_id, finding_id, language`,
  );

const counts = table('scanner.finding_reachability.counts', {
  scanId: id('Scan'),
  language: oneOf(...LANGUAGES),
  reachability: oneOf(...REACHABILITIES),
  findings: count,
});

/** Number of findings of some scans by language and statement. */
export const countByScans = (query: Query, tenant: TenantId, scanIds: readonly ScanId[]) =>
  query.list(
    counts,
    sql`/* scanner.finding_reachability.countByScans */
    select scan_id, language, reachability, count(*) as findings
    from scanner.finding_reachability
    where tenant = ${tenant} and scan_id = any(${scanIds}::uuid[])
    group by scan_id, language, reachability`,
  );

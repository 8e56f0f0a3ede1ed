import { instant, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { SHARED } from './shared-tenant.ts';

const points = table('scanner.ssvc_points', {
  cveId: text,
  exploitation: oneOf('none', 'poc', 'active'),
  automatable: oneOf('no', 'yes'),
  technicalImpact: oneOf('partial', 'total'),
  version: text.nullable(),
  publishedAt: instant.nullable(),
});

/** CISA's decision points of a vulnerability. */
export type SsvcPoints = RowOf<typeof points>;

export const list = (query: Query, cveIds: readonly string[]): Promise<SsvcPoints[]> =>
  points.listWhere(query, 'list', sql`tenant = ${SHARED} and cve_id = any(${cveIds}::text[])`);

/** Inserts points, or replaces those that are not newer. @returns the number of rows that were written */
export const upsertAll = (tx: Tx, rows: readonly SsvcPoints[]): Promise<number> =>
  tx.run(sql`/* scanner.ssvc_points.upsertAll */
    insert into scanner.ssvc_points (tenant, cve_id, exploitation, automatable, technical_impact, version, published_at)
    select ${SHARED}, cve_id, exploitation, automatable, technical_impact, version, published_at from unnest(
      ${rows.map((row) => row.cveId)}::text[], ${rows.map((row) => row.exploitation)}::text[],
      ${rows.map((row) => row.automatable)}::text[], ${rows.map((row) => row.technicalImpact)}::text[],
      ${rows.map((row) => row.version)}::text[], ${rows.map((row) => row.publishedAt)}::timestamptz[])
      as given (cve_id, exploitation, automatable, technical_impact, version, published_at)
    on conflict (tenant, cve_id) do update set exploitation = excluded.exploitation, automatable = excluded.automatable,
      technical_impact = excluded.technical_impact, version = excluded.version, published_at = excluded.published_at
    where coalesce(excluded.published_at, '-infinity') > coalesce(ssvc_points.published_at, '-infinity')`);

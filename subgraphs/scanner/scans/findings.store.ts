import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { bigint, id, integer, json, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { findingSchema } from '../score/finding.ts';
import { SUPPRESSING } from '../triage/decision.ts';
import type { ProductImage } from '../triage/product-directory.ts';
import type { NewFinding } from './finding-freeze.ts';
import { SEVERITY_BANDS, type SeverityLabel } from './severity-label.ts';

const columns = {
  scanId: id('Scan'),
  findingId: text,
  /** Frozen input of the score (proofs 2.1). */
  finding: json(Type.Omit(findingSchema, ['evidenceAgeSeconds'])),
  vulnId: text,
  purl: text,
  componentKey: text,
  class: text,
  aliasGroup: bigint,
  aliases: textArray,
  title: text.nullable(),
  /** Null where nothing rates the severity. */
  severityTenths: integer.nullable(),
  fixedVersions: textArray,
  lowestCleanVersion: text.nullable(),
  path: textArray,
  /** Score at the freeze, in parts per million. */
  scorePpm: integer,
} as const;

const findings = table('scanner.findings', columns);
const current = table('scanner.findings current', { ...columns, imageDigest: text.nullable() });

export type StoredFinding = RowOf<typeof findings>;
export type CurrentFinding = RowOf<typeof current>;

const whole = table('scanner.findings whole', { ...columns, componentHashes: textArray });

/** Finding with everything that is stored of it. */
export type WholeFinding = RowOf<typeof whole>;

/** Findings of a scan's newest freeze, in no order. */
export const listWhole = (query: Query, tenant: TenantId, scanId: Id<'Scan'>): Promise<WholeFinding[]> =>
  whole.listWhere(query, 'listWhole', sql`tenant = ${tenant} and scan_id = ${scanId}`);

/** Rows of one statement. */
const BATCH = 1_000;

/** Inserts the findings of a scan; those that it has already get the state of its newest freeze. */
export const upsertAll = async (
  tx: Tx,
  tenant: TenantId,
  scanId: Id<'Scan'>,
  given: readonly NewFinding[],
  scoreOf: (findingId: string) => number,
): Promise<void> => {
  for (let at = 0; at < given.length; at += BATCH) {
    const rows = given.slice(at, at + BATCH);
    await tx.run(sql`/* scanner.findings.upsertAll */
      insert into scanner.findings (tenant, scan_id, finding_id, finding, vuln_id, purl, component_key, class, alias_group,
        aliases, title, severity_tenths, fixed_versions, lowest_clean_version, path, component_hashes, score_ppm)
      select ${tenant}, ${scanId}, finding->>'findingId', finding, finding->>'vulnId', finding->>'purl', component_key,
        finding->>'class', alias_group, array(select jsonb_array_elements_text(lists->0)), title,
        (finding->>'cvssTenths')::integer, array(select jsonb_array_elements_text(lists->1)), lowest_clean_version,
        array(select jsonb_array_elements_text(lists->2)), array(select jsonb_array_elements_text(lists->3)), score_ppm
      from unnest(${rows.map((row) => JSON.stringify(row.finding))}::jsonb[], ${rows.map((row) => row.componentKey)}::text[],
        ${rows.map((row) => String(row.aliasGroup))}::bigint[], ${rows.map((row) => row.title)}::text[],
        ${rows.map((row) => row.lowestCleanVersion)}::text[],
        ${rows.map((row) => JSON.stringify([row.aliases, row.fixedVersions, row.path, row.componentHashes]))}::jsonb[],
        ${rows.map((row) => scoreOf(row.finding.findingId))}::integer[])
        as given (finding, component_key, alias_group, title, lowest_clean_version, lists, score_ppm)
      on conflict (tenant, scan_id, finding_id) do update set finding = excluded.finding, class = excluded.class,
        alias_group = excluded.alias_group, aliases = excluded.aliases, title = excluded.title,
        severity_tenths = excluded.severity_tenths, fixed_versions = excluded.fixed_versions,
        lowest_clean_version = excluded.lowest_clean_version, path = excluded.path,
        component_hashes = excluded.component_hashes, score_ppm = excluded.score_ppm`);
  }
};

const known = table('scanner.findings known', {
  findingId: text,
  vulnId: text,
  purl: text,
  aliasGroup: bigint,
  aliases: textArray,
});

/** Identities of the findings of a scan, in no order. */
export const listKnown = (query: Query, tenant: TenantId, scanId: Id<'Scan'>): Promise<RowOf<typeof known>[]> =>
  known.listWhere(query, 'listKnown', sql`tenant = ${tenant} and scan_id = ${scanId}`);

/** Finding that is found under another id since. */
export interface Renaming {
  readonly findingId: string;
  readonly successor: string;
}

/** Gives the successors of renamed findings the statements on their reachability, which go with the old ids. */
export const copyReachability = (
  tx: Tx,
  tenant: TenantId,
  scanId: Id<'Scan'>,
  renamings: readonly Renaming[],
): Promise<number> =>
  tx.run(sql`/* scanner.finding_reachability.copyRenamed */
    insert into scanner.finding_reachability (tenant, scan_id, finding_id, language, reachability, reason, symbol, confidence)
    select r.tenant, r.scan_id, renamed.successor, r.language, r.reachability, r.reason, r.symbol, r.confidence
    from unnest(${renamings.map(({ findingId }) => findingId)}::text[], ${renamings.map(({ successor }) => successor)}::text[])
      as renamed (finding_id, successor)
    join scanner.finding_reachability r
      on r.tenant = ${tenant} and r.scan_id = ${scanId} and r.finding_id = renamed.finding_id
    on conflict (tenant, scan_id, language, finding_id) do nothing`);

/** Deletes some findings of a scan. */
export const removeAll = (tx: Tx, tenant: TenantId, scanId: Id<'Scan'>, ids: readonly string[]): Promise<number> =>
  findings.removeWhere(
    tx,
    'removeAll',
    sql`tenant = ${tenant} and scan_id = ${scanId} and finding_id = any(${ids}::text[])`,
  );

export interface FindingPosition {
  readonly scanId: string;
  readonly findingId: string;
  /** Score of the finding when it was listed, for a list by score. */
  readonly scorePpm?: number;
}

export interface FindingFilter {
  readonly severities?: readonly SeverityLabel[] | undefined;
  readonly kev?: boolean | undefined;
  readonly isReachable?: boolean | undefined;
  readonly text?: string | undefined;
}

/** Condition on the findings of one scan; an absent member of the filter admits every finding. */
const matches = ({ severities, kev, isReachable, text: part }: FindingFilter): Sql => {
  const bands = severities?.map((label) => SEVERITY_BANDS[label]);
  return sql`(${bands?.map(([low]) => low) ?? null}::integer[] is null or exists (
          select from unnest(${bands?.map(([low]) => low) ?? null}::integer[], ${bands?.map(([, high]) => high) ?? null}::integer[])
            as band (low, high) where severity_tenths between low and high))
        and (${kev ?? null}::boolean is null or (finding->>'kev')::boolean = ${kev ?? null}::boolean)
        and (${isReachable ?? null}::boolean is null or ${isReachable ?? null}::boolean = (
          finding->>'reachability' in ('reachable', 'potentially_reachable') or exists (
            select from scanner.finding_reachability r
            where r.tenant = scanner.findings.tenant and r.scan_id = scanner.findings.scan_id
              and r.finding_id = scanner.findings.finding_id
              and r.reachability in ('reachable', 'potentially_reachable'))))
        and (${part ?? null}::text is null or strpos(
          lower(concat_ws(' ', vuln_id, array_to_string(aliases, ' '), title, purl)), lower(${part ?? null}::text)) > 0)`;
};
interface Bounds {
  readonly after: FindingPosition | undefined;
  readonly limit: number;
}

interface SuppressionFilter {
  /** Undefined for suppressed findings and the others. */
  readonly isSuppressed: boolean | undefined;
  /** Products whose releases have the image of the scan. */
  readonly products: readonly Id<'Product'>[];
}

/** Findings of a scan after a position, the highest score first. */
export const listOfScan = (
  query: Query,
  tenant: TenantId,
  scanId: Id<'Scan'>,
  { isSuppressed, products, ...filter }: FindingFilter & SuppressionFilter,
  { after, limit }: Bounds,
): Promise<StoredFinding[]> =>
  findings.listWhere(
    query,
    'listOfScan',
    sql`tenant = ${tenant} and scan_id = ${scanId} and ${matches(filter)}
        and (${after?.findingId ?? null}::text is null or (-score_ppm, finding_id) > (
          -coalesce(${after?.scorePpm ?? null}::integer, (
            select score_ppm from scanner.findings
            where tenant = ${tenant} and scan_id = ${scanId} and finding_id = ${after?.findingId ?? null})),
          ${after?.findingId ?? null}))
        and (${isSuppressed ?? null}::boolean is null or ${isSuppressed ?? null}::boolean = exists (
          select from scanner.triage_decision_of(tenant, component_key, alias_group, ${products}::uuid[]) d
          where d.status = any(${SUPPRESSING}::text[])))
      order by score_ppm desc, finding_id limit ${limit}`,
  );

const images = table('scanner.scans images', { imageDigest: text.nullable() });

/** Images of which a scan is complete. */
export const listScannedImages = async (query: Query, tenant: TenantId): Promise<readonly string[]> => {
  const rows = await query.list(
    images,
    sql`/* scanner.scans.listImages */
    select distinct image_digest from scanner.scans
    where tenant = ${tenant} and status = 'completed' and image_digest is not null`,
  );
  return rows.flatMap(({ imageDigest }) => imageDigest ?? []);
};

/** Findings of the newest completed scan of each image or other subject without a decision, the highest score first. */
export const listUndecided = (
  query: Query,
  tenant: TenantId,
  { after, limit, productImages }: Bounds & { readonly productImages: readonly ProductImage[] },
): Promise<StoredFinding[]> =>
  query.list(
    findings,
    sql`/* scanner.findings.listUndecided */
    select ${findings.of('f')} from (
      select distinct on (coalesce(image_digest, subject_purl, subject_name, sbom_digest)) id, image_digest
      from scanner.scans where tenant = ${tenant} and status = 'completed'
      order by coalesce(image_digest, subject_purl, subject_name, sbom_digest), completed_at desc, id desc) n
    join scanner.findings f on f.tenant = ${tenant} and f.scan_id = n.id
    where (${after?.scanId ?? null}::uuid is null or (-f.score_ppm, f.scan_id, f.finding_id) > (
        -coalesce(${after?.scorePpm ?? null}::integer, (
          select score_ppm from scanner.findings
          where tenant = ${tenant} and scan_id = ${after?.scanId ?? null}::uuid and finding_id = ${after?.findingId ?? null}::text)),
        ${after?.scanId ?? null}::uuid, ${after?.findingId ?? null}::text))
      and not exists (
        select from scanner.triage_decision_of(f.tenant, f.component_key, f.alias_group, array(
          select known.product_id from unnest(${productImages.map(({ digest }) => digest)}::text[],
            ${productImages.map(({ productId }) => productId)}::uuid[]) as known (digest, product_id)
          where known.digest = n.image_digest)))
    order by f.score_ppm desc, f.scan_id, f.finding_id limit ${limit}`,
  );

/** Findings of the newest completed scan of each image or other subject, after a position. */
export const listCurrent = (
  query: Query,
  tenant: TenantId,
  { after, limit }: { readonly after: FindingPosition | undefined; readonly limit: number },
): Promise<CurrentFinding[]> =>
  query.list(
    current,
    sql`/* scanner.findings.listCurrent */
    select ${findings.of('f')}, n.image_digest from (
      select distinct on (coalesce(image_digest, subject_purl, subject_name, sbom_digest)) id, image_digest
      from scanner.scans where tenant = ${tenant} and status = 'completed'
      order by coalesce(image_digest, subject_purl, subject_name, sbom_digest), completed_at desc, id desc) n
    join scanner.findings f on f.tenant = ${tenant} and f.scan_id = n.id
    where ${after?.scanId ?? null}::uuid is null
      or (f.scan_id, f.finding_id) > (${after?.scanId ?? null}::uuid, ${after?.findingId ?? null}::text)
    order by f.scan_id, f.finding_id limit ${limit}`,
  );

/** Findings of alias groups, each in the newest completed scan of its image or other subject, after a position. */
export const listOfGroups = (
  query: Query,
  tenant: TenantId,
  aliasGroups: readonly bigint[],
  { after, limit }: { readonly after: FindingPosition | undefined; readonly limit: number },
): Promise<StoredFinding[]> =>
  query.list(
    findings,
    sql`/* scanner.findings.listOfGroups */
    select ${findings.of('f')} from scanner.findings f
    join scanner.scans s on s.tenant = ${tenant} and s.id = f.scan_id and s.status = 'completed'
    where f.tenant = ${tenant} and f.alias_group = any(${aliasGroups.map(String)}::bigint[])
      and (${after?.scanId ?? null}::uuid is null
        or (f.scan_id, f.finding_id) > (${after?.scanId ?? null}::uuid, ${after?.findingId ?? null}::text))
      and not exists (
        select from scanner.scans n
        where n.tenant = ${tenant} and n.status = 'completed'
          and coalesce(n.image_digest, n.subject_purl, n.subject_name, n.sbom_digest)
            = coalesce(s.image_digest, s.subject_purl, s.subject_name, s.sbom_digest)
          and (n.completed_at, n.id) > (s.completed_at, s.id))
    order by f.scan_id, f.finding_id limit ${limit}`,
  );

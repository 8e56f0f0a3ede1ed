import { bigint, boolean, count, instant, json, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import type { OsvAffected, OsvRecord } from '../advisories/osv-record.ts';
import { SHARED } from './shared-tenant.ts';

/** Advisory without the packages that it affects. */
export type AdvisoryHead = Omit<OsvRecord, 'affected'>;

// Only the importer writes these documents, so their outer form is enough of a check.
const head = json(Type.Unsafe<AdvisoryHead>(Type.Object({ id: Type.String() })));
const entries = json(Type.Unsafe<readonly OsvAffected[]>(Type.Array(Type.Object({}))));

const versions = table('scanner.advisories versions', { id: text, digest: text, modified: instant });
const heads = table('scanner.advisories heads', { aliasGroup: bigint, head });
/** Head beside each package: a description is most of a document, and serves as title only where there is no summary. */
type PackageHead = Omit<AdvisoryHead, 'details'> & Partial<Pick<AdvisoryHead, 'details'>>;
const packageHead = json(Type.Unsafe<PackageHead>(Type.Object({ id: Type.String() })));
const advised = table('scanner.advisory_packages advised', {
  ecosystem: text,
  packageName: text,
  aliasGroup: bigint,
  head: packageHead,
  entries,
});
const advisoryStates = table('scanner.advisories states', {
  id: text,
  isWithdrawn: boolean,
  ecosystem: text.nullable(),
  packageName: text.nullable(),
});
const states = table('scanner.advisories state', { digest: text, records: count, modified: instant.nullable() });

export type AdvisedPackage = RowOf<typeof advised>;

/** Stored versions of some advisories. */
export const listVersions = (tx: Tx, ids: readonly string[]) =>
  tx.list(
    versions,
    sql`/* scanner.advisories.listVersions */
    select id, digest, modified from scanner.advisories where tenant = ${SHARED} and id = any(${ids}::text[])`,
  );

/** Number of stored advisories, withdrawn ones included. */
export const countAll = (query: Query): Promise<number> =>
  states.countWhere(query, 'countAll', sql`tenant = ${SHARED}`);

const ecosystems = table('scanner.advisory_packages ecosystems', { ecosystem: text });

/** Ecosystems of the packages that some stored advisories are about, releases included. */
export const listEcosystems = async (tx: Tx, ids: readonly string[]): Promise<readonly string[]> => {
  const rows = await tx.list(
    ecosystems,
    sql`/* scanner.advisory_packages.listEcosystems */
    select distinct ecosystem from scanner.advisory_packages
    where tenant = ${SHARED} and advisory_id = any(${ids}::text[])`,
  );
  return rows.map(({ ecosystem }) => ecosystem);
};

export interface StoredAdvisory {
  readonly head: AdvisoryHead;
  readonly aliasGroup: number;
  readonly digest: string;
  /** RFC 3339. */
  readonly modified: string;
  readonly packages: readonly AdvisoryPackage[];
}

export interface AdvisoryPackage {
  readonly ecosystem: string;
  readonly packageName: string;
  readonly entries: readonly OsvAffected[];
}

const packageHeadOf = ({ details, ...head }: AdvisoryHead): PackageHead =>
  head.summary === null ? { ...head, details } : head;

/** Inserts or replaces advisories with their packages. */
export const upsertAll = async (tx: Tx, advisories: readonly StoredAdvisory[]): Promise<void> => {
  const ids = advisories.map((each) => each.head.id);
  await tx.run(sql`/* scanner.advisories.upsertAll */
    insert into scanner.advisories (tenant, id, alias_group, modified, withdrawn_at, digest, head)
    select ${SHARED}, id, alias_group, modified, withdrawn_at, digest, head from unnest(
      ${ids}::text[], ${advisories.map((each) => each.aliasGroup)}::bigint[],
      ${advisories.map((each) => each.modified)}::timestamptz[],
      ${advisories.map((each) => each.head.withdrawn)}::timestamptz[], ${advisories.map((each) => each.digest)}::text[],
      ${advisories.map((each) => jsonb(each.head))}::jsonb[]) as given (id, alias_group, modified, withdrawn_at, digest, head)
    on conflict (tenant, id) do update set alias_group = excluded.alias_group, modified = excluded.modified,
      withdrawn_at = excluded.withdrawn_at, digest = excluded.digest, head = excluded.head`);
  await tx.run(sql`/* scanner.advisory_packages.removeAll */
    delete from scanner.advisory_packages where tenant = ${SHARED} and advisory_id = any(${ids}::text[])`);
  const packages = advisories.flatMap(({ head: full, aliasGroup, packages: named }) => {
    const copied = { id: full.id, aliasGroup, head: packageHeadOf(full) };
    return named.map((each) => ({ ...each, ...copied }));
  });
  await tx.run(sql`/* scanner.advisory_packages.insertAll */
    insert into scanner.advisory_packages (tenant, ecosystem, package_name, advisory_id, alias_group, head, entries)
    select ${SHARED}, ecosystem, package_name, advisory_id, alias_group, head, entries from unnest(
      ${packages.map((each) => each.ecosystem)}::text[], ${packages.map((each) => each.packageName)}::text[],
      ${packages.map((each) => each.id)}::text[], ${packages.map((each) => each.aliasGroup)}::bigint[],
      ${packages.map((each) => jsonb(each.head))}::jsonb[], ${packages.map((each) => jsonb(each.entries))}::jsonb[])
      as given (ecosystem, package_name, advisory_id, alias_group, head, entries)`);
};

export interface PackageKey {
  readonly ecosystem: string;
  readonly packageName: string;
}

/** Advisories about packages, withdrawn ones included, each with its entries about that package. */
export const listAbout = (query: Query, keys: readonly PackageKey[]): Promise<AdvisedPackage[]> =>
  query.list(
    advised,
    sql`/* scanner.advisory_packages.listAbout */
    select p.ecosystem, p.package_name, p.alias_group, p.head, p.entries
    from unnest(${keys.map((key) => key.ecosystem)}::text[], ${keys.map((key) => key.packageName)}::text[])
      as key (ecosystem, package_name)
    join scanner.advisory_packages p on p.tenant = ${SHARED} and p.ecosystem = key.ecosystem
      and p.package_name = key.package_name`,
  );

/** Some advisories, withdrawn ones included, each with those of the packages that it is about. */
export const listStates = (query: Query, ids: readonly string[], keys: readonly PackageKey[]) =>
  query.list(
    advisoryStates,
    sql`/* scanner.advisories.listStates */
    select a.id, a.withdrawn_at is not null as is_withdrawn, p.ecosystem, p.package_name
    from scanner.advisories a
    left join (scanner.advisory_packages p
      join unnest(${keys.map((key) => key.ecosystem)}::text[], ${keys.map((key) => key.packageName)}::text[])
        as key (ecosystem, package_name) on p.ecosystem = key.ecosystem and p.package_name = key.package_name)
      on p.tenant = ${SHARED} and p.advisory_id = a.id
    where a.tenant = ${SHARED} and a.id = any(${ids}::text[])`,
  );

/** Active advisories of alias groups, of every ecosystem. */
export const listOfGroups = (query: Query, groups: readonly bigint[]) =>
  query.list(
    heads,
    sql`/* scanner.advisories.listOfGroups */
    select alias_group, head from scanner.advisories
    where tenant = ${SHARED} and alias_group = any(${groups.map(String)}::bigint[]) and withdrawn_at is null`,
  );

/** Digest, size and newest date of all records of an ecosystem, its releases included. Year 1 is the date of a record without one. */
export const stateOf = (tx: Tx, family: string) =>
  tx.get(
    states,
    sql`/* scanner.advisories.stateOf */
    select 'sha256:' || encode(sha256(convert_to('osv-feed/v1' || chr(10)
        || coalesce(string_agg(a.id || ' ' || a.digest || chr(10), '' order by a.id collate "C"), ''), 'UTF8')), 'hex') as digest,
      count(*) as records, max(a.modified) filter (where a.modified > timestamptz 'epoch') as modified
    from scanner.advisories a
    where a.tenant = ${SHARED} and exists (
      select from scanner.advisory_packages p
      where p.tenant = ${SHARED} and split_part(p.ecosystem, ':', 1) = ${family} and p.advisory_id = a.id)`,
  );

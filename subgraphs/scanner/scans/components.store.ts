import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, count, id, integer, json, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { type Evaluation, OUTCOMES } from './evaluation.ts';

const components = table('scanner.components', {
  scanId: id('Scan'),
  n: integer,
  name: text,
  version: text.nullable(),
  purl: text.nullable(),
  componentKey: text.nullable(),
  ecosystem: text.nullable(),
  isDirect: boolean.nullable(),
  outcome: oneOf(...OUTCOMES),
  /** Ids of advisories that cannot be evaluated for the version. */
  inconclusive: json(Type.Array(Type.String())),
});

/** Component of a scan with its outcome. */
export type StoredComponent = RowOf<typeof components>;

/** Rows of one statement. */
const BATCH = 1_000;

/** Inserts the components of a scan with their outcomes. */
export const insertAll = async (
  tx: Tx,
  tenant: TenantId,
  scanId: Id<'Scan'>,
  evaluations: readonly Evaluation[],
): Promise<void> => {
  const rows = evaluations.map(({ component, ecosystem, outcome, inconclusive }) => {
    const { n, name, version, canonicalPurl: purl, componentKey, isDirect } = component;
    return {
      scanId,
      n,
      name,
      version,
      purl,
      componentKey,
      ecosystem,
      isDirect,
      outcome,
      inconclusive: [...inconclusive],
    };
  });
  for (let at = 0; at < rows.length; at += BATCH) await components.insertAll(tx, tenant, rows.slice(at, at + BATCH));
};

/** Gives the components of a scan the outcomes of its newest freeze; rows that stay as they are are not written. */
export const updateOutcomes = async (
  tx: Tx,
  tenant: TenantId,
  scanId: Id<'Scan'>,
  evaluations: readonly Evaluation[],
): Promise<void> => {
  for (let at = 0; at < evaluations.length; at += BATCH) {
    const rows = evaluations.slice(at, at + BATCH);
    await tx.run(sql`/* scanner.components.updateOutcomes */
      update scanner.components c
      set ecosystem = given.ecosystem, outcome = given.outcome, inconclusive = given.inconclusive
      from unnest(${rows.map((row) => row.component.n)}::integer[], ${rows.map((row) => row.ecosystem)}::text[],
        ${rows.map((row) => row.outcome)}::text[], ${rows.map((row) => jsonb(row.inconclusive))}::jsonb[])
        as given (n, ecosystem, outcome, inconclusive)
      where c.tenant = ${tenant} and c.scan_id = ${scanId} and c.n = given.n
        and (c.ecosystem, c.outcome, c.inconclusive) is distinct from (given.ecosystem, given.outcome, given.inconclusive)`);
  }
};

const isConclusive = sql`outcome = 'evaluated' and inconclusive = '[]'`;

/**
 * Components of a scan in the order of its bill.
 * @param filter whether they were evaluated against every advisory about them; all unless given
 */
export const listOfScan = (
  query: Query,
  tenant: TenantId,
  scanId: Id<'Scan'>,
  { conclusive }: { readonly conclusive?: boolean | undefined },
  page: { readonly after: number | undefined; readonly limit: number },
): Promise<StoredComponent[]> =>
  components.listWhere(
    query,
    'listOfScan',
    sql`tenant = ${tenant} and scan_id = ${scanId} and n > ${page.after ?? -1}::integer
      and (${conclusive ?? null}::boolean is null or (${isConclusive}) = ${conclusive ?? null}::boolean)
    order by n limit ${page.limit}`,
  );

const inconclusive = table('scanner.components inconclusive', { scanId: id('Scan'), count });

/** Number of evaluated components of each scan of which an advisory could not be evaluated. */
export const countInconclusive = (query: Query, tenant: TenantId, scanIds: readonly Id<'Scan'>[]) =>
  query.list(
    inconclusive,
    sql`/* scanner.components.countInconclusive */
    select s.id as scan_id, (
      select count(*) from scanner.components c
      where c.tenant = s.tenant and c.scan_id = s.id and c.outcome = 'evaluated' and c.inconclusive <> '[]') as count
    from scanner.scans s where s.tenant = ${tenant} and s.id = any(${scanIds}::uuid[])`,
  );

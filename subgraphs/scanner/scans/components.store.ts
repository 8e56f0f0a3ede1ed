import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { boolean, id, integer, json, oneOf, table, text } from '@landfall/kernel/db/table';
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

/** Rows of one statement. */
const BATCH = 5_000;

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

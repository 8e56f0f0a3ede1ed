import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, json, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { approvalSchema, CARRIED_KINDS } from './carried-statement.ts';

const columns = {
  id: id('KitStatement'),
  releaseId: id('Release'),
  kitDigest: text,
  kind: oneOf('approval', 'policy'),
  /** Name of the environment where it was built, its id where no statement names it. */
  environment: text.nullable(),
  approvals: json(Type.Array(approvalSchema)),
  policy: text.nullable(),
  policyDigest: text.nullable(),
  decidedAt: text.nullable(),
  digest: text,
} as const;

const statements = table('airgap.carried_statements', columns, { noun: 'statement of a kit' });
const whole = table(
  'airgap.carried_statements.whole',
  { ...columns, kind: oneOf(...CARRIED_KINDS), bundle: text },
  { noun: 'statement of a kit' },
);

/** Approval or policy that came with a release. */
export type CarriedStatement = RowOf<typeof statements>;

export const { find, insertIfAbsent } = whole;

/** Approvals and policies of some releases, the earliest decision first. */
export const listShown = (query: Query, tenant: TenantId, releases: readonly Id<'Release'>[]) =>
  statements.listWhere(
    query,
    'listShown',
    sql`tenant = ${tenant} and release_id = any(${releases}::uuid[]) and kind <> 'other'
      order by release_id, kind, decided_at, id limit 10000`,
  );

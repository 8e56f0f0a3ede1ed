import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, count, id, instant, json, oneOf, text } from '@landfall/kernel/db/columns';
import type { Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { type CheckName, checkNames, type Verification } from '../bundle/verification.ts';

export type VerificationId = Id<'Verification'>;

const check = Type.Object({
  name: Type.Unsafe<CheckName>(Type.Enum([...checkNames])),
  result: Type.Enum(['pass', 'fail', 'skipped']),
  detail: Type.Optional(Type.String()),
});

const verifications = table('orchestrator.verifications', {
  id: id('Verification'),
  form: oneOf('reference', 'bundle', 'entry'),
  attestationId: id('Attestation').nullable(),
  verified: boolean,
  checks: json(Type.Array(check)),
  errorMessage: text.nullable(),
  logOrigin: text.nullable(),
  logIndex: count.nullable(),
  treeSize: count.nullable(),
  rootHash: text.nullable(),
  signedAt: instant.nullable(),
  verifiedAt: instant,
  verifiedBy: text,
});

/** Record of a requested verification and its result. */
export type VerificationRecord = RowOf<typeof verifications>;

export interface NewVerification extends Pick<VerificationRecord, 'id' | 'form' | 'attestationId' | 'verifiedBy'> {
  readonly found: Verification;
}

export const insert = (tx: Tx, tenant: TenantId, values: NewVerification): Promise<VerificationRecord> => {
  const { verified, checks, details, log, signedAt, errorMessage } = values.found;
  const listed = checkNames.map((name) => ({ name, result: checks[name], detail: details[name] }));
  return tx.get(
    verifications,
    sql`/* orchestrator.verifications.insert */
    insert into orchestrator.verifications (tenant, id, form, attestation_id, verified, checks, error_message,
      log_origin, log_index, tree_size, root_hash, signed_at, verified_by)
    values (${tenant}, ${values.id}, ${values.form}, ${values.attestationId}, ${verified}, ${jsonb(listed)},
      ${errorMessage ?? null}, ${log?.origin ?? null}, ${log?.index ?? null}, ${log?.treeSize ?? null},
      ${log?.rootHash ?? null}, ${signedAt ?? null}, ${values.verifiedBy})
    returning ${verifications.columns}`,
  );
};

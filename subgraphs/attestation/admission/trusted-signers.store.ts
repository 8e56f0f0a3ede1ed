import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, oneOf, text, textArray } from '@landfall/kernel/db/columns';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

export type SignerId = Id<'TrustedSigner'>;

const columns = {
  id: id('TrustedSigner'),
  name: text,
  kind: oneOf('key', 'identity'),
  purposes: textArray,
  publicKey: text.nullable(),
  keyId: text.nullable(),
  issuer: text.nullable(),
  identity: text.nullable(),
  trustedRoot: text.nullable(),
  builderId: text.nullable(),
  createdAt: instant,
  version: integer,
};

const signers = table('orchestrator.trusted_signers', columns, {
  noun: 'trusted signer',
  live: sql`removed_at is null`,
  writes: { createdBy: text, removedAt: instant, removedBy: text },
});

export const { getLocked } = signers;

export type SignerRow = RowOf<typeof signers>;
export type NewSigner = Omit<SignerRow, 'createdAt' | 'version'>;

/** Lists the current trusted signers by name. */
export const list = (query: Query, tenant: TenantId): Promise<SignerRow[]> =>
  signers.listWhere(query, 'list', sql`tenant = ${tenant} and removed_at is null order by name`);

/** Finds the current signer with the same key, or the same issuer and identity. */
export const findSame = (query: Query, tenant: TenantId, values: NewSigner): Promise<SignerRow | undefined> =>
  signers.findWhere(
    query,
    'findSame',
    sql`tenant = ${tenant} and removed_at is null and kind = ${values.kind}
      and (key_id = ${values.keyId} or (issuer = ${values.issuer} and identity = ${values.identity}))`,
  );

/** Inserts a trusted signer. @throws Fault RES_ALREADY_EXISTS */
export const insert = (tx: Tx, tenant: TenantId, values: NewSigner, by: string): Promise<SignerRow> => {
  const inserted = signers.insert(tx, tenant, { ...values, createdBy: by });
  const exists = (message: string, details?: Readonly<Record<string, unknown>>) => () =>
    new Fault('RES_ALREADY_EXISTS', message, details);
  const { name } = values;
  const named = onConflict(
    inserted,
    'trusted_signers_name',
    exists(`A trusted signer with the name ${name} is already there.`, { name }),
  );
  // Two requests at the same moment: the rule finds every other case, and knows the other signer's name.
  const keyed = onConflict(named, 'trusted_signers_key', exists('This key is trusted already.'));
  return onConflict(keyed, 'trusted_signers_identity', exists('This identity is trusted already.'));
};

export const remove = (tx: Tx, tenant: TenantId, signer: SignerId, by: string) =>
  signers.update(tx, tenant, signer, { removedAt: sql`kernel.now()`, removedBy: by });

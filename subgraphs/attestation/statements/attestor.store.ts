import type { TenantId } from '@landfall/kernel/core/ids';
import { id, integer, tenantId } from '@landfall/kernel/db/columns';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { LoggedEntry } from '../log/transparency-log.ts';
import type { Timestamp } from '../timestamps/timestamp.ts';
import type { AttestationId } from './attestations.store.ts';

const due = table('orchestrator.attestations.due', { tenant: tenantId, id: id('Attestation') });

export type DueAttestation = RowOf<typeof due>;

/** Leases statements to sign and log. Across tenants, so by the system role. */
export const leaseDue = (tx: Tx, limit: number, leaseSeconds: number): Promise<DueAttestation[]> =>
  tx.list(
    due,
    sql`/* orchestrator.attestor.leaseDue */
    with due as (
      select tenant, id from orchestrator.attestations
      where attested_at is null and due_at <= kernel.now() and (lease_until is null or lease_until <= kernel.now())
      order by due_at, id limit ${limit}
      for update skip locked
    )
    update orchestrator.attestations as a set lease_until = kernel.now() + make_interval(secs => ${leaseSeconds})
    from due where a.tenant = due.tenant and a.id = due.id
    returning a.tenant, a.id`,
  );

export interface Signature {
  readonly keyId: string;
  readonly spki: Uint8Array;
  readonly signature: Uint8Array;
}

/** Stores a signature unless there is one: the first signature is the one to log. */
export const saveSignature = (tx: Tx, tenant: TenantId, attestation: AttestationId, values: Signature) =>
  tx.run(sql`/* orchestrator.attestor.saveSignature */
    update orchestrator.attestations
    set key_id = ${values.keyId}, spki = ${values.spki}, signature = ${values.signature}, signed_at = kernel.now()
    where tenant = ${tenant} and id = ${attestation} and signature is null`);

/** Deletes a signature that no verifier would accept, and its timestamp. Returns 0 if it was replaced or logged. */
export const dropSignature = (tx: Tx, tenant: TenantId, attestation: AttestationId, consumed: Uint8Array) =>
  tx.run(sql`/* orchestrator.attestor.dropSignature */
    update orchestrator.attestations
    set key_id = null, spki = null, signature = null, signed_at = null, timestamp_token = null, timestamped_at = null
    where tenant = ${tenant} and id = ${attestation} and signature = ${consumed} and attested_at is null`);

/** Stores a timestamp of that signature, unless there is one or the signature was replaced. */
export const saveTimestamp = (
  tx: Tx,
  tenant: TenantId,
  attestation: AttestationId,
  signature: Uint8Array,
  values: Timestamp,
): Promise<number> =>
  tx.run(sql`/* orchestrator.attestor.saveTimestamp */
    update orchestrator.attestations set timestamp_token = ${values.token}, timestamped_at = ${values.at}
    where tenant = ${tenant} and id = ${attestation} and timestamp_token is null and signature = ${signature}`);

const attested = table('orchestrator.attestations.attested', { version: integer });

export interface Logged {
  readonly origin: string;
  /** Signature of the bundle. */
  readonly signature: Uint8Array;
  readonly entry: LoggedEntry;
  readonly bundle: string;
}

/** Stores the log entry and returns the new version, or undefined if another worker logged or signed the statement. */
export const saveLogged = (
  tx: Tx,
  tenant: TenantId,
  attestation: AttestationId,
  { origin, signature, entry, bundle }: Logged,
) =>
  tx.find(
    attested,
    sql`/* orchestrator.attestor.saveLogged */
    update orchestrator.attestations set
      log_origin = ${origin}, log_index = ${entry.index}, log_body = ${entry.body}, tree_size = ${entry.treeSize},
      root_hash = ${entry.rootHash}, bundle = ${bundle}, attested_at = kernel.now(), attempts = attempts + 1,
      lease_until = null, last_error = null, version = version + 1
    where tenant = ${tenant} and id = ${attestation} and attested_at is null and signature = ${signature}
    returning version`,
  );

export const fail = (
  tx: Tx,
  tenant: TenantId,
  attestation: AttestationId,
  { error, waitSeconds }: { readonly error: string; readonly waitSeconds: number },
): Promise<number> =>
  tx.run(sql`/* orchestrator.attestor.fail */
    update orchestrator.attestations
    set attempts = attempts + 1, last_error = ${error}, due_at = kernel.now() + make_interval(secs => ${waitSeconds}),
      lease_until = null, version = version + 1
    where tenant = ${tenant} and id = ${attestation} and attested_at is null`);

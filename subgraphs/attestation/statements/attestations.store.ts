import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { bytes, count, id, instant, integer, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

export type AttestationId = Id<'Attestation'>;

export const attestationKinds = [
  'deployment',
  'verification_summary',
  'approval',
  'evidence',
  'observation',
  'scan',
] as const;

export type AttestationKind = (typeof attestationKinds)[number];

const columns = {
  id: id('Attestation'),
  kind: oneOf(...attestationKinds),
  /**
   * Id of the deployment or promotion; for evidence the release's id and the number of documents, for scans the release's
   * id and the hash of the scans.
   */
  subjectId: text,
  releaseId: id('Release'),
  environmentId: id('Environment').nullable(),
  deploymentId: id('Deployment').nullable(),
  predicateType: text,
  /** Number of approvals, evidence documents, targets or scanned components that it states. */
  extent: integer,
  /** Digest of the statement's bytes, with the prefix `sha256:`. */
  payloadDigest: text,
  createdAt: instant,
  /** SHA-256 of the signing key's SPKI, in hex. */
  keyId: text.nullable(),
  signedAt: instant.nullable(),
  timestampedAt: instant.nullable(),
  logOrigin: text.nullable(),
  logIndex: count.nullable(),
  treeSize: count.nullable(),
  rootHash: bytes.nullable(),
  /** Time of the log entry, from which the statement has a reference. */
  attestedAt: instant.nullable(),
  /** Time of the newest verification, if it passed. */
  verifiedAt: instant.nullable(),
  /**
   * Time of the newest verification, if a check failed; the reason is the first failure: a slug, a colon and a message.
   */
  refutedAt: instant.nullable(),
  refutedReason: text.nullable(),
  attempts: integer,
  dueAt: instant,
  lastError: text.nullable(),
  version: integer,
} as const;

const attestations = table('orchestrator.attestations', columns, { noun: 'attestation' });

const fullRows = table(
  'orchestrator.attestations.whole',
  {
    ...columns,
    payload: bytes,
    spki: bytes.nullable(),
    signature: bytes.nullable(),
    timestampToken: bytes.nullable(),
    logBody: bytes.nullable(),
    bundle: text.nullable(),
  },
  { noun: 'attestation' },
);

export const { find, listByIds: listWholeByIds } = fullRows;

/** Statement of the platform without its bytes, as in lists. */
export type Attestation = RowOf<typeof attestations>;

/** Statement of the platform with its bytes, signature and bundle. */
export type WholeAttestation = RowOf<typeof fullRows>;

/** Statement that is signed and logged, with its reference. */
export type Attested<A extends Attestation = Attestation> = A & {
  readonly keyId: string;
  readonly signedAt: Date;
  readonly logOrigin: string;
  readonly logIndex: number;
  readonly treeSize: number;
  readonly rootHash: Buffer;
  readonly attestedAt: Date;
};

export const isAttested = <A extends Attestation>(attestation: A): attestation is Attested<A> =>
  attestation.attestedAt !== null;

/** Finds the statement whose entry has this index in the log; undefined if it is another tenant's. */
export const findByLogIndex = (
  query: Query,
  tenant: TenantId,
  { origin, index }: { readonly origin: string; readonly index: number },
): Promise<WholeAttestation | undefined> =>
  fullRows.findWhere(
    query,
    'findByLogIndex',
    sql`tenant = ${tenant} and log_origin = ${origin} and log_index = ${index}`,
  );

export const findBySubject = (query: Query, tenant: TenantId, kind: AttestationKind, subjectId: string) =>
  attestations.findWhere(
    query,
    'findBySubject',
    sql`tenant = ${tenant} and kind = ${kind} and subject_id = ${subjectId}`,
  );

/** Lists those of these statements that are signed and logged. */
export const listAttested = async (query: Query, tenant: TenantId, ids: readonly AttestationId[]) => {
  const found = await attestations.listWhere(
    query,
    'listAttested',
    sql`tenant = ${tenant} and id = any(${ids}::uuid[]) and attested_at is not null`,
  );
  return found.filter((row) => isAttested(row));
};

/** Lists the statements of releases, of every kind and state, oldest first. */
export const listByReleases = (query: Query, tenant: TenantId, releases: readonly Id<'Release'>[]) =>
  attestations.listWhere(
    query,
    'listByReleases',
    sql`tenant = ${tenant} and release_id = any(${releases}::uuid[])
    order by release_id, created_at, id`,
  );

/** Lists the landing statements of these deployments, attested or not. */
export const listByDeployments = (query: Query, tenant: TenantId, deployments: readonly Id<'Deployment'>[]) =>
  attestations.listWhere(
    query,
    'listByDeployments',
    sql`tenant = ${tenant} and deployment_id = any(${deployments}::uuid[]) and kind = 'deployment'`,
  );

export interface NewAttestation
  extends Pick<
    Attestation,
    'id' | 'kind' | 'subjectId' | 'releaseId' | 'environmentId' | 'deploymentId' | 'predicateType' | 'extent'
  > {
  /** Canonical JSON, UTF-8. */
  readonly payload: Uint8Array;
}

/** Inserts a statement in the transaction of its event. Returns the number of rows, 0 if the statement exists. */
export const insert = (tx: Tx, tenant: TenantId, attestation: NewAttestation): Promise<number> =>
  tx.run(sql`/* orchestrator.attestations.insert */
    insert into orchestrator.attestations
      (tenant, id, kind, subject_id, release_id, environment_id, deployment_id, predicate_type, extent, payload,
        observe_at)
    values (${tenant}, ${attestation.id}, ${attestation.kind}, ${attestation.subjectId}, ${attestation.releaseId}, ${attestation.environmentId},
      ${attestation.deploymentId}, ${attestation.predicateType}, ${attestation.extent}, ${attestation.payload},
      case when ${attestation.kind}::text = 'deployment' then kernel.now() end)
    on conflict (tenant, kind, subject_id) do nothing`);

/** Records a successful verification of an attested statement. */
export const markVerified = (tx: Tx, tenant: TenantId, attestation: AttestationId) =>
  attestations.update(tx, tenant, attestation, {
    verifiedAt: sql`kernel.now()`,
    refutedAt: null,
    refutedReason: null,
  });

/** Records a failed verification of an attested statement: earlier successes no longer count. */
export const markRefuted = (tx: Tx, tenant: TenantId, attestation: AttestationId, refutedReason: string) =>
  attestations.update(tx, tenant, attestation, { verifiedAt: null, refutedAt: sql`kernel.now()`, refutedReason });

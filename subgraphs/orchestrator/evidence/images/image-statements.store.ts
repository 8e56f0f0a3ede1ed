import { type SignerPurpose, signerPurposes } from '@landfall/attestation/admission/signer';
import { type Judgement, statementStates } from '@landfall/attestation/admission/statement-judgement';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, bytes, count, id, instant, json, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';

type ReleaseId = Id<'Release'>;

const statements = table('orchestrator.image_statements', {
  releaseId: id('Release'),
  component: text,
  subject: text,
  statement: text,
  purpose: oneOf(...signerPurposes),
  predicateType: text,
  payloadDigest: text,
  summary: text,
  state: oneOf(...statementStates),
  reason: text.nullable(),
  /** Name under which the signer is trusted. */
  signer: text.nullable(),
  signedBy: text.nullable(),
  signedAt: instant.nullable(),
  logIndex: text.nullable(),
  readAt: instant,
  /** Whether the signer is no longer trusted; the statement then counts as missing, whatever its state. */
  isForsaken: boolean,
});

/** Statement about a component's image for one purpose, as judged when it was read. */
export type ImageStatement = RowOf<typeof statements>;

/** Lists statements without their bytes, by component, purpose, and then in the order of storage. */
export const listByReleases = (query: Query, tenant: TenantId, releases: readonly ReleaseId[]) =>
  query.list(
    statements,
    sql`/* orchestrator.image_statements.listByReleases */
    select s.release_id, s.component, s.subject, s.statement, s.purpose, s.predicate_type, s.payload_digest, s.summary,
      s.state, s.reason, t.name as signer, s.signed_by, s.signed_at, s.log_index, s.read_at, t.removed_at is not null as is_forsaken
    from orchestrator.image_statements as s
    left join orchestrator.trusted_signers as t on t.tenant = ${tenant} and t.id = s.signer_id
    where s.tenant = ${tenant} and s.release_id = any(${releases}::uuid[])
    order by s.release_id, s.component, s.purpose, s.subject, s.statement`,
  );

const sources = table('orchestrator.image_statements.sources', {
  releaseId: id('Release'),
  component: text,
  uri: text,
  revision: text,
});

/** Commit of a component that provenance names. */
export type ImageSource = RowOf<typeof sources>;

/** Lists the commit of each component that provenance of a trusted signer names; proven before signed. */
export const listSources = (query: Query, tenant: TenantId, releases: readonly ReleaseId[]) =>
  query.list(
    sources,
    sql`/* orchestrator.image_statements.listSources */
    select distinct on (s.release_id, s.component) s.release_id, s.component, coalesce(s.source_uri, '') as uri,
      coalesce(s.source_revision, '') as revision
    from orchestrator.image_statements as s
    join orchestrator.trusted_signers as t on t.tenant = ${tenant} and t.id = s.signer_id and t.removed_at is null
    where s.tenant = ${tenant} and s.release_id = any(${releases}::uuid[])
      and s.state <> 'missing' and s.source_revision is not null
    order by s.release_id, s.component, s.purpose = 'source' desc, s.state = 'proven' desc, s.subject, s.statement`,
  );

const raw = table('orchestrator.image_statements.raw', {
  component: text,
  subject: text,
  statement: text,
  format: oneOf('bundle', 'signature', 'envelope'),
  content: bytes,
  annotations: json(Type.Record(Type.String(), Type.String())),
  predicateType: text,
});

/** Statement with its bytes as fetched from the registry. */
export type RawImageStatement = RowOf<typeof raw>;

const listed = table('orchestrator.image_statements.listed', {
  component: text,
  subject: text,
  statement: text,
  format: oneOf('bundle', 'signature', 'envelope'),
  predicateType: text,
  /** Size in bytes, with annotations. */
  size: count,
  /** Whether its signature was valid for any purpose. */
  isSigned: boolean,
});

/** Statement without its bytes, with the total number of statements. */
export type ListedImageStatement = RowOf<typeof listed>;

/** Lists the statements attached to a release's images, each once, without their bytes. */
export const listByRelease = (query: Query, tenant: TenantId, release: ReleaseId) =>
  query.list(
    listed,
    sql`/* orchestrator.image_statements.listByRelease */
    select component, subject, statement, min(format) as format, min(predicate_type) as predicate_type,
      max(octet_length(content) + octet_length(annotations::text))::bigint as size,
      bool_or(state <> 'missing') as is_signed
    from orchestrator.image_statements
    where tenant = ${tenant} and release_id = ${release}
    group by component, subject, statement
    order by component, subject, statement`,
  );

/** Lists these statements with their bytes, for the archive. */
export const listRaw = (
  query: Query,
  tenant: TenantId,
  release: ReleaseId,
  keys: readonly Pick<RawImageStatement, 'component' | 'subject' | 'statement'>[],
) =>
  query.list(
    raw,
    sql`/* orchestrator.image_statements.listRaw */
    select distinct on (component, subject, statement) ${raw.columns} from orchestrator.image_statements
    where tenant = ${tenant} and release_id = ${release} and (component, subject, statement) in (
      select * from unnest(${keys.map((each) => each.component)}::text[], ${keys.map((each) => each.subject)}::text[],
        ${keys.map((each) => each.statement)}::text[]))
    order by component, subject, statement`,
  );

/** Deletes the statements of earlier readings. */
export const clear = (tx: Tx, tenant: TenantId, release: ReleaseId) =>
  statements.removeWhere(tx, 'clear', sql`tenant = ${tenant} and release_id = ${release}`);

export const insert = (
  tx: Tx,
  tenant: TenantId,
  component: { readonly releaseId: ReleaseId; readonly component: string; readonly purpose: SignerPurpose },
  { attachment, signer, ...values }: Judgement,
) =>
  tx.run(sql`/* orchestrator.image_statements.insert */
    insert into orchestrator.image_statements
      (tenant, release_id, component, subject, statement, purpose, format, content, annotations, predicate_type,
        payload_digest, summary, state, reason, signer_id, signed_by, signed_at, log_index, source_uri, source_revision)
    values (${tenant}, ${component.releaseId}, ${component.component}, ${attachment.subject}, ${attachment.id},
      ${component.purpose}, ${attachment.format}, ${attachment.content}, ${jsonb(attachment.annotations)}::jsonb,
      ${values.type}, ${values.payloadDigest}, ${values.summary}, ${values.state}, ${values.reason}, ${signer?.id ?? null},
      ${values.signedBy}, ${values.signedAt}, ${values.logIndex}, ${values.source?.uri ?? null}, ${values.source?.id ?? null})`);

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Caller, Who } from '@landfall/kernel/core/caller';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, type TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps, EvidenceDocument } from '@landfall/kernel/module';
import { freeText, oneOf, patterned } from '@landfall/kernel/operation/input';
import { admit, type OperationSpec } from '@landfall/kernel/operation/operation';
import { failpoint } from '@landfall/kernel/system/failpoint';
import Type, { type Static } from 'typebox';
import { MAX_CONTENT_BYTES } from '../content/bounded-json.ts';
import { type ReadContent, readContent } from '../content/read-content.ts';
import { MAX_BOM_REF_BYTES, MAX_SERIAL_BYTES } from '../content/storable-facts.ts';
import { objectKey } from '../objects/object-key.ts';
import { lockObject } from '../objects/object-lock.ts';
import { moveMarkOf } from '../objects/object-moves.ts';
import { type ObjectStore, once, type StagedFile } from '../objects/object-store.ts';
import type { Staging } from '../objects/staging.ts';
import { ARTIFACT_TYPES } from '../shared/artifact-type.ts';
import { artifactIdOf, serialOf } from '../shared/identity.ts';
import { EVIDENCE_WRITE } from '../shared/scopes.ts';
import * as store from './artifacts.store.ts';
import * as references from './references.store.ts';
import * as subjects from './subjects.store.ts';

const record = eventsOf('Artifact');

/** Cost of a put: it writes and syncs a file. */
const COST = 10;

const descriptionFields = {
  bomRef: Type.Optional(freeText(1_000)),
  serialNumber: Type.Optional(freeText(500)),
  type: Type.Optional(oneOf(...ARTIFACT_TYPES)),
  contentType: Type.Optional(
    patterned('^[\\w.+-]+/[\\w.+-]+(?:;[ -~]*)?$', 'must be a media type, such as application/json', {
      maxLength: 200,
    }),
  ),
};

const putInput = Type.Object({
  ...descriptionFields,
  /** Bytes in base64. */
  content: Type.String({ maxLength: 1_398_104 }),
});

const receivedInput = Type.Object({
  ...descriptionFields,
  /** Receipt of bytes that came as a stream. */
  receipt: Type.String({ format: 'uuid' }),
});

/** Description that the sender of evidence gives; what is left out, the content says itself. */
type Description = Omit<Static<typeof putInput>, 'content'>;

interface PuttingDeps extends Pick<Deps, 'operation' | 'database'> {
  readonly objects: ObjectStore;
  readonly staging: Staging;
  /** Setting `Artifacts:Prefix`, without slashes at its ends. */
  readonly prefix: string;
  /** Setting `Artifacts:RetentionDays`. */
  readonly retentionDays: number;
}

const required = (field: string, message: string) => invalid([{ field, message, code: 'VAL_REQUIRED_FIELD' }]);

/** Refuses text that the index does not take. @throws Fault VAL_TOO_LONG */
const refuseLong = (field: string, text: string, bytes: number): void => {
  if (Buffer.byteLength(text) > bytes)
    throw invalid([{ field, message: `must be at most ${bytes} bytes of UTF-8`, code: 'VAL_TOO_LONG' }]);
};

/** Bytes of base64 text in its canonical form. @throws Fault VAL_INVALID_FORMAT */
const decoded = (content: string): Buffer => {
  const bytes = Buffer.from(content, 'base64');
  if (bytes.toString('base64') === content) return bytes;
  throw invalid([{ field: 'content', message: 'is not base64', code: 'VAL_INVALID_FORMAT' }]);
};

/** Facts of staged bytes; those that are too large to read are evidence without subjects. */
const factsOf = async ({ path, sizeBytes }: StagedFile): Promise<ReadContent> =>
  readContent(sizeBytes > MAX_CONTENT_BYTES ? Buffer.alloc(MAX_CONTENT_BYTES + 1) : await readFile(path));

/** Creates the door for evidence: bytes are staged, placed under their key, then entered in the index. */
export const createPutting = ({ operation, database, objects, staging, prefix, retentionDays }: PuttingDeps) => {
  /** Staged bytes of calls under way. */
  const receipts = new Map<string, StagedFile & { readonly tenant: TenantId }>();

  /** Takes the bytes of a receipt, which is good for one call. */
  const receivedOf = (tenant: TenantId, receipt: string): StagedFile => {
    const staged = receipts.get(receipt);
    if (staged?.tenant === tenant) {
      receipts.delete(receipt);
      return staged;
    }
    throw new Fault('RES_NOT_FOUND', 'These bytes were not received, or are put already.', { id: receipt });
  };

  /** The row to insert, from what the sender says and the content states. */
  const rowOf = async (who: Who, description: Description, staged: StagedFile) => {
    const facts = await factsOf(staged);
    const bomRef = description.bomRef ?? facts.bomRef;
    if (bomRef === undefined)
      throw required('bomRef', 'is required, since the content names none: what the evidence is about');
    const serialNumber = description.serialNumber ?? facts.serialNumber ?? serialOf(staged.sha256);
    refuseLong('bomRef', bomRef, MAX_BOM_REF_BYTES);
    refuseLong('serialNumber', serialNumber, MAX_SERIAL_BYTES);
    const artifactId = artifactIdOf(who.tenant, { bomRef, serialNumber, sha256: staged.sha256 });
    const row = {
      artifactId,
      artifactType: description.type ?? facts.type,
      storageKey: objectKey({ prefix, bomRef, serialNumber, artifactId }),
      bomRef,
      serialNumber,
      sha256: staged.sha256,
      sizeBytes: staged.sizeBytes,
      contentType: description.contentType ?? facts.contentType,
      contentNote: facts.note,
      signature: facts.signature ?? null,
      createdBy: who.subject,
    };
    return { row, facts };
  };

  /** Puts the object unless the index has the artifact. @throws Fault VAL_*, SYS_STORAGE_ERROR */
  const place = async (who: Who, description: Description, staged: StagedFile) => {
    try {
      const { row, facts } = await rowOf(who, description, staged);
      const { known, mark } = await database.read(who.tenant, async (query) => ({
        known: await store.find(query, who.tenant, row.artifactId),
        mark: await moveMarkOf(query, row.artifactId),
      }));
      // The prefix may have changed since.
      const storageKey = known?.storageKey ?? row.storageKey;
      const isThere = known?.corruptAt === null && (await objects.stat(storageKey))?.sizeBytes === row.sizeBytes;
      if (!isThere) await objects.put(storageKey, staged);
      await failpoint('artifacts.put.unindexed');
      const isHealed = known !== undefined && !isThere;
      return { row: { ...row, storageKey }, facts, isPlaced: !isThere, isHealed, mark };
    } finally {
      await staging.discard(staged);
    }
  };

  const enter = async (
    who: Who,
    tx: Tx,
    { row, facts, isPlaced, isHealed, mark }: Awaited<ReturnType<typeof place>>,
    referenced: EvidenceDocument['references'] = [],
  ) => {
    // From here to the end of the transaction nobody begins to move the object away.
    await lockObject(tx, row.storageKey);
    const known = isPlaced ? undefined : await store.find(tx, who.tenant, row.artifactId);
    const isMoved = mark === undefined || (await moveMarkOf(tx, row.artifactId)) !== mark;
    if (isMoved || (!isPlaced && known?.corruptAt !== null))
      throw new Fault('SYS_STORAGE_ERROR', 'The stored bytes changed while they were put. Put them again.');
    const artifact = await store.insertOrRestore(tx, who.tenant, row, { retentionDays, isHealed });
    await references.insertAll(tx, who.tenant, row.artifactId, referenced);
    if (!artifact) return { artifact: await store.get(tx, who.tenant, row.artifactId), isNew: false };
    const { artifactId, version, bomRef, artifactType, sha256, sizeBytes } = artifact;
    await subjects.replace(tx, who.tenant, artifactId, facts.subjects);
    const event = { id: artifactId, version };
    await record(tx, who, 'artifact.put', event, { bomRef, type: artifactType, sha256, sizeBytes });
    return { artifact, isNew: true };
  };

  /** Pipelines repeat it: the same evidence changes nothing, and so writes no event. */
  const common = {
    kind: 'write',
    isBeat: true,
    cost: COST,
    scope: EVIDENCE_WRITE,
  } as const;

  const put = operation({
    ...common,
    name: 'artifact.put',
    input: putInput,
    raises: ['SYS_STORAGE_ERROR'],
    example: { bomRef: 'pkg:oci/shop', content: Buffer.from('{}').toString('base64') },
    prepare: async (who, { content, ...description }) =>
      place(who, description, await staging.stage(once(decoded(content)))),
    run: (who, _input, tx, placed) => enter(who, tx, placed),
  });

  const receive = operation({
    ...common,
    name: 'artifact.receive',
    input: receivedInput,
    raises: ['RES_NOT_FOUND', 'SYS_STORAGE_ERROR'],
    example: { bomRef: 'pkg:oci/shop', receipt: exampleId('ArtifactReceipt') },
    prepare: (who, { receipt, ...description }) => place(who, description, receivedOf(who.tenant, receipt)),
    run: (who, _input, tx, placed) => enter(who, tx, placed),
  });

  /**
   * Stages bytes that come as a stream, for a caller who may put them, and returns their receipt.
   * @throws Fault PERM_*, BodyTooLarge
   */
  const stageStream = async (caller: Caller, chunks: AsyncIterable<Uint8Array>): Promise<string> => {
    const spec: OperationSpec = receive.spec;
    const { tenant } = admit(caller, spec);
    const receipt = randomUUID();
    receipts.set(receipt, { ...(await staging.stage(chunks)), tenant });
    return receipt;
  };

  /**
   * Puts evidence that comes as a stream.
   * @throws Fault PERM_*, VAL_*, BodyTooLarge
   */
  const putStream = async (caller: Caller, description: unknown, chunks: AsyncIterable<Uint8Array>) => {
    const receipt = await stageStream(caller, chunks);
    try {
      return await receive(caller, { ...Object(description), receipt });
    } finally {
      const staged = receipts.get(receipt);
      receipts.delete(receipt);
      if (staged) await staging.discard(staged);
    }
  };

  /**
   * Puts a document of the platform itself, with the things that it is evidence of.
   * @throws Fault VAL_* for a document that can never be put
   */
  const putDocument = async (who: Who, document: EvidenceDocument): Promise<void> => {
    const { content, references: referenced, ...description } = document;
    const placed = await place(who, description, await staging.stage(once(Buffer.from(content))));
    await database.write(who.tenant, (tx) => enter(who, tx, placed, referenced));
  };

  return { put, receive, stageStream, putStream, putDocument };
};

export type Putting = ReturnType<typeof createPutting>;

import { readFile } from 'node:fs/promises';
import type { Who } from '@landfall/kernel/core/caller';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps, EvidenceDocument } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { MAX_CONTENT_BYTES } from '../content/bounded-json.ts';
import { type ReadContent, readContent, TOO_LARGE } from '../content/read-content.ts';
import { MAX_BOM_REF_BYTES, MAX_SERIAL_BYTES } from '../content/storable-facts.ts';
import { subjectOf } from '../content/subject.ts';
import { objectKey } from '../objects/object-key.ts';
import { lockObject } from '../objects/object-lock.ts';
import { moveMarkOf } from '../objects/object-moves.ts';
import { type ObjectStore, once, type StagedFile } from '../objects/object-store.ts';
import type { Staging, SyncingFile } from '../objects/staging.ts';
import type { ArtifactType } from '../shared/artifact-type.ts';
import { type ArtifactId, artifactIdOf, serialOf } from '../shared/identity.ts';
import { EVIDENCE_ADMIN } from '../shared/scopes.ts';
import * as store from './artifacts.store.ts';
import * as references from './references.store.ts';
import * as subjects from './subjects.store.ts';

const record = eventsOf('Artifact');

/** Description that the sender of evidence gives; what is left out, the content says itself. */
interface Description {
  readonly bomRef?: string | undefined;
  /** Bom-ref of content that names none: then its serial number comes from its hash. */
  readonly fallbackBomRef?: string | undefined;
  readonly serialNumber?: string | undefined;
  readonly type?: ArtifactType | undefined;
  readonly contentType?: string | undefined;
}

/** Refusal of what a pipeline repeats after an administrator deleted it. */
const DELETED = 'An administrator deleted this evidence. Another administrator (orch:admin) may put it again.';

const mayRestore = ({ scopes }: Who): boolean => EVIDENCE_ADMIN.some((scope) => scopes.has(scope));

interface PlacingDeps extends Pick<Deps, 'database'> {
  readonly objects: ObjectStore;
  readonly staging: Pick<Staging, 'stage' | 'discard'>;
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

/** Refuses a type other than the one that the content itself shows. @throws Fault VAL_INVALID_VALUE */
const refuseOther = (type: ArtifactType | undefined, facts: ReadContent): void => {
  if (type === undefined || type === facts.type || !facts.isKnown) return;
  const message = `is not ${type}: the content is recognised as ${facts.type}. Leave the type out.`;
  throw invalid([{ field: 'type', message, code: 'VAL_INVALID_VALUE' }]);
};

/** Facts of staged bytes; those that are too large to read are evidence without subjects. */
const factsOf = async ({ path, sizeBytes, bytes }: SyncingFile): Promise<ReadContent> =>
  sizeBytes > MAX_CONTENT_BYTES ? TOO_LARGE : readContent(bytes ?? (await readFile(path)));

/** Creates the placing of staged bytes under their key, and their entry in the index. */
export const createPlacing = ({ database, objects, staging, prefix, retentionDays }: PlacingDeps) => {
  /** The row to insert, from what the sender says and the content states. */
  const rowOf = (
    who: Who,
    { fallbackBomRef, ...description }: Description,
    staged: Omit<StagedFile, 'path'>,
    facts: ReadContent,
  ) => {
    if (staged.sizeBytes === 0) throw required('content', 'is required: there are no bytes');
    refuseOther(description.type, facts);
    const stated = description.bomRef ?? facts.bomRef;
    const bomRef = stated ?? fallbackBomRef;
    if (bomRef === undefined)
      throw required('bomRef', 'is required, since the content names none: what the evidence is about');
    const serialNumber =
      description.serialNumber ?? (stated === undefined ? undefined : facts.serialNumber) ?? serialOf(staged.sha256);
    refuseLong('bomRef', bomRef, MAX_BOM_REF_BYTES);
    refuseLong('serialNumber', serialNumber, MAX_SERIAL_BYTES);
    const artifactId = artifactIdOf(who.tenant, { bomRef, serialNumber, sha256: staged.sha256 });
    return {
      artifactId,
      artifactType: description.type ?? facts.type,
      isTypeGiven: description.type !== undefined && !facts.isKnown,
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
  };

  /** Puts the object unless the index has the artifact. @throws Fault VAL_*, SYS_STORAGE_ERROR */
  const place = async (who: Who, description: Description, staged: SyncingFile) => {
    try {
      const facts = await factsOf(staged);
      const row = rowOf(who, description, staged, facts);
      const { isDeleted, deletedBy, corruptAt, isMoving, mark, ...known } = await database.read(who.tenant, (query) =>
        store.getPlace(query, who.tenant, row.artifactId),
      );
      if (isDeleted && !mayRestore(who)) throw new Fault('RES_CONFLICT', DELETED, { id: row.artifactId, deletedBy });
      const isLive = isDeleted === false;
      // The prefix may have changed since.
      const storageKey = known.storageKey ?? row.storageKey;
      const isThere = isLive && corruptAt === null && (await objects.stat(storageKey))?.sizeBytes === row.sizeBytes;
      await staged.synced;
      await (isThere ? staging.discard(staged) : objects.put(storageKey, staged));
      await failpoint('artifacts.put.unindexed');
      const isHealed = isLive && !isThere;
      return { row: { ...row, storageKey }, facts, isPlaced: !isThere, isHealed, mark: isMoving ? undefined : mark };
    } catch (error) {
      await staging.discard(staged);
      throw error;
    }
  };

  const enter = async (
    who: Who,
    tx: Tx,
    { row, facts, isPlaced, isHealed, mark }: Awaited<ReturnType<typeof place>>,
    { references: referenced = [], images = [] }: Partial<EvidenceDocument> = {},
  ) => {
    // From the lock to the end of the transaction nobody begins to move the object away; the statements run in this order.
    const [, moveMark, known] = await Promise.all([
      lockObject(tx, row.storageKey),
      moveMarkOf(tx, row.artifactId),
      isPlaced ? undefined : store.find(tx, who.tenant, row.artifactId),
    ]);
    const isMoved = mark === undefined || moveMark !== mark;
    if (isMoved || (!isPlaced && known?.corruptAt !== null))
      throw new Fault('SYS_STORAGE_ERROR', 'The stored bytes changed while they were put. Put them again.');
    const artifact = await store.insertOrRestore(tx, who.tenant, row, {
      retentionDays,
      isHealed,
      mayRestore: mayRestore(who),
    });
    await references.insertAll(tx, who.tenant, row.artifactId, referenced);
    const imageSubjects = images.flatMap((image) => subjectOf('sha256', image.slice('sha256:'.length)));
    await subjects.insertAll(tx, who.tenant, row.artifactId, imageSubjects);
    if (!artifact) return { artifact: await store.get(tx, who.tenant, row.artifactId), isNew: false };
    const { artifactId, version, bomRef, artifactType, sha256, sizeBytes } = artifact;
    const event = { id: artifactId, version };
    await Promise.all([
      version > 1 && subjects.resetVerdicts(tx, who.tenant, artifactId),
      subjects.insertAll(tx, who.tenant, artifactId, facts.subjects),
      record(tx, who, 'artifact.put', event, { bomRef, type: artifactType, sha256, sizeBytes }),
    ]);
    return { artifact, isNew: true };
  };

  /**
   * Puts a document of the platform itself, with the things that it is evidence of.
   * @throws Fault VAL_* for a document that can never be put
   */
  const putDocument = async (who: Who, document: EvidenceDocument): Promise<void> => {
    const { content, bomRef, serialNumber } = document;
    const placed = await place(who, { bomRef, serialNumber }, await staging.stage(once(Buffer.from(content))));
    await database.write(who.tenant, (tx) => enter(who, tx, placed, document));
  };

  /** Artifact of an id; undefined if there is none. */
  const find = (tenant: TenantId, id: ArtifactId) => database.read(tenant, (query) => store.find(query, tenant, id));

  return { rowOf, find, place, enter, putDocument };
};

export type Placing = ReturnType<typeof createPlacing>;

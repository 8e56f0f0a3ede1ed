import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId } from '@landfall/kernel/core/ids';
import type { Digest } from '@landfall/kernel/crypto/digest';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import type { ObjectStore } from '../objects/object-store.ts';
import { CorruptObject, verifiedBytes } from '../objects/verified-reading.ts';
import type { ArtifactId } from '../shared/identity.ts';
import { EVIDENCE_READ } from '../shared/scopes.ts';
import * as store from './artifacts.store.ts';

/** Artifact whose bytes are being read. */
interface ReadArtifact {
  readonly artifactId: ArtifactId;
  readonly sha256: Digest;
  readonly size: number;
  readonly mediaType: string;
  /** Key of the object, which is its path in an archive. */
  readonly path: string;
  /** Its bytes; ends in SYS_STORAGE_ERROR before the last chunk if they are not those of the index. */
  readonly stream: AsyncIterable<Uint8Array>;
}

const storageFault = (message: string, artifactId: string, cause?: unknown): Fault =>
  new Fault('SYS_STORAGE_ERROR', message, { id: artifactId }, [], { cause });

async function* refusing(
  bytes: AsyncIterable<Uint8Array>,
  artifactId: string,
  onDamage: () => Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    if (!(error instanceof CorruptObject)) throw error;
    await onDamage();
    throw storageFault('The stored bytes of this artifact are not those that were put.', artifactId, error);
  }
}

/** Creates the reading of artifacts' bytes, which hashes them again each time. */
export const createReading = ({
  operation,
  database,
  objects,
}: Pick<Deps, 'operation' | 'database'> & { readonly objects: ObjectStore }) => {
  /** Has the scrubber read an artifact next whose bytes were found changed or gone. */
  const doubt = (tenant: TenantId, artifactId: string): Promise<unknown> =>
    database.write(tenant, (tx) => store.doubt(tx, tenant, artifactId));

  /** @throws Fault RES_NOT_FOUND, SYS_STORAGE_ERROR */
  const readArtifact = async (tenant: TenantId, artifactId: ArtifactId): Promise<ReadArtifact> => {
    const artifact = await database.read(tenant, (query) => store.get(query, tenant, artifactId));
    const { sha256, sizeBytes, storageKey: path, contentType: mediaType } = artifact;
    const object = await objects.open(path);
    if (!object) {
      await doubt(tenant, artifactId);
      throw storageFault('The object of this artifact is missing.', artifactId);
    }
    const bytes = verifiedBytes(object, { sha256, sizeBytes });
    const stream = refusing(bytes, artifactId, () => doubt(tenant, artifactId));
    return { artifactId, sha256, size: sizeBytes, mediaType, path, stream };
  };

  /** Bytes of an artifact, for its download. */
  const content = operation({
    name: 'artifact.read',
    kind: 'read',
    scope: EVIDENCE_READ,
    input: Type.Object({ id: idOf('Artifact') }),
    raises: ['RES_NOT_FOUND', 'SYS_STORAGE_ERROR'],
    example: { id: exampleId('Artifact') },
    isDetached: true,
    cost: 0,
    run: ({ tenant }, { id }) => readArtifact(tenant, id),
  });

  return { content, readArtifact, doubt };
};

export type Reading = ReturnType<typeof createReading>;

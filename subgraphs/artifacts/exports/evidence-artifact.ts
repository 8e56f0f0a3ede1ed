/** Artifact of a bundle as it was frozen: hash in hex, size in bytes, and its path in every export of the bundle. */
export interface FrozenArtifact {
  readonly artifactId: string;
  readonly artifactType: string;
  readonly bomRef: string;
  readonly serialNumber: string;
  readonly storageKey: string;
  readonly mediaType: string;
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  readonly createdAt: Date;
}

/** Source of artifacts' bytes. */
export interface ArtifactReader {
  /** Opens the bytes under a key; undefined if there are none any more. Not called in a transaction. */
  open(storageKey: string, size: number): Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** Artifact whose bytes are not those of its frozen hash and size. */
export class ArtifactChanged extends Error {
  override readonly name = 'ArtifactChanged';
  readonly artifactId: string;

  constructor(artifactId: string) {
    super(`The artifact ${artifactId} is not as it was when its bundle was made.`);
    this.artifactId = artifactId;
  }
}

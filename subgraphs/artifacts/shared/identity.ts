import { type Id, type TenantId, toId } from '@landfall/kernel/core/ids';
import { type Digest, sha256Bytes } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';

export type ArtifactId = Id<'Artifact'>;

/** UUID of version 8 (RFC 9562 5.8) from the first 16 bytes of a hash. */
const uuidOf = (hash: Buffer): string => {
  const bytes = Buffer.from(hash.subarray(0, 16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

/** Parts that make an artifact what it is: the same parts are the same artifact. */
interface ArtifactIdentity {
  readonly bomRef: string;
  readonly serialNumber: string;
  readonly sha256: Digest;
}

/** Id of an artifact: a name-based UUID over its tenant and its identity, so that a second put finds the first. */
export const artifactIdOf = (tenant: TenantId, { bomRef, serialNumber, sha256 }: ArtifactIdentity): ArtifactId =>
  toId(uuidOf(sha256Bytes(`artifact/v1\n${canonicalJson([tenant, bomRef, serialNumber, sha256])}`)), 'Artifact');

/** Serial number of evidence that has none of its own: a UUID from the hash of its bytes (spec 2.6). */
export const serialOf = (digest: Digest): string =>
  `urn:uuid:${uuidOf(Buffer.from(digest.slice('sha256:'.length), 'hex'))}`;

import Type from 'typebox';
import { count, digest, instant, nullable, uuid } from './parts.ts';

/** Spelling of the index (spec 2.6). */
export const artifactType = Type.Enum(['Sbom', 'Vex', 'DsseEnvelope', 'RekorProof', 'Verdict', 'Other']);

export const artifact = Type.Object({
  artifactId: uuid,
  artifactType,
  bomRef: Type.String(),
  serialNumber: Type.String(),
  storageKey: Type.String(),
  sha256: digest,
  sizeBytes: count,
  contentType: Type.String(),
  createdAt: instant,
});

export const artifactPage = Type.Object({
  artifacts: Type.Array(artifact),
  continuationToken: nullable(Type.String()),
});

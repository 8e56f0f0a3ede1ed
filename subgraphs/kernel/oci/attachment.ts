import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { parseJson } from '../core/json.ts';
import { isStorable } from '../core/storable.ts';
import { type Digest, isDigest, sha256 } from '../crypto/digest.ts';
import { canonicalJson } from '../crypto/jcs.ts';

/** Format of a layer that is a signed statement. */
export type AttachmentFormat = 'bundle' | 'signature' | 'envelope';

/** Signed statement stored beside an image in a registry, unverified. */
export interface Attachment {
  /** Digest of its bytes and annotations: one payload that two keys have signed is two attachments. */
  readonly id: Digest;
  /** The image, index or platform manifest that it is attached to. */
  readonly subject: Digest;
  readonly format: AttachmentFormat;
  /** A Sigstore bundle (JSON), cosign's simple signing payload (JSON), or a DSSE envelope (JSON). */
  readonly content: Buffer;
  /** Annotations of cosign: signature, certificate, chain and log bundle, stored beside the payload. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** Attachments of an image, and in `unread` what could not be read, so that it is not taken for absent. */
export interface Attachments {
  readonly found: readonly Attachment[];
  readonly unread: readonly string[];
}

/** Limits on reading the attachments of one image, since everyone with push access can add some. */
export const bounds = {
  subjects: 33,
  pages: 8,
  referrers: 64,
  layers: 32,
  statements: 128,
  statementBytes: 1024 * 1024,
  annotationBytes: 64 * 1024,
  totalBytes: 16 * 1024 * 1024,
} as const;

/**
 * Names of cosign's annotations of a layer (cosign SIGNATURE_SPEC); other annotations do not belong to the statement.
 */
export const annotationKeys = {
  signature: 'dev.cosignproject.cosign/signature',
  certificate: 'dev.sigstore.cosign/certificate',
  chain: 'dev.sigstore.cosign/chain',
  bundle: 'dev.sigstore.cosign/bundle',
  timestamp: 'dev.sigstore.cosign/rfc3161timestamp',
} as const;

const COSIGN_ANNOTATIONS: ReadonlySet<string> = new Set(Object.values(annotationKeys));
const BUNDLE = /^application\/vnd\.dev\.sigstore\.bundle(?:\.v0\.\d\+json|\+json(?:;version=0\.\d)?)$/;
const SIMPLE_SIGNING = 'application/vnd.dev.cosign.simplesigning.v1+json';
const DSSE = 'application/vnd.dsse.envelope.v1+json';

/** Format of a layer by its media type; undefined for a layer that is no signed statement. */
export const formatOf = (mediaType: string): AttachmentFormat | undefined => {
  if (BUNDLE.test(mediaType)) return 'bundle';
  if (mediaType === SIMPLE_SIGNING) return 'signature';
  return mediaType === DSSE ? 'envelope' : undefined;
};

/** Artifact types that may hold signed statements; other types, such as SBOMs, charts and policies, are skipped. */
const SIGNED_ARTIFACTS: ReadonlySet<string> = new Set([
  '',
  SIMPLE_SIGNING,
  DSSE,
  'application/vnd.dev.cosign.artifact.sig.v1+json',
  'application/vnd.in-toto+json',
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.oci.empty.v1+json',
]);

/** Whether an artifact of this type may hold signed statements; one without a type may hold anything. */
export const mayBeSigned = (artifactType: string | undefined): boolean =>
  artifactType === undefined || SIGNED_ARTIFACTS.has(artifactType) || BUNDLE.test(artifactType);

const descriptor = Type.Object({
  mediaType: Type.String({ maxLength: 255 }),
  digest: Type.Unsafe<Digest>(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })),
  size: Type.Integer({ minimum: 0 }),
  artifactType: Type.Optional(Type.String({ maxLength: 255 })),
  annotations: Type.Optional(Type.Record(Type.String(), Type.String())),
});

/** Descriptor of a blob (OCI image-spec 1.1, descriptor.md). */
export type Descriptor = Static<typeof descriptor>;

const index = Compile(Type.Object({ manifests: Type.Array(descriptor) }));
const artifact = Compile(
  Type.Object({
    layers: Type.Array(descriptor),
    subject: Type.Optional(Type.Object({ digest: Type.String() })),
  }),
);

/** An artifact's manifest (OCI image-spec 1.1, manifest.md). */
interface Artifact {
  readonly layers: readonly Descriptor[];
  /** Image that it claims to be attached to; cosign's tags say it by their name. */
  readonly subject: Digest | undefined;
}

/** Descriptors of an image index (distribution-spec 1.1, listing referrers), undefined for other documents. */
export const readIndex = (bytes: Buffer): readonly Descriptor[] | undefined => {
  const document = parseJson(bytes);
  return index.Check(document) ? document.manifests : undefined;
};

/** Parses an artifact's manifest; undefined for other documents. */
export const readArtifact = (bytes: Buffer): Artifact | undefined => {
  const document = parseJson(bytes);
  if (!artifact.Check(document)) return undefined;
  const subject = document.subject?.digest;
  if (subject !== undefined && !isDigest(subject)) return undefined;
  return { layers: document.layers, subject };
};

/** Builds the attachment from a layer's bytes. */
export const attachmentOf = (
  subject: Digest,
  format: AttachmentFormat,
  { annotations: overrides = {} }: Descriptor,
  content: Buffer,
): Attachment => {
  const annotations = Object.fromEntries(
    Object.entries(overrides).filter(([name, value]) => COSIGN_ANNOTATIONS.has(name) && isStorable(value)),
  );
  const id = sha256(canonicalJson({ annotations, content: sha256(content), format }));
  return { id, subject, format, content, annotations };
};

import { Fault } from '@landfall/kernel/core/fault';
import { parseJson } from '@landfall/kernel/core/json';
import { type Digest, sha256 } from '@landfall/kernel/crypto/digest';
import { MANIFEST_TYPES } from '@landfall/kernel/oci/manifest';
import type { Blob, Document } from '@landfall/kernel/oci/registry-transfer';
import { digest as digestSchema } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

const descriptorSchema = Type.Object({
  mediaType: Type.String({ maxLength: 255 }),
  digest: Type.Unsafe<Digest>(digestSchema),
  size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  artifactType: Type.Optional(Type.String({ maxLength: 255 })),
  annotations: Type.Optional(Type.Record(Type.String(), Type.String())),
});

/** Descriptor of a manifest or blob (OCI image-spec 1.1, descriptor.md). */
type Descriptor = Static<typeof descriptorSchema>;

const list = Type.Array(descriptorSchema, { maxItems: 1_000 });

const documentSchema = Type.Object({
  mediaType: Type.Optional(Type.String({ maxLength: 255 })),
  artifactType: Type.Optional(Type.String({ maxLength: 255 })),
  manifests: Type.Optional(list),
  config: Type.Optional(descriptorSchema),
  layers: Type.Optional(list),
  subject: Type.Optional(descriptorSchema),
});

const validator = Compile(documentSchema);
const fits = (value: unknown): value is Static<typeof documentSchema> => validator.Check(value);

/** Manifest or index, with what it refers to. */
export interface OciDocument extends Document {
  readonly children: readonly Descriptor[];
  readonly blobs: readonly Blob[];
  readonly layers: readonly Descriptor[];
  readonly subject: Descriptor | undefined;
  readonly artifactType: string | undefined;
}

/** Reads a manifest or an index whose digest is known. @throws Fault kit_content_mismatch */
export const readDocument = (bytes: Buffer, expected: Digest, mediaType: string): OciDocument => {
  const refuse = (problem: string): Fault =>
    new Fault('kit_content_mismatch', `The manifest ${expected} ${problem}.`, { digest: expected });
  const actual = sha256(bytes);
  if (actual !== expected) throw refuse(`has the bytes of ${actual}`);
  const value = parseJson(bytes);
  if (!fits(value)) throw refuse('is neither an image manifest nor an index');
  const { manifests: children = [], config, layers = [], subject, artifactType = config?.mediaType } = value;
  if (children.length > 0 && layers.length > 0) throw refuse('claims to be both an image and an index');
  const own = value.mediaType ?? mediaType;
  if (!MANIFEST_TYPES.split(', ').includes(own)) throw refuse(`is of the unknown type ${own}`);
  const blobs = [...(config ? [config] : []), ...layers].map(({ digest, size }) => ({ digest, size }));
  return { digest: expected, mediaType: own, bytes, children, blobs, layers, subject, artifactType };
};

/** Reader of a document by its descriptor. */
type Fetch = (descriptor: Pick<Descriptor, 'digest' | 'mediaType'>) => Promise<OciDocument>;

const MAX_DEPTH = 4;

/** Documents below a manifest or an index, the deepest first, so that each comes after what it refers to. */
export const walk = async (
  fetch: Fetch,
  top: Pick<Descriptor, 'digest' | 'mediaType'>,
  depth = 0,
): Promise<readonly OciDocument[]> => {
  if (depth > MAX_DEPTH) throw new Fault('kit_content_mismatch', `The index ${top.digest} nests too deep.`);
  const document = await fetch(top);
  const below: OciDocument[] = [];
  for (const child of document.children) below.push(...(await walk(fetch, child, depth + 1)));
  return [...below, document];
};

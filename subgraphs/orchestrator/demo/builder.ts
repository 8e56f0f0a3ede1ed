import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256, sha256Hex } from '@landfall/kernel/crypto/digest';
import { pae } from '@landfall/kernel/crypto/dsse';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { DemoClient, DemoStage, DemoState } from '@landfall/kernel/demo/chapter';
import { writePrivate } from '@landfall/kernel/demo/private-file';
import { type Image, mediaTypes } from '@landfall/kernel/testing/oci-image';
import Type, { type Static } from 'typebox';
import { Parse } from 'typebox/value';
import type { Built, DemoRegistry } from './images.ts';

const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const PAYLOAD = 'application/vnd.in-toto+json';
const EMPTY = Buffer.from('{}');

/** Builder id in the provenance of the shop's images. */
export const BUILDER_ID = 'https://ci.shop.example/builders/quay';

/** Bundle that the builder pushed for an image. */
const statement = Type.Object({ repository: Type.String(), digest: Type.String(), bundle: Type.String() });

export interface Builder {
  /** PEM of the key that verifies the builder's statements. */
  readonly publicKey: string;
  /** Signs the provenance of an image, logs it, and pushes it beside the image. Later calls reuse the first result. */
  state(built: Built, submit: Submit): Promise<void>;
}

/** Submits an entry to the transparency log and returns the log's answer: the entry with its proof. */
export type Submit = (request: object) => Promise<object>;

/** Submits through `POST /tlog/api/v2/log/entries` (Rekor v2 API), as a client of the demo. */
export const submitAs =
  ({ baseUrl, authUrl }: DemoStage, client: DemoClient): Submit =>
  async (request) => {
    const granted = await fetch(new URL('/token', authUrl), {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'orch:operate' }),
    });
    const token = Parse(Type.Object({ access_token: Type.String() }), await granted.json());
    const answer = await fetch(new URL('/tlog/api/v2/log/entries', baseUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${token.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    if (answer.status !== 201) throw new Error(`The log answered ${answer.status}: ${await answer.text()}`);
    return Parse(Type.Object({}), await answer.json());
  };

/** Builds the SLSA provenance of an image: digest, source and builder (slsa.dev/spec/v1.0/provenance). */
const provenance = ({ repository, version, image }: Built): Buffer => {
  const source = `git+https://git.shop.example/${repository}.git@refs/tags/v${version}`;
  const gitCommit = createHash('sha1').update(source).digest('hex');
  return Buffer.from(
    canonicalJson({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: repository, digest: { sha256: image.digest.slice('sha256:'.length) } }],
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: {
        buildDefinition: {
          buildType: 'https://ci.shop.example/image/v1',
          externalParameters: { repository: source, version },
          resolvedDependencies: [{ uri: source, digest: { gitCommit } }],
        },
        runDetails: { builder: { id: BUILDER_ID } },
      },
    }),
  );
};

const spkiOf = (key: KeyObject): Buffer => createPublicKey(key).export({ type: 'spki', format: 'der' });

/** Builds a Sigstore bundle of the statement with the log's unmodified answer. */
const bundleOf = async (payload: Buffer, key: KeyObject, submit: Submit): Promise<string> => {
  const signed = pae(PAYLOAD, payload);
  const signature = sign('sha256', signed, key).toString('base64');
  const rawBytes = spkiOf(key).toString('base64');
  const hint = sha256Hex(spkiOf(key));
  const entry = await submit({
    hashedRekordRequestV002: {
      digest: createHash('sha256').update(signed).digest('base64'),
      signature: { content: signature, verifier: { publicKey: { rawBytes }, keyDetails: 'PKIX_ECDSA_P256_SHA_256' } },
    },
  });
  return canonicalJson({
    mediaType: BUNDLE,
    verificationMaterial: { publicKey: { hint }, tlogEntries: [entry] },
    dsseEnvelope: {
      payload: payload.toString('base64'),
      payloadType: PAYLOAD,
      signatures: [{ sig: signature, keyid: hint }],
    },
  });
};

/** Builds an artifact that refers to an image, with the index that registries without the referrers API list it by. */
const attachment = (subject: Image, bundle: Buffer): Image => {
  const [{ digest, mediaType, bytes }] = subject.manifests;
  const described = (type: string, content: Buffer) => ({
    mediaType: type,
    digest: sha256(content),
    size: content.length,
  });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      artifactType: BUNDLE,
      config: described('application/vnd.oci.empty.v1+json', EMPTY),
      layers: [described(BUNDLE, bundle)],
      subject: { mediaType, digest, size: bytes.length },
    }),
  );
  const index = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: mediaTypes.index,
      manifests: [{ ...described(mediaTypes.manifest, manifest), artifactType: BUNDLE }],
    }),
  );
  return {
    digest: sha256(index),
    manifests: [
      { digest: sha256(index), mediaType: mediaTypes.index, bytes: index },
      { digest: sha256(manifest), mediaType: mediaTypes.manifest, bytes: manifest },
    ],
    blobs: new Map([
      [sha256(EMPTY), EMPTY],
      [sha256(bundle), bundle],
    ]),
    platform: subject.platform,
  };
};

const newKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

interface Workshop {
  readonly memory: DemoState;
  readonly registry: DemoRegistry;
  /** Directory of the builder's statements, since the registry keeps them in memory only. */
  readonly directory: string;
}

/** Opens the builder of the shop's images with its key, and pushes the statements of earlier starts again. */
export const openBuilder = async ({ memory, registry, directory }: Workshop): Promise<Builder> => {
  const key = createPrivateKey(await memory.keep('builder', newKey()));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const stated = new Set<string>();

  const attach = ({ repository, digest, bundle }: Static<typeof statement>): void => {
    const built = registry.images.find((each) => each.repository === repository && each.image.digest === digest);
    if (!built) return;
    registry.push(repository, attachment(built.image, Buffer.from(bundle)), digest.replace(':', '-'));
    stated.add(digest);
  };

  for (const file of await readdir(directory))
    if (file.endsWith('.json')) attach(Parse(statement, JSON.parse(await readFile(join(directory, file), 'utf8'))));

  return {
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
    async state(built, submit) {
      const { repository, image } = built;
      if (stated.has(image.digest)) return;
      const created = { repository, digest: image.digest, bundle: await bundleOf(provenance(built), key, submit) };
      await writePrivate(join(directory, `${image.digest.replace(':', '-')}.json`), JSON.stringify(created));
      attach(created);
    },
  };
};

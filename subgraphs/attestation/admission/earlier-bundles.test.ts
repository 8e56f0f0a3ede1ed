import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { attached, bundleLayer, dsseBody, type Layer } from './layers.fixture.ts';
import { provenance1 } from './payloads.fixture.ts';
import type { Signer } from './signer.ts';
import { createKeys, IDENTITY, trusted } from './signers.fixture.ts';
import { createSigstore } from './sigstore.fixture.ts';
import { judge } from './statement-judgement.ts';

const image = sha256('image');
const sigstore = await createSigstore();
const leaf = await sigstore.fulcio.issue();
const byIdentity = trusted({ trustedRoot: sigstore.root() });
const payload = provenance1(image);

/** Builds a bundle in the format before v0.3, with the certificate at the head of a chain. */
const earlier = async (mediaType: string, change: (bundle: Record<string, unknown>) => unknown = () => undefined) => {
  const { content } = await bundleLayer(payload, leaf);
  const { dsseEnvelope } = JSON.parse(content.toString());
  const signature = Buffer.from(dsseEnvelope.signatures[0].sig, 'base64');
  const bundle = {
    mediaType,
    verificationMaterial: {
      x509CertificateChain: { certificates: [{ rawBytes: leaf.certificate.toString('base64') }] },
      tlogEntries: [await sigstore.oldEntry(dsseBody(payload, signature, Buffer.from(leaf.pem).toString('base64')))],
    },
    dsseEnvelope,
  };
  change(bundle);
  return { mediaType, content: Buffer.from(JSON.stringify(bundle)) };
};

const only = (layer: Layer, signers: readonly Signer[]) => {
  const [first] = judge([attached(image, layer)], signers);
  assert.ok(first);
  return first;
};

describe('a bundle of an earlier version', () => {
  for (const mediaType of [
    'application/vnd.dev.sigstore.bundle+json;version=0.1',
    'application/vnd.dev.sigstore.bundle+json;version=0.2',
  ])
    test(`is verified: ${mediaType}`, async () => {
      const good = only(await earlier(mediaType), [byIdentity]);
      assert.deepEqual([good.reason, good.state, good.logIndex, good.signedBy], [null, 'proven', '4711', IDENTITY]);

      const forged = await earlier(mediaType, (bundle) =>
        Object.assign(bundle, {
          dsseEnvelope: {
            ...JSON.parse(JSON.stringify(bundle.dsseEnvelope)),
            payload: provenance1(image, 'https://elsewhere.example').toString('base64'),
          },
        }),
      );
      const refused = only(forged, [byIdentity]);
      assert.deepEqual([refused.status, refused.state], ['fail', 'missing']);
      assert.match(refused.reason ?? '', /^(signature|log): /);
    });

  test('is malformed where its material cannot be read', async () => {
    const layer = await earlier('application/vnd.dev.sigstore.bundle+json;version=0.1', (bundle) =>
      Object.assign(bundle, { verificationMaterial: {} }),
    );
    assert.match(only(layer, [byIdentity]).reason ?? '', /^malformed: /);
  });
});

test('a bundle that signs a message is refused as that, with the digest of the message', async () => {
  const keys = createKeys();
  const { mediaType } = await bundleLayer(payload, keys);
  const digest = Buffer.alloc(32, 7);
  const content = Buffer.from(
    JSON.stringify({
      mediaType,
      verificationMaterial: { publicKey: { hint: 'a key' }, tlogEntries: [] },
      messageSignature: {
        messageDigest: { algorithm: 'SHA2_256', digest: digest.toString('base64') },
        signature: Buffer.alloc(70, 1).toString('base64'),
      },
    }),
  );
  const found = only({ mediaType, content }, [trusted({ keys })]);
  assert.equal(found.status, 'fail');
  assert.match(found.reason ?? '', new RegExp(`^format: the bundle signs a message \\(${digest.toString('hex')}\\)`));
});

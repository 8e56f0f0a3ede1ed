import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { mergeAttached } from './merge-attached.ts';

const mediaType = 'application/vnd.oci.image.manifest.v1+json';
const documentOf = (value: object) => {
  const bytes = Buffer.from(JSON.stringify(value));
  return { digest: sha256(bytes), mediaType, bytes };
};
const layer = (text: string, signature = text) => ({ digest: sha256(text), annotations: { signature } });

test('a site keeps its own signatures and referrers, and gets those of a kit besides', () => {
  for (const field of ['layers', 'manifests']) {
    const site = documentOf({ config: 'the site’s', [field]: [layer('a')] });
    const kit = documentOf({ config: 'the kit’s', [field]: [layer('a'), layer('b'), layer('a', 'another key')] });
    const merged = mergeAttached(site.bytes, kit);
    assert.deepEqual(JSON.parse(String(merged?.bytes)), {
      config: 'the site’s',
      [field]: [layer('a'), layer('b'), layer('a', 'another key')],
    });
    assert.equal(merged?.digest, sha256(merged?.bytes ?? ''));
    assert.equal(mergeAttached(kit.bytes, site), undefined, 'nothing is missing');
  }
});

test('what the site has of another kind stays', () => {
  assert.equal(mergeAttached(Buffer.from('{"manifests":[]}'), documentOf({ layers: [layer('a')] })), undefined);
  assert.equal(mergeAttached(Buffer.from('no JSON'), documentOf({ layers: [layer('a')] })), undefined);
});

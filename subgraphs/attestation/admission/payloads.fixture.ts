// Payloads that are signed: simple signing, in-toto statements, SLSA provenance of two versions.
import { type Digest, digestHex } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';

export const BUILDER = 'https://builders.example/trusted/v1';

export const COMMIT = 'c0ffee'.padEnd(40, '0');

export const simpleSigning = (digest: Digest): Buffer =>
  Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': 'registry.example/shop/web' },
        image: { 'docker-manifest-digest': digest },
        type: 'cosign container image signature',
      },
      optional: null,
    }),
  );

export const statementOf = (digest: Digest, predicateType: string, predicate: unknown): Buffer =>
  Buffer.from(
    canonicalJson({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'registry.example/shop/web', digest: { sha256: digestHex(digest) } }],
      predicateType,
      predicate,
    }),
  );

export const provenance1 = (digest: Digest, builderId = BUILDER): Buffer =>
  statementOf(digest, 'https://slsa.dev/provenance/v1', {
    buildDefinition: {
      buildType: 'https://builders.example/image/v1',
      externalParameters: {},
      resolvedDependencies: [{ uri: 'git+https://git.example/shop/web', digest: { gitCommit: COMMIT } }],
    },
    runDetails: { builder: { id: builderId } },
  });

export const provenance02 = (digest: Digest, builderId = BUILDER): Buffer =>
  Buffer.from(
    canonicalJson({
      _type: 'https://in-toto.io/Statement/v0.1',
      subject: [{ name: 'web', digest: { sha256: digestHex(digest) } }],
      predicateType: 'https://slsa.dev/provenance/v0.2',
      predicate: {
        builder: { id: builderId },
        buildType: 'https://builders.example/image/v0',
        invocation: { configSource: { uri: 'git+https://git.example/shop/web@main', digest: { sha1: COMMIT } } },
      },
    }),
  );

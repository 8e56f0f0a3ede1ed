import { createPublicKey } from 'node:crypto';
import { bundleFromJSON } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import Type from 'typebox';
import Value from 'typebox/value';

const trustDocument = Type.Object({
  trustedRoot: Type.Unknown(),
  keys: Type.Array(
    Type.Object({
      hint: Type.String(),
      rawBytes: Type.String(),
      validFor: Type.Object({ start: Type.String(), end: Type.Optional(Type.String()) }),
    }),
  ),
});

/**
 * Verifies a bundle as an independent client does: `@sigstore/verify` with default options, the published trusted root,
 * and the keys of trust.json by hint and period. No code of the platform is involved.
 * @throws VerificationError when the client refuses it
 */
export const verifyWithStockClient = (bundle: string, trustText: string): void => {
  const { trustedRoot, keys } = Value.Parse(trustDocument, JSON.parse(trustText));
  const material = toTrustMaterial(TrustedRoot.fromJSON(trustedRoot), (hint) => {
    const key = keys.find((each) => each.hint === hint);
    if (!key) throw new Error(`${hint} is not in trust.json`);
    const { start, end } = key.validFor;
    return {
      publicKey: createPublicKey({ key: Buffer.from(key.rawBytes, 'base64'), format: 'der', type: 'spki' }),
      validFor: (at) => new Date(start) <= at && (end === undefined || at <= new Date(end)),
    };
  });
  new Verifier(material).verify(toSignedEntity(bundleFromJSON(JSON.parse(bundle))));
};

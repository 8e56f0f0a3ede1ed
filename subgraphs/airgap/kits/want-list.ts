import { createPublicKey } from 'node:crypto';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Digest } from '@landfall/kernel/crypto/digest';
import { identityOf } from '@landfall/kernel/crypto/signing/local-signer';
import type { Signer } from '@landfall/kernel/crypto/signing/signer';
import type { Query } from '@landfall/kernel/db/query';
import { digest as digestSchema, instant } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { countSigners, documentsOf, documentText } from '../roots/signed-document.ts';
import * as store from './kits.store.ts';

const digest = Type.Unsafe<Digest>(digestSchema);

const wantListSchema = Type.Object(
  {
    tenant: Type.String(),
    createdAt: instant,
    /** Installed kit of each channel. */
    heads: Type.Array(
      Type.Object({ channel: Type.String(), sequence: Type.Integer(), digest }, { additionalProperties: false }),
      { maxItems: store.MAX_CHANNELS },
    ),
    /** Hashes of what installed kits brought, such as blobs of images. */
    contents: Type.Array(digest, { maxItems: store.MAX_HASHES }),
  },
  { additionalProperties: false },
);

/** List of what a site has, so that the next kit brings only what it lacks. */
export type WantList = Static<typeof wantListSchema>;

const wantLists = documentsOf({
  noun: 'want-list',
  payloadType: 'application/vnd.landfall.kit-want-list+json;version=1',
  schema: wantListSchema,
  maxBytes: 8_388_608,
});

const parsed = (text: string): Digest[] => [text].filter((each): each is Digest => each.startsWith('sha256:'));

/** Writes the want-list of a tenant. One that names fewer hashes leads to a larger kit, and to no wrong one. */
export const createWantList = async (
  query: Query,
  tenant: TenantId,
  createdAt: string,
  limit = store.MAX_HASHES,
): Promise<WantList> => {
  const active = await store.listActive(query, tenant);
  return {
    tenant,
    createdAt,
    heads: active.flatMap(({ channel, sequence, digest: own }) =>
      parsed(own).map((head) => ({ channel, sequence, digest: head })),
    ),
    contents: (await store.listContents(query, tenant, limit)).flatMap(parsed),
  };
};

export const signWantList = async (list: WantList, signer: Signer): Promise<string> =>
  documentText(await wantLists.sign(wantLists.draft(list), signer));

/** Reads a want-list without verifying it. @throws Fault VAL_* */
export const readUnverifiedWantList = wantLists.read;

/** Reads a want-list under the public key of its site, in PEM. @throws Fault kit_untrusted, VAL_* */
export const readWantList = (text: string, publicKeyPem: string): WantList => {
  const list = wantLists.read(text);
  if (countSigners(list, [identityOf(createPublicKey(publicKeyPem))]) === 1) return list.value;
  throw new Fault('kit_untrusted', 'The want-list is not signed by this key of the site.');
};

import type { Signer } from '@landfall/kernel/crypto/signing/signer';
import { digest, instant } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { documentsOf, documentText } from '../roots/signed-document.ts';
import { changesSchema } from './changes.ts';

const receiptSchema = Type.Object(
  {
    tenant: Type.String(),
    kitId: Type.String({ format: 'uuid' }),
    kitDigest: digest,
    channel: Type.String(),
    sequence: Type.Integer({ minimum: 1 }),
    changes: changesSchema,
    /** Anchored time at which it was signed. */
    anchoredAt: instant,
    /** Subject that asked for the import. */
    actor: Type.String(),
  },
  { additionalProperties: false },
);

const receipts = documentsOf({
  noun: 'receipt',
  payloadType: 'application/vnd.landfall.kit-receipt+json;version=1',
  schema: receiptSchema,
  maxBytes: 1_048_576,
});

/** Reads a receipt without verifying it. @throws Fault VAL_* */
export const readReceipt = receipts.read;

/** Signs the receipt of an installed kit, which a site hands back to whoever built it. */
export const signReceipt = async (receipt: Static<typeof receiptSchema>, signer: Signer): Promise<string> =>
  documentText(await receipts.sign(receipts.draft(receipt), signer));

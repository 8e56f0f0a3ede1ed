import { randomUUID } from 'node:crypto';
import { exactBase64 } from '@landfall/attestation/signature/signed-note';
import type { Caller } from '@landfall/kernel/core/caller';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, type TenantId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { freeText, oneOf, patterned } from '@landfall/kernel/operation/input';
import { admit, type OperationSpec } from '@landfall/kernel/operation/operation';
import Type from 'typebox';
import { once } from '../objects/object-store.ts';
import type { Staging, SyncingFile } from '../objects/staging.ts';
import { ARTIFACT_TYPES } from '../shared/artifact-type.ts';
import { EVIDENCE_WRITE } from '../shared/scopes.ts';
import type { Placing } from './placing.ts';

/** Cost of a put: it writes and syncs a file. */
const COST = 10;

const descriptionFields = {
  bomRef: Type.Optional(freeText(1_000)),
  serialNumber: Type.Optional(freeText(500)),
  type: Type.Optional(oneOf(...ARTIFACT_TYPES)),
  contentType: Type.Optional(
    patterned('^[\\w.+-]+/[\\w.+-]+(?:;[ -~]*)?$', 'must be a media type, such as application/json', {
      maxLength: 200,
    }),
  ),
};

const putInput = Type.Object({
  ...descriptionFields,
  /** Bytes in base64. */
  content: Type.String({ maxLength: 1_398_104 }),
});

const receivedInput = Type.Object({
  ...descriptionFields,
  /** Receipt of bytes that came as a stream. */
  receipt: Type.String({ format: 'uuid' }),
});

interface PuttingDeps extends Pick<Deps, 'operation'> {
  readonly placing: Placing;
  readonly staging: Staging;
}

/** Bytes of base64 text in its canonical form. @throws Fault VAL_INVALID_FORMAT */
const decoded = (content: string): Buffer => {
  const bytes = exactBase64(content);
  if (bytes) return bytes;
  throw invalid([{ field: 'content', message: 'is not base64', code: 'VAL_INVALID_FORMAT' }]);
};

/** Creates the operations that put evidence: bytes are staged, placed under their key, then entered in the index. */
export const createPutting = ({ operation, placing, staging }: PuttingDeps) => {
  const { place, enter } = placing;

  /** Staged bytes of calls under way. */
  const receipts = new Map<string, SyncingFile & { readonly tenant: TenantId }>();

  /** Takes the bytes of a receipt, which is good for one call. */
  const receivedOf = (tenant: TenantId, receipt: string): SyncingFile => {
    const staged = receipts.get(receipt);
    if (staged?.tenant === tenant) {
      receipts.delete(receipt);
      return staged;
    }
    throw new Fault('RES_NOT_FOUND', 'These bytes were not received, or are put already.', { id: receipt });
  };

  /** Pipelines repeat it: the same evidence changes nothing, and so writes no event. */
  const common = {
    kind: 'write',
    isBeat: true,
    cost: COST,
    scope: EVIDENCE_WRITE,
  } as const;

  const put = operation({
    ...common,
    name: 'artifact.put',
    input: putInput,
    raises: ['RES_CONFLICT', 'SYS_STORAGE_ERROR'],
    example: { bomRef: 'pkg:oci/shop', content: Buffer.from('{}').toString('base64') },
    prepare: async (who, { content, ...description }) =>
      place(who, description, await staging.stage(once(decoded(content)))),
    run: (who, _input, tx, placed) => enter(who, tx, placed),
  });

  const receive = operation({
    ...common,
    name: 'artifact.receive',
    input: receivedInput,
    raises: ['RES_NOT_FOUND', 'RES_CONFLICT', 'SYS_STORAGE_ERROR'],
    example: { bomRef: 'pkg:oci/shop', receipt: exampleId('ArtifactReceipt') },
    prepare: (who, { receipt, ...description }) => place(who, description, receivedOf(who.tenant, receipt)),
    run: (who, _input, tx, placed) => enter(who, tx, placed),
  });

  /**
   * Stages bytes that come as a stream, for a caller who may put them, and returns their receipt.
   * @throws Fault PERM_*, BodyTooLarge
   */
  const stageStream = async (caller: Caller, chunks: AsyncIterable<Uint8Array>): Promise<string> => {
    const spec: OperationSpec = receive.spec;
    const { tenant } = admit(caller, spec);
    const receipt = randomUUID();
    receipts.set(receipt, { ...(await staging.stage(chunks)), tenant });
    return receipt;
  };

  /**
   * Puts evidence that comes as a stream.
   * @throws Fault PERM_*, VAL_*, BodyTooLarge
   */
  const putStream = async (caller: Caller, description: unknown, chunks: AsyncIterable<Uint8Array>) => {
    const receipt = await stageStream(caller, chunks);
    try {
      return await receive(caller, { ...Object(description), receipt });
    } finally {
      const staged = receipts.get(receipt);
      receipts.delete(receipt);
      if (staged) await staging.discard(staged);
    }
  };

  return { put, receive, stageStream, putStream };
};

import { createPublicKey } from 'node:crypto';
import { signerKinds, signerPurposes } from '@landfall/attestation/admission/signer';
import { expectTrustedRoot, MAX_ROOT_BYTES, readPublicKey } from '@landfall/attestation/admission/trusted-material';
import * as store from '@landfall/attestation/admission/trusted-signers.store';
import { Fault, type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { freeText, oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { expectVersion } from '../../shared/expected-version.ts';
import { expectedVersion, label } from '../../shared/input.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { administers, reads } from '../../shared/scopes.ts';
import { rescheduleAll } from './image-readings.store.ts';

/** Limit of trusted signers in a tenant. */
const MAX_SIGNERS = 100;

const newSigner = Type.Object({
  name: label,
  kind: oneOf(...signerKinds),
  purposes: Type.Array(oneOf(...signerPurposes), { minItems: 1, maxItems: 3, uniqueItems: true }),
  publicKey: Type.Optional(Type.String({ minLength: 1, maxLength: 8192 })),
  issuer: Type.Optional(freeText(2048)),
  identity: Type.Optional(freeText(2048)),
  trustedRoot: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_ROOT_BYTES })),
  builderId: Type.Optional(freeText(2048)),
});

type SignerInput = Static<typeof newSigner>;

const exampleKey = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----`;

const needed = (field: string, kind: SignerInput['kind']): FieldFault => ({
  field,
  message: `is required where the kind is ${kind}`,
  code: 'VAL_REQUIRED_FIELD',
});

const needless = (field: string, kind: SignerInput['kind']): FieldFault => ({
  field,
  message: `has no place where the kind is ${kind}`,
  code: 'VAL_INVALID_VALUE',
});

const FIELDS = {
  key: { needs: ['publicKey'], never: ['issuer', 'identity'] },
  identity: { needs: ['issuer', 'identity', 'trustedRoot'], never: ['publicKey'] },
} as const;

/** Checks the fields of a kind of signer; throws VAL_REQUIRED_FIELD, or VAL_INVALID_VALUE for the other kind's. */
const expectFields = (overrides: SignerInput): void => {
  const { needs, never } = FIELDS[overrides.kind];
  const [first, ...others] = [
    ...needs.filter((field) => overrides[field] === undefined).map((field) => needed(field, overrides.kind)),
    ...never.filter((field) => overrides[field] !== undefined).map((field) => needless(field, overrides.kind)),
  ];
  if (first) throw invalid([first, ...others]);
};

/** Normalises a public key and computes its fingerprint, the SHA-256 of its SPKI; throws Fault VAL_*. */
const keyOf = (pem: string | undefined): Pick<store.NewSigner, 'publicKey' | 'keyId'> => {
  if (pem === undefined) return { publicKey: null, keyId: null };
  const key = readPublicKey(pem);
  const spki = key.export({ type: 'spki', format: 'der' });
  const text = createPublicKey({ key: spki, type: 'spki', format: 'der' }).export({ type: 'spki', format: 'pem' });
  return { publicKey: text.toString(), keyId: sha256Hex(spki) };
};

/** Converts the input of a signer; throws Fault VAL_*. */
const partsOf = (overrides: SignerInput): Omit<store.NewSigner, 'id'> => {
  expectFields(overrides);
  const { name, kind, purposes, publicKey, issuer, identity, trustedRoot, builderId } = overrides;
  const key = keyOf(publicKey);
  if (trustedRoot !== undefined) expectTrustedRoot(trustedRoot, kind === 'identity');
  return {
    name,
    kind,
    purposes,
    ...key,
    issuer: issuer ?? null,
    identity: identity ?? null,
    trustedRoot: trustedRoot ?? null,
    builderId: builderId ?? null,
  };
};

/** Refuses a key or identity that is trusted already, so that one removal ends it; throws RES_ALREADY_EXISTS. */
const expectNew = async (tx: Tx, tenant: TenantId, signer: store.NewSigner): Promise<void> => {
  const same = await store.findSame(tx, tenant, signer);
  if (!same) return;
  const { name, kind } = same;
  throw new Fault('RES_ALREADY_EXISTS', `This ${kind} is trusted already, as ${name}.`, { name });
};

/** Creates the operations on trusted signers of a tenant's images: public keys, and identities in certificates. */
export const createTrustedSigners = ({ operation, ids }: Deps) => ({
  list: operation({
    name: 'trustedSigner.list',
    kind: 'read',
    scope: reads,
    input: Type.Object({}),
    run: (caller, _input, query) => store.list(query, caller.tenant),
  }),

  create: operation({
    name: 'trustedSigner.create',
    kind: 'write',
    scope: administers,
    input: newSigner,
    raises: ['RES_ALREADY_EXISTS', 'RES_CONFLICT'],
    example: { name: 'Build key', kind: 'key', purposes: ['image', 'build'], publicKey: exampleKey },
    async run(caller, input, tx) {
      const parts = partsOf(input);
      const known = await store.list(tx, caller.tenant);
      if (known.length >= MAX_SIGNERS)
        throw new Fault('RES_CONFLICT', `${MAX_SIGNERS} signers are trusted already.`, { allowed: [] });
      const signerInput = { id: toId(ids.uuid(), 'TrustedSigner'), ...parts };
      await expectNew(tx, caller.tenant, signerInput);
      const signer = await store.insert(tx, caller.tenant, signerInput, caller.subject);
      await rescheduleAll(tx, caller.tenant);
      const { name, kind, purposes, keyId, issuer, identity } = signer;
      const data = { name, kind, purposes, keyId, issuer, identity };
      await publishEvent(tx, caller, 'trustedSigner.create', 'TrustedSigner', signer, data);
      return signer;
    },
  }),

  remove: operation({
    name: 'trustedSigner.remove',
    kind: 'write',
    scope: administers,
    input: Type.Object({ id: idOf('TrustedSigner'), expectedVersion }),
    raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT'],
    example: { id: exampleId('TrustedSigner'), expectedVersion: 1 },
    async run(caller, { id, expectedVersion: expected }, tx) {
      expectVersion(await store.getLocked(tx, caller.tenant, id), expected);
      const removed = await store.remove(tx, caller.tenant, id, caller.subject);
      await publishEvent(tx, caller, 'trustedSigner.remove', 'TrustedSigner', removed, { name: removed.name });
      return removed;
    },
  }),
});

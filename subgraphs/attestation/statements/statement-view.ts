import { sha256 } from '@landfall/kernel/crypto/digest';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { type Attestation, type Attested, isAttested, type WholeAttestation } from './attestations.store.ts';

const statements = Compile(
  Type.Object({
    subject: Type.Array(Type.Object({ name: Type.String(), digest: Type.Object({ sha256: Type.String() }) })),
  }),
);

const enveloped = Compile(Type.Object({ dsseEnvelope: Type.Object({ payload: Type.String({ minLength: 1 }) }) }));

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The bytes that were signed: once there is a bundle, only that holds them, whatever the row says beside it. */
const signedBytes = ({ payload, bundle }: Pick<WholeAttestation, 'payload' | 'bundle'>): Buffer => {
  const document = bundle === null ? undefined : parsed(bundle);
  return enveloped.Check(document) ? Buffer.from(document.dsseEnvelope.payload, 'base64') : payload;
};

/** A statement of ours as it is shown: its text and its hash, and what it is about. It is shown and not believed. */
export const statementOf = (row: Pick<WholeAttestation, 'payload' | 'bundle'>) => {
  const bytes = signedBytes(row);
  const text = bytes.toString();
  const statement = parsed(text);
  const subject = statements.Check(statement) ? statement.subject : [];
  return {
    text,
    digest: sha256(bytes),
    subjects: subject.map(({ name, digest }) => ({ name, digest: `sha256:${digest.sha256}` })),
  };
};

/** The Sigstore bundle of a statement that is in the log. */
export const bundleOf = ({ id, bundle }: Pick<WholeAttestation, 'id' | 'bundle'>): string => {
  if (bundle === null) throw new TypeError(`attestation ${id} has no bundle`);
  return bundle;
};

export const attestedOf = (attestations: readonly Attestation[]): Attested | undefined =>
  attestations.find((each) => isAttested(each));

export const attestingOf = (attestation: Attestation) => {
  const { attempts, lastError, dueAt } = attestation;
  if (isAttested(attestation)) return { state: 'attested', attempts, error: null, nextAttemptAt: null } as const;
  const state = lastError === null ? 'waiting' : 'retrying';
  return { state, attempts, error: lastError, nextAttemptAt: dueAt } as const;
};

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

/** Signed bytes of a statement: from the bundle once there is one, whatever the row holds beside it. */
const signedBytes = ({ payload, bundle }: Pick<WholeAttestation, 'payload' | 'bundle'>): Buffer => {
  const document = bundle === null ? undefined : parsed(bundle);
  return enveloped.Check(document) ? Buffer.from(document.dsseEnvelope.payload, 'base64') : payload;
};

/** View of a statement: its text, hash and subject, without verification. */
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

/** Sigstore bundle of a logged statement. */
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

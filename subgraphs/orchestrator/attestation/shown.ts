import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { type Attestation, type Attested, isAttested, type WholeAttestation } from './attestations.store.ts';

const validator = Compile(
  Type.Object({
    subject: Type.Array(Type.Object({ name: Type.String(), digest: Type.Object({ sha256: Type.String() }) })),
  }),
);

/** A statement of ours as it is shown: its text, and what it is about. */
export const statementOf = ({ payload }: Pick<WholeAttestation, 'payload'>) => {
  const text = payload.toString();
  const { subject } = validator.Parse(JSON.parse(text));
  return { text, subjects: subject.map(({ name, digest }) => ({ name, digest: `sha256:${digest.sha256}` })) };
};

/** The Sigstore bundle of a statement that is in the log. */
export const bundleOf = ({ id, bundle }: Pick<WholeAttestation, 'id' | 'bundle'>): string => {
  if (bundle === null) throw new TypeError(`attestation ${id} has no bundle`);
  return bundle;
};

/** The one of these that is signed and in the log. */
export const attestedOf = (attestations: readonly Attestation[]): Attested | undefined =>
  attestations.find((each) => isAttested(each));

/** How far a statement is on its way into the log. */
export const attestingOf = (attestation: Attestation) => {
  const { attempts, lastError, dueAt } = attestation;
  if (isAttested(attestation)) return { state: 'attested', attempts, error: null, nextAttemptAt: null } as const;
  const state = lastError === null ? 'waiting' : 'retrying';
  return { state, attempts, error: lastError, nextAttemptAt: dueAt } as const;
};

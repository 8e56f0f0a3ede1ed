import { setTimeout as pause } from 'node:timers/promises';
import { readSigned } from '@landfall/attestation/admission/read-signed';
import type { Signer } from '@landfall/attestation/admission/signer';
import { judge, type StatementState } from '@landfall/attestation/admission/statement-judgement';
import { verifySigned } from '@landfall/attestation/admission/verify-signed';
import { MalformedBundle, parseBundle } from '@landfall/attestation/bundle/parse-bundle';
import { MalformedTrust, parseTrust, type Trust } from '@landfall/attestation/bundle/trust';
import { signedStatement, verifyBundle } from '@landfall/attestation/bundle/verify-bundle';
import { type Statement, subjectDigests } from '@landfall/attestation/signature/statement';
import { Fault } from '@landfall/kernel/core/fault';
import type { Attachment } from '@landfall/kernel/oci/attachment';
import type { ImporterMeters } from './importer-meters.ts';

const TRIES = 3;
const PAUSE_MS = 100;

export const invalid = (name: string, problem: string): Fault =>
  new Fault('kit_attestation_invalid', `The attestation ${name} does not verify: ${problem}`, { attestation: name });

/** Reads the trust document of the platform that built a kit; the root of kits vouches for it. */
export const readTrust = (text: string): Trust => {
  try {
    return parseTrust(text);
  } catch (error) {
    if (!(error instanceof MalformedTrust)) throw error;
    throw invalid('trust.json', error.message);
  }
};

/** Statement of the platform whose signature, log inclusion and subject verify, or its problem. */
const statementOf = (text: string, trust: Trust, subjects: ReadonlySet<string>): Statement | string => {
  const { checks, details } = verifyBundle(text, trust);
  for (const check of ['signature', 'body', 'inclusion', 'checkpoint'] as const)
    if (checks[check] !== 'pass') return details[check] ?? `${check} did not pass`;
  if (checks.timestamp === 'fail') return details.timestamp ?? 'its timestamp is not valid';
  const statement = signedStatement(parseBundle(text), trust);
  if (statement && subjectDigests(statement).some((digest) => subjects.has(digest))) return statement;
  return 'it is about none of the images of the release';
};

/** Reason of a statement about another image than the one to which it is attached. */
const CONTRADICTION = 'subject: it is about another image';

/** Whether a signer that this site trusts made a statement, whatever it says. */
const isTrusted = (attachment: Attachment, signers: readonly Signer[]): boolean => {
  const signed = readSigned(attachment);
  return signers.length > 0 && typeof signed !== 'string' && typeof verifySigned(signed, signers) !== 'string';
};

/** Numbers of the statements attached to an image, by what this site knows of them. */
interface Attested {
  /** Signed by a trusted signer and included in a log. */
  readonly proven: number;
  /** Signed by a trusted signer, without a log that is known here. */
  readonly unlogged: number;
  readonly unknown: number;
}

/** Creates the offline checks of the attestations in a kit. Nothing outside is asked. */
export const createAttestationChecks = (meters: ImporterMeters) => {
  /** Repeats work that fails for another reason than its content, such as a file that cannot be read at the moment. */
  const retried = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++)
      try {
        return await work();
      } catch (error) {
        if (error instanceof Fault || error instanceof MalformedBundle || tries === TRIES) throw error;
        meters.retried();
        await pause(PAUSE_MS * tries);
      }
  };

  const timed = <T>(verify: () => T, isIncluded: (value: T) => boolean): T => {
    const started = performance.now();
    const value = verify();
    meters.verified((performance.now() - started) / 1_000, isIncluded(value));
    return value;
  };

  return {
    /** Verifies a statement of the platform that built the kit, and returns it with its text. @throws Fault kit_attestation_invalid */
    async statement(
      name: string,
      read: () => Promise<string>,
      { trust, subjects }: { readonly trust: Trust; readonly subjects: ReadonlySet<string> },
    ): Promise<{ readonly statement: Statement; readonly text: string }> {
      const text = await retried(read);
      const statement = timed(
        () => statementOf(text, trust, subjects),
        (found) => typeof found !== 'string',
      );
      if (typeof statement === 'string') throw invalid(name, statement);
      return { statement, text };
    },

    /**
     * Judges the statements attached to an image by the signers that this site trusts. One of a stranger, or one that
     * cannot be read, passes no gate here and is no reason to refuse the kit.
     * @throws Fault kit_attestation_invalid for one of a trusted signer that contradicts its image
     */
    attached(attachments: readonly Attachment[], signers: readonly Signer[]): Attested {
      const started = performance.now();
      const judgements = judge(attachments, signers);
      const seconds = (performance.now() - started) / 1_000 / Math.max(1, attachments.length);
      const wrong = judgements.find(
        ({ reason, attachment }) => reason === CONTRADICTION && isTrusted(attachment, signers),
      );
      if (wrong) throw invalid(wrong.attachment.id, CONTRADICTION);
      const idsOf = (state: StatementState) =>
        new Set(judgements.filter((each) => each.state === state).map(({ attachment }) => attachment.id));
      const [proven, signed] = [idsOf('proven'), idsOf('signed')];
      const all = new Set(attachments.map(({ id }) => id));
      for (const id of all) meters.verified(seconds, proven.has(id));
      const unlogged = signed.difference(proven).size;
      return { proven: proven.size, unlogged, unknown: all.size - proven.size - unlogged };
    },
  };
};

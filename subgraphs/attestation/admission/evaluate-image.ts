import { Fault } from '@landfall/kernel/core/fault';
import type { Digest } from '@landfall/kernel/crypto/digest';
import type { Attachments } from '@landfall/kernel/oci/attachment';
import { coverageOf } from './coverage.ts';
import { type Signer, signerPurposes } from './signer.ts';
import { type Judgement, judge } from './statement-judgement.ts';

type Status = 'pass' | 'fail' | 'unknown';

/** Finding about an image: a statement, or the absence of a required one. */
interface AdmissionFinding {
  readonly type: string;
  readonly status: Status;
  readonly signer: string | null;
  readonly detail: string;
}

/** Verdict about an image: its statements judged against the trusted signers. */
export interface ImageAdmission {
  readonly repository: string;
  readonly digest: Digest;
  readonly status: Status;
  readonly findings: readonly AdmissionFinding[];
  readonly checkedAt: Date;
}

export interface ReadImage {
  readonly repository: string;
  readonly digest: Digest;
  readonly platforms: readonly Digest[];
  /** Attachments, or the fault of a registry that could not be read. */
  readonly attachments: Attachments | Fault;
}

const findingOf = ({ type, status, signer, signedBy, summary, reason }: Judgement): AdmissionFinding => ({
  type,
  status,
  signer: signer ? `${signer.name} (${signedBy})` : null,
  detail: reason === null ? summary : `${summary}; ${reason}`,
});

const unknown = (type: string, detail: string): AdmissionFinding => ({ type, status: 'unknown', signer: null, detail });

/** Coverage of the image for each purpose that has a trusted signer. */
const requested = (
  image: ReadImage,
  judgements: readonly Judgement[],
  signers: readonly Signer[],
): AdmissionFinding[] =>
  signerPurposes
    .filter((purpose) => signers.some(({ purposes }) => purposes.has(purpose)))
    .map((purpose) => {
      const statements = judgements
        .filter((each) => each.purpose === purpose)
        .map(({ attachment: { subject }, state, reason }) => ({ subject, state, reason }));
      const { state, reason } = coverageOf(image, statements);
      const isCovered = state !== 'missing';
      const detail = isCovered ? `${purpose}: ${state}` : `${purpose}: ${reason ?? 'missing'}`;
      return { type: purpose, status: isCovered ? 'pass' : 'fail', signer: null, detail };
    });

/**
 * Rule of admission. An image passes when, for every purpose with a trusted signer, one of these signers made a valid
 * statement. Statements of other signers change nothing: otherwise everyone who may push could block a deployment. If
 * something could not be read, what is missing is unknown, and unknown is never a pass.
 */
export const evaluateImage = (image: ReadImage, signers: readonly Signer[], checkedAt: Date): ImageAdmission => {
  const { repository, digest, attachments } = image;
  const answer = (status: Status, findings: readonly AdmissionFinding[]): ImageAdmission => ({
    repository,
    digest,
    status,
    findings,
    checkedAt,
  });
  if (attachments instanceof Fault) return answer('unknown', [unknown('registry', attachments.message)]);
  const judgements = judge(attachments.found, signers);
  const findings = [
    ...judgements.map(findingOf),
    ...attachments.unread.map((detail) => unknown('attachment', `unread: ${detail}`)),
  ];
  if (signers.length === 0) return answer('unknown', [...findings, unknown('signer', 'Nobody is trusted.')]);
  const purposes = requested(image, judgements, signers);
  const isCovered = purposes.every(({ status }) => status === 'pass');
  if (isCovered) return answer('pass', [...findings, ...purposes]);
  return answer(attachments.unread.length > 0 ? 'unknown' : 'fail', [...findings, ...purposes]);
};

import { type Digest, sha256 } from '@landfall/kernel/crypto/digest';
import type { Attachment } from '@landfall/kernel/oci/attachment';
import { type Commit, readSimpleSigning, readStatement, type StatementClaims } from './provenance.ts';
import { readSigned, type SignedAttachment } from './read-signed.ts';
import type { Signer, SignerPurpose } from './signer.ts';
import { type VerifiedSignature, verifySigned } from './verify-signed.ts';

/** States of a statement: without a valid trusted signature, signed by a trusted signer, or also proven by a log. */
export const statementStates = ['missing', 'signed', 'proven'] as const;
export type StatementState = (typeof statementStates)[number];

/** Judgement of an image's statement for one of the purposes that it may serve. */
export interface Judgement {
  readonly attachment: Attachment;
  /** Purpose; null for an attachment without one, or one that cannot be read. */
  readonly purpose: SignerPurpose | null;
  /** Predicate type, or the media type of an attachment that is no statement. */
  readonly type: string;
  readonly payloadDigest: Digest;
  readonly summary: string;
  /** Commit that the image was built from, as provenance names it. */
  readonly source: Commit | null;
  readonly status: 'pass' | 'fail' | 'unknown';
  readonly state: StatementState;
  /** Reason why it does not pass or is not proven: a slug, a colon and a message. */
  readonly reason: string | null;
  readonly signer: Signer | null;
  readonly signedBy: string | null;
  readonly signedAt: Date | null;
  readonly logIndex: string | null;
}

/** Statement that could be read, with the valid signatures on it. */
interface Read {
  readonly attachment: Attachment;
  readonly signed: SignedAttachment;
  readonly claims: StatementClaims;
  /** Valid signatures, or the reason why there are none. */
  readonly validSignatures: readonly VerifiedSignature[] | string;
}

/** Makes text of unknown origin printable on one line: bounded and without control characters. */
const line = (text: string, max = 200): string => {
  const clean = text.replace(/\p{C}/gu, '�');
  return clean.length > max ? `${clean.slice(0, max)}…` : clean;
};

const UNTRUSTED = 'signer: nobody is trusted';

const plain = (attachment: Attachment, type: string, payload: Buffer): Omit<Judgement, 'purpose' | 'summary'> => ({
  attachment,
  type: line(type),
  payloadDigest: sha256(payload),
  source: null,
  status: 'fail',
  state: 'missing',
  reason: null,
  signer: null,
  signedBy: null,
  signedAt: null,
  logIndex: null,
});

const read = (attachment: Attachment, signers: readonly Signer[]): Read | Judgement => {
  const unreadable = (reason: string): Judgement => ({
    ...plain(attachment, attachment.format, attachment.content),
    purpose: null,
    summary: `a ${attachment.format} that cannot be read`,
    reason: line(reason),
  });
  const signed = readSigned(attachment);
  if (typeof signed === 'string') return unreadable(signed);
  const claims = signed.kind === 'statement' ? readStatement(signed.payload) : readSimpleSigning(signed.payload);
  if (typeof claims === 'string') return unreadable(`malformed: ${claims}`);
  return {
    attachment,
    signed,
    claims,
    validSignatures: signers.length === 0 ? UNTRUSTED : verifySigned(signed, signers),
  };
};

const PURPOSES: Readonly<Record<StatementClaims['says']['kind'], readonly (SignerPurpose | null)[]>> = {
  provenance: ['build', 'source'],
  'source-summary': ['source'],
  signature: ['image'],
  other: [null],
};

const commitLine = ({ id, uri }: Commit): string => `commit ${id.slice(0, 12)} of ${line(uri)}`;

const summaryOf = ({ says: summary, commits }: StatementClaims, purpose: SignerPurpose | null): string => {
  if (summary.kind === 'provenance')
    return purpose === 'source'
      ? summary.source
        ? commitLine(summary.source)
        : 'no commit is named'
      : `built by ${line(summary.builderId)}`;
  if (summary.kind === 'source-summary')
    return `commit ${line(commits[0] ?? 'unknown', 12)}: ${line(summary.levels.join(', '))}`;
  return summary.kind === 'signature' ? 'the image is signed' : 'a statement that is not judged';
};

/** Commits named by provenance of a trusted signer: a summary of a source must be about one of them. */
const namedCommits = (all: readonly Read[]): ReadonlySet<string> =>
  new Set(
    all.flatMap(({ claims: { says: summary, subjects }, validSignatures, attachment }) =>
      summary.kind === 'provenance' &&
      summary.source &&
      typeof validSignatures !== 'string' &&
      subjects.includes(attachment.subject)
        ? [summary.source.id]
        : [],
    ),
  );

/** Reason why a statement's content does not fit this image or purpose, whoever signed it. Undefined if it fits. */
const contentProblem = ({ claims, attachment }: Read, purpose: SignerPurpose, commits: ReadonlySet<string>) => {
  const { says: summary, subjects } = claims;
  const isOfImage = subjects.includes(attachment.subject);
  if (summary.kind === 'source-summary') {
    if (!summary.isPassed) return 'predicate: its verification did not pass';
    const isOfSource = claims.commits.some((commit) => commits.has(commit));
    return isOfImage || isOfSource ? undefined : 'subject: it is about a commit that no trusted provenance names';
  }
  if (!isOfImage) return 'subject: it is about another image';
  if (purpose === 'source' && summary.kind === 'provenance' && !summary.source)
    return 'source: the provenance names no commit';
  return undefined;
};

/** Strongest of the valid signatures for this purpose, or the reason why there is none. */
const choose = (
  { claims: { says: summary } }: Read,
  validSignatures: readonly VerifiedSignature[],
  purpose: SignerPurpose,
): VerifiedSignature | string => {
  const may = validSignatures.filter(({ signer }) => signer.purposes.has(purpose));
  if (may.length === 0) return `signer: ${validSignatures[0]?.signer.name ?? 'nobody'} is not trusted for ${purpose}`;
  const builderId = summary.kind === 'provenance' ? summary.builderId : undefined;
  const fit = may.filter(({ signer }) => builderId === undefined || [null, builderId].includes(signer.builderId));
  const [first] = fit.toSorted((a, b) => Number(a.logIndex === null) - Number(b.logIndex === null));
  return first ?? `builder: it was built by ${line(builderId ?? 'nobody')}, ${may[0]?.signer.builderId} is expected`;
};

const judgeFor = (one: Read, purpose: SignerPurpose | null, commits: ReadonlySet<string>): Judgement => {
  const { attachment, signed, claims, validSignatures } = one;
  const summary = summaryOf(claims, purpose);
  const source = claims.says.kind === 'provenance' ? (claims.says.source ?? null) : null;
  const base = { ...plain(attachment, claims.predicateType, signed.payload), purpose, summary, source };
  if (purpose === null)
    return { ...base, status: 'unknown', reason: 'predicate: statements of its type are not judged' };
  const problem = contentProblem(one, purpose, commits);
  if (problem !== undefined) return { ...base, reason: problem };
  if (typeof validSignatures === 'string')
    return { ...base, status: validSignatures === UNTRUSTED ? 'unknown' : 'fail', reason: line(validSignatures, 400) };
  const selected = choose(one, validSignatures, purpose);
  if (typeof selected === 'string') return { ...base, reason: selected };
  const { signer, signedBy, signedAt, logIndex, unlogged } = selected;
  const state = logIndex === null ? 'signed' : 'proven';
  const reason = unlogged === null ? null : `log: ${unlogged}`;
  return { ...base, status: 'pass', state, reason, signer, signedBy, signedAt, logIndex };
};

const isRead = (one: Read | Judgement): one is Read => 'claims' in one;

/** Judges everything attached to an image, each statement for each purpose that it may serve. Pure. */
export const judge = (attachments: readonly Attachment[], signers: readonly Signer[]): readonly Judgement[] => {
  const all = attachments.map((attachment) => read(attachment, signers));
  const commits = namedCommits(all.filter(isRead));
  return all.flatMap((one) =>
    isRead(one) ? PURPOSES[one.claims.says.kind].map((purpose) => judgeFor(one, purpose, commits)) : [one],
  );
};

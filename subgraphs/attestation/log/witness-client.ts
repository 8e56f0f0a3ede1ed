import type { HttpClient } from '@landfall/kernel/http/client';
import { type Cosignature, type Cosigner, findCosignature, parseCosigner } from '../signature/cosignature.ts';
import { exactDecimal, parseCheckpoint } from '../signature/signed-note.ts';
import type { Consistency } from './transparency-log.ts';

export interface Witness extends Cosigner {
  /** Submission prefix of the witness, without a trailing slash. */
  readonly url: string;
}

export type WitnessAnswer =
  | { readonly kind: 'cosigned'; readonly cosignature: Cosignature }
  /** The witness has another tree as the last one it cosigned. */
  | { readonly kind: 'elsewhere'; readonly size: number }
  | { readonly kind: 'refused'; readonly reason: string };

const TIMEOUT_MS = 10_000;
const MAX_ANSWER = 16_384;

/** Parses `Log:Witnesses`, each `<verifier key>=<url>`. Throws an Error that names an invalid entry. */
export const parseWitnesses = (entries: readonly string[]): readonly Witness[] =>
  entries.map((entry) => {
    const [, vkey = '', url = ''] = /^(.+?)=(https?:\/\/\S+)$/.exec(entry) ?? [];
    const cosigner = parseCosigner(vkey);
    if (!cosigner || !URL.canParse(url)) throw new Error(`Log:Witnesses: ${entry} is not <verifier key>=<url>.`);
    return { ...cosigner, url: url.replace(/\/+$/, '') };
  });

/** Body of `add-checkpoint` (C2SP tlog-witness): the size known to the witness, the consistency proof, and the note. */
const requestOf = ({ firstSize, hashes, checkpoint }: Consistency): string =>
  [`old ${firstSize}`, ...hashes.map((hash) => hash.toString('base64')), '', checkpoint].join('\n');

const cosigned = ({ checkpoint }: Consistency, witness: Witness, answer: string): WitnessAnswer => {
  const [text = ''] = checkpoint.split('\n\n', 1);
  const note = parseCheckpoint(`${text}\n\n${answer}`);
  const cosignature = note && findCosignature(note.signatures, note.text, witness);
  return cosignature
    ? { kind: 'cosigned', cosignature }
    : { kind: 'refused', reason: 'its answer holds no cosignature of its key over this checkpoint' };
};

/** Requests a cosignature of a checkpoint. Failures are returned, never thrown. */
export const askWitness = async (
  http: HttpClient,
  witness: Witness,
  proof: Consistency,
  correlationId: string,
): Promise<WitnessAnswer> => {
  const answer = await http.send({
    url: `${witness.url}/add-checkpoint`,
    method: 'POST',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: requestOf(proof),
    vouched: new Set([new URL(witness.url).origin]),
    correlationId,
    maxBytes: MAX_ANSWER,
    timeouts: { total: TIMEOUT_MS },
  });
  if (answer.kind !== 'response') return { kind: 'refused', reason: `${answer.kind}: ${answer.message}` };
  const text = answer.body.toString();
  if (answer.status === 200) return cosigned(proof, witness, text);
  const isSize = answer.status === 409 && answer.headers['content-type']?.startsWith('text/x.tlog.size') === true;
  const size = isSize ? exactDecimal(text.trimEnd()) : undefined;
  return size === undefined ? { kind: 'refused', reason: `it answered ${answer.status}` } : { kind: 'elsewhere', size };
};

import { fieldsOf } from '../../lib/json.ts';

/** Sentence of an answer, and the chunks that it rests on. */
export type AnswerSentence = { readonly text: string; readonly citations: readonly string[] };

/** Status of the model; undefined until fetched. */
type ModelStatus = 'started' | 'completed' | 'timeout' | 'unavailable' | 'quota_exceeded';

/** Answer as received so far. */
export type Answer = {
  /**
   * `asked`: nothing received; `recorded`: the deterministic answer is arriving or complete; `writing`: the model's
   * sentences are arriving; then `ended`, `stopped` by the user, or `broken` off.
   */
  readonly phase: 'asked' | 'recorded' | 'writing' | 'ended' | 'stopped' | 'broken';
  readonly cardCount: number | undefined;
  readonly record: readonly AnswerSentence[];
  readonly isAbstained: boolean;
  readonly status: ModelStatus | undefined;
  /** Whether a model was called: without one `unavailable` is normal and no failure. */
  readonly wasStarted: boolean;
  readonly words: readonly AnswerSentence[];
  /** Share of sentences that a source supports, 0 to 1, and the number of those that were left out. */
  readonly grounding: { readonly coverage: number; readonly dropped: number } | undefined;
  readonly durationMs: number | undefined;
};

export const NEW_ANSWER: Answer = {
  phase: 'asked',
  cardCount: undefined,
  record: [],
  isAbstained: false,
  status: undefined,
  wasStarted: false,
  words: [],
  grounding: undefined,
  durationMs: undefined,
};

export const isInProgress = ({ phase }: Answer): boolean =>
  phase === 'asked' || phase === 'recorded' || phase === 'writing';

/** Whether the deterministic answer is complete: an event that follows it has arrived. */
export const isRecordComplete = (answer: Answer): boolean => answer.status !== undefined || !isInProgress(answer);

/** Answer after one more event of the stream; events that are unknown or make no sense change nothing. */
export function advanced(answer: Answer, name: string, data: unknown): Answer {
  if (!isInProgress(answer)) return answer;
  const read = READERS.get(name);
  const fields: Fields = fieldsOf(data);
  return read === undefined ? answer : read(answer, fields);
}

export const stopped = (answer: Answer): Answer => (isInProgress(answer) ? { ...answer, phase: 'stopped' } : answer);

/** End of the stream: without an event of its own it was broken off. */
export const closed = (answer: Answer): Answer => (isInProgress(answer) ? { ...answer, phase: 'broken' } : answer);

type Fields = Readonly<Record<string, unknown>>;

const READERS: ReadonlyMap<string, (answer: Answer, fields: Fields) => Answer> = new Map([
  ['synthesis_start', (answer, { cardCount }) => ({ ...answer, phase: 'recorded', cardCount: numberOf(cardCount) })],
  ['deterministic', recorded],
  ['llm_status', withStatus],
  ['llm_chunk', written],
  [
    'grounding',
    (answer, { coverage, dropped }) => ({
      ...answer,
      grounding: { coverage: numberOf(coverage) ?? 0, dropped: numberOf(dropped) ?? 0 },
    }),
  ],
  ['synthesis_end', (answer, { durationMs }) => ({ ...answer, phase: 'ended', durationMs: numberOf(durationMs) })],
]);

function recorded(answer: Answer, fields: Fields): Answer {
  const sentence = sentenceOf(fields);
  return {
    ...answer,
    phase: 'recorded',
    record: sentence === undefined ? answer.record : [...answer.record, sentence],
    isAbstained: answer.isAbstained || fields.abstained === true,
  };
}

function withStatus(answer: Answer, { status }: Fields): Answer {
  const known = STATUSES.find((each) => each === status);
  if (known === undefined) return answer;
  return {
    ...answer,
    phase: known === 'started' ? 'writing' : answer.phase,
    status: known,
    wasStarted: answer.wasStarted || known === 'started',
  };
}

const STATUSES: readonly ModelStatus[] = ['started', 'completed', 'timeout', 'unavailable', 'quota_exceeded'];

function written(answer: Answer, fields: Fields): Answer {
  const sentence = sentenceOf(fields);
  return sentence === undefined ? answer : { ...answer, phase: 'writing', words: [...answer.words, sentence] };
}

function sentenceOf({ text, citations }: Fields): AnswerSentence | undefined {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return {
    text: text.trim(),
    citations: Array.isArray(citations) ? citations.filter((id): id is string => typeof id === 'string') : [],
  };
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Sentences in their order, those that follow each other and rest on the same together. */
export function paragraphs(sentences: readonly AnswerSentence[]): readonly (readonly AnswerSentence[])[] {
  const paragraphs: AnswerSentence[][] = [];
  for (const sentence of sentences) {
    const last = paragraphs.at(-1);
    if (last !== undefined && last[0]?.citations[0] === sentence.citations[0]) last.push(sentence);
    else paragraphs.push([sentence]);
  }
  return paragraphs;
}

type Outcome = 'grounded' | 'fallback' | 'clarify' | 'insufficient';

/** Ending of an answer: `clarify` without results, `insufficient` with too few, `fallback` if the model failed. */
export function answerOutcome({ isAbstained, status, wasStarted, words }: Answer, cardCount: number): Outcome {
  if (cardCount === 0) return 'clarify';
  if (isAbstained) return 'insufficient';
  const isMissed = status === 'timeout' || status === 'quota_exceeded' || (status === 'unavailable' && wasStarted);
  return isMissed && words.length === 0 ? 'fallback' : 'grounded';
}

/** Outcome of an answer once it is known: of the stream, of the answer beside the cards, or of the legacy search. */
export function reportedOutcome(
  found: {
    readonly cards: readonly unknown[];
    readonly mode: string;
    readonly synthesis: { readonly abstained: boolean } | null;
  },
  answer: Answer | undefined,
  isRefused: boolean,
): Outcome | undefined {
  if (found.mode === 'legacy-fallback') return 'fallback';
  if (found.cards.length === 0) return 'clarify';
  if (answer !== undefined && !isRefused)
    return isInProgress(answer) ? undefined : answerOutcome(answer, found.cards.length);
  if (found.synthesis === null) return undefined;
  return answerOutcome({ ...NEW_ANSWER, isAbstained: found.synthesis.abstained }, found.cards.length);
}

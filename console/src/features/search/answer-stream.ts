import { createEventReader } from '../../lib/event-stream.ts';
import { fieldsOf, parseJson } from '../../lib/json.ts';
import { type Problem, problemOfAnswer } from '../../lib/problem.ts';

export type Question = {
  readonly q: string;
  readonly k: number;
  readonly filters?: Readonly<Record<string, readonly string[]>>;
  readonly sessionId: string;
};

export class AnswerRefused extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/**
 * Streams an answer and passes each event on, until the server or the signal ends it. Events that are no JSON are
 * ignored.
 * @throws Refused with the server's refusal
 * @throws Error when the connection breaks, or the signal ends it
 */
export async function readAnswer(
  question: Question,
  signal: AbortSignal,
  tell: (name: string, data: unknown) => void,
  post: typeof fetch,
  url = '/v1/search/synthesize',
): Promise<void> {
  const answer = await post(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(question),
    signal,
    cache: 'no-store',
  });
  if (!answer.ok || answer.body === null) throw new AnswerRefused(refusal(answer.status, await answer.text()));
  const read = createEventReader(({ name, data }) => {
    const value = parseJson(data);
    if (value !== undefined) tell(name, value);
  });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) read(part.value);
}

/** Error of an event, `{error}` (ruling 22): a code, or a sentence. */
function refusal(status: number, body: string): Problem {
  const { error } = fieldsOf(parseJson(body));
  if (typeof error !== 'string') return problemOfAnswer(status, body);
  return { code: /^[\w.]+$/.test(error) ? error : `HTTP_${status}`, message: error, fields: [], answered: true };
}

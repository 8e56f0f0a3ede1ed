import type { Clock } from '@landfall/kernel/core/clock';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { HttpClient } from '@landfall/kernel/http/client';
import type { HttpFailure } from '@landfall/kernel/http/failure';
import { failureText } from './failure-text.ts';
import { parseRetryAfter } from './retry-schedule.ts';
import { type FailureCause, failed, type SendOutcome } from './send-outcome.ts';

/** Longest time of an attempt (spec 8), and how much of an answer is read. */
const TIMEOUT_MS = 30_000;
const ANSWER_BYTES = 64 * 1024;
const EXCERPT_CHARACTERS = 1_000;

const RETRYABLE_STATUSES = new Set([429, 500, 502, 503, 504]);

export interface HttpPost {
  readonly tenant: TenantId;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly correlationId: string;
  readonly signal: AbortSignal;
  /** Whether a person entered the address, so that no administrator named it: it may not be in a private network. */
  readonly isPersonal?: boolean;
}

/** Answer of a receiver. */
export interface PostAnswer {
  readonly status: number;
  readonly body: string;
}

const CAUSES: Readonly<Record<HttpFailure['kind'], readonly [cause: FailureCause, isRetryable: boolean]>> = {
  connection: ['network', true],
  dns: ['network', true],
  tls: ['tls', true],
  timeout: ['timeout', true],
  // The receiver has the request, and its status is unknown only because its answer was too long to be read.
  'too-large': ['rejected', false],
  // A name that cannot be resolved for a moment is refused in the same words as one of a private network.
  'refused-by-policy': ['egress_refused', true],
  aborted: ['timeout', true],
};

/** Beginning of an answer, as it is shown to people: control characters are spaces. */
const excerptOf = (body: string): string | null =>
  body === '' ? null : body.slice(0, EXCERPT_CHARACTERS).replace(/\p{Cc}+/gu, ' ');

const statusError = (status: number): string => {
  if (status === 429) return 'The receiver asks for fewer messages (429).';
  if (status >= 300 && status < 400) return `The receiver redirects (${status}). Deliveries follow no redirects.`;
  return `The receiver answered ${status}.`;
};

/** Failure by an answer that is no 2xx (spec 8, rulings 41). */
const refusedBy = (
  { status, body }: PostAnswer,
  headers: Readonly<Record<string, string>>,
  clock: Clock,
): SendOutcome => ({
  kind: 'failed',
  cause: status === 429 ? 'rate_limited' : 'http_status',
  isRetryable: RETRYABLE_STATUSES.has(status),
  retryAfterMs: status === 429 || status === 503 ? parseRetryAfter(headers['retry-after'], clock.now()) : null,
  httpStatus: status,
  error: statusError(status),
  excerpt: excerptOf(body),
});

/**
 * Sends a message to a receiver's address under the tenant's egress rule.
 * @param accepted what an answer with 2xx means; it may say that the message was refused all the same
 */
export const postMessage = async (
  { http, clock }: { readonly http: HttpClient; readonly clock: Clock },
  { tenant, url, headers, body, correlationId, signal, isPersonal = false }: HttpPost,
  accepted: (answer: PostAnswer) => SendOutcome,
): Promise<SendOutcome> => {
  const origin = URL.parse(url)?.origin;
  const response = await http.send({
    url,
    method: 'POST',
    headers: { 'user-agent': 'Landfall-Notifier/1', ...headers },
    body,
    tenant,
    correlationId,
    signal,
    ...(origin === undefined || isPersonal ? {} : { vouched: new Set([origin]) }),
    maxBytes: ANSWER_BYTES,
    timeouts: { connect: 10_000, headers: TIMEOUT_MS, body: TIMEOUT_MS, total: TIMEOUT_MS },
  });
  if (response.kind !== 'response') {
    const [cause, isRetryable] = CAUSES[response.kind];
    return failed(cause, failureText(response), isRetryable);
  }
  const answer = { status: response.status, body: response.body.toString('utf8') };
  if (answer.status >= 200 && answer.status < 300) return accepted(answer);
  return refusedBy(answer, response.headers, clock);
};

/** Outcome of a 2xx that confirms the message. */
export const deliveredBy = ({ status, body }: PostAnswer, externalId: string | null = null): SendOutcome => ({
  kind: 'accepted',
  state: 'delivered',
  httpStatus: status,
  externalId,
  excerpt: excerptOf(body),
});

/** Outcome of a 2xx whose body says that the message was refused. */
export const rejectedBy = ({ status, body }: PostAnswer, error: string, isRetryable = false): SendOutcome => ({
  kind: 'failed',
  cause: 'rejected',
  isRetryable,
  retryAfterMs: null,
  httpStatus: status,
  error,
  excerpt: excerptOf(body),
});

import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { HttpClient, HttpResponse } from '@landfall/kernel/http/client';
import { remoteFault } from '@landfall/kernel/http/remote-failure';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Credentials } from './credentials.ts';
import { remoteMessage } from './remote-message.ts';

/** Client of the Prometheus HTTP API, `GET /api/v1/query`. Errors are returned as a Fault, not thrown. */

/** Address and credentials of one metrics server, and the caller on whose behalf it is queried. */
interface MetricsAccess {
  readonly baseUrl: string;
  readonly credentials: Credentials | undefined;
  readonly tenant: TenantId;
  readonly correlationId: string;
}

/** Deadline of one whole request, in milliseconds. */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Sample of a series: time and value. The value is text, since JSON has neither NaN nor infinity. */
const sample = Type.Tuple([Type.Number(), Type.String()]);
const answered = Compile(
  Type.Object({
    status: Type.Literal('success'),
    data: Type.Union([
      Type.Object({ resultType: Type.Literal('scalar'), result: sample }),
      Type.Object({ resultType: Type.Literal('vector'), result: Type.Array(Type.Object({ value: sample })) }),
    ]),
  }),
);
const otherwise = Compile(
  Type.Object({ status: Type.Literal('success'), data: Type.Object({ resultType: Type.String() }) }),
);
const failed = Compile(Type.Object({ error: Type.String() }));

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
};

/** Parses a sample's value. `Number` alone would read an empty text as 0. */
const numberOf = (text: string): number => {
  if (/^[+]?Inf$/.test(text)) return Infinity;
  if (text === '-Inf') return -Infinity;
  return text.trim() === '' ? Number.NaN : Number(text);
};

const authorization = ({ username, password }: Credentials): string =>
  username === undefined ? `Bearer ${password}` : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

const refused = ({ status, headers, body }: HttpResponse, server: string, credentials: Credentials | undefined) => {
  const value = parsed(body);
  const confidential = credentials ? [authorization(credentials), credentials.password] : [];
  const label = failed.Check(value) ? remoteMessage([value.error], confidential) : '';
  const details = { server, status };
  if (status === 401 || status === 403)
    return new Fault('INT_AUTH_FAILED', `${server} refuses our credentials (${status})${label}`, details);
  if (status === 404)
    return new Fault('INT_RESOURCE_NOT_FOUND', `${server} has no query API at this address${label}`, details);
  if (status === 429)
    return new Fault('INT_RATE_LIMITED', `${server} limits our rate${label}`, {
      ...details,
      retryAfter: headers['retry-after'] ?? null,
    });
  // 400 and 422: the query is malformed, or cannot be executed.
  if (status >= 500) return new Fault('INT_CONNECTION_FAILED', `${server} answered ${status}${label}`, details);
  return new Fault('INT_INVALID_RESPONSE', `${server} answered ${status}${label}`, details);
};

export const createPrometheus = (http: Pick<HttpClient, 'send'>) => ({
  /** Evaluates a query at this moment and returns one value for each series. Faults: INT_*. */
  async query(access: MetricsAccess, promql: string): Promise<readonly number[] | Fault> {
    const server = new URL(access.baseUrl).host;
    const answer = await http.send({
      url: `${access.baseUrl}/api/v1/query?${new URLSearchParams({ query: promql })}`,
      headers: {
        accept: 'application/json',
        ...(access.credentials && { authorization: authorization(access.credentials) }),
      },
      tenant: access.tenant,
      vouched: new Set([new URL(access.baseUrl).origin]),
      correlationId: access.correlationId,
      timeouts: { total: TIMEOUT_MS },
      maxBytes: MAX_BYTES,
    });
    if (answer.kind !== 'response') return remoteFault(answer, server, { server });
    if (answer.status !== 200) return refused(answer, server, access.credentials);
    const value = parsed(answer.body);
    if (answered.Check(value)) {
      const { data } = value;
      return data.resultType === 'scalar'
        ? [numberOf(data.result[1])]
        : data.result.map((series) => numberOf(series.value[1]));
    }
    const problem = otherwise.Check(value)
      ? `the query answers with a ${value.data.resultType}; a scalar or an instant vector of numbers is wanted.`
      : 'its answer is none of the Prometheus HTTP API.';
    return new Fault('INT_INVALID_RESPONSE', `${server}: ${problem}`, { server });
  },
});

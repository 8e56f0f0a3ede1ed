import Type, { type TSchema } from 'typebox';
import type { Caller } from '../core/caller.ts';
import { type Fault, type FieldFault, invalid } from '../core/fault.ts';
import type { Certificate } from '../http/client-certificates.ts';
import type { CallOptions, Operation, OperationSpec } from '../operation/operation.ts';

/** Parsed and identified request, independent of the web framework. */
export interface RouteRequest {
  /** Path and query as in the request line. */
  readonly target: string;
  readonly params: Readonly<Record<string, string>>;
  /** A parameter that is given twice is a list. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
  /** Lower-case names; identity headers are already gone. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly requestId: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** Verifies the request's credentials. @throws Fault AUTH_* */
  caller(): Promise<Caller>;
  /** The peer's address on the socket, or the one before the proxies that are trusted. */
  readonly address: string;
  /** The TLS client certificate, where the listener asks for one. */
  readonly certificate?: Certificate | undefined;
}

/** Response to send. `body` undefined means none at all, without a Content-Type. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array | string> | undefined;
}

/** Error format of a family of routes: converts a failure to the bytes of a response. */
export interface Dialect {
  readonly name: 'envelope' | 'oauth' | 'problem' | 'plain' | 'scim' | 'registry';
  answer(fault: Fault, requestId: string, now: Date): Answer;
  /** Replaces the status of an answer, for dialects whose bodies contain it. */
  withStatus?(answer: Answer, status: number): Answer;
}

/** JSON Schemas of a route, for schema/rest.json and OpenAPI. */
export interface RouteSchemas {
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly response: Readonly<Record<number, TSchema>>;
}

/** Authentication of a caller: an access token, or a client's method by its name of RFC 8414 2. */
export type AuthenticationMethod =
  | 'bearer'
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'tls_client_auth'
  | 'self_signed_tls_client_auth'
  | 'none';

interface Common {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/api/v1/things/:id`. */
  readonly path: string;
  readonly module: string;
  readonly dialect: Dialect;
  readonly summary: string;
  readonly schemas: RouteSchemas;
  /**
   * The body's media type; JSON unless said otherwise. `text` takes any type and leaves the body unread; so does `stream`, of
   * which the body is an async iterable of bytes.
   */
  readonly accepts?: 'json' | 'form' | 'text' | 'stream';
  /** Largest body, in bytes; 1 MiB unless said otherwise. */
  readonly bodyLimit?: number;
  /** Whether callers need no credentials: the edge does not identify them either. */
  readonly isPublic?: true;
  /** Whether the route identifies its callers itself, from credentials that the edge passes on unread. */
  readonly knowsCallers?: true;
  /** Accepted methods of authentication. By default a token for a route with an operation, else none. */
  readonly authentication?: readonly AuthenticationMethod[];
  /** Whether a GET has side effects, as its protocol demands; it has no HEAD, which must be safe (RFC 9110 9.2.1). */
  readonly hasNoHead?: true;
  /** Whether machines ask it periodically: a successful answer is logged at the debug level. */
  readonly isBeat?: boolean;
  /** Cost of a request to its caller's budget; that of its operation. */
  readonly cost?: number | undefined;
  /** Deprecated: the HTTP-date (or the specification's literal) of `Sunset`. */
  readonly sunset?: string;
  /** Deprecated: the path that replaces it. */
  readonly successor?: string;
}

export interface Route extends Common {
  /** The operation behind it; routes of the OAuth protocol have none. */
  readonly operation: OperationSpec | undefined;
  handle(request: RouteRequest): Promise<Answer>;
}

interface OperationRoute<Value> extends Common {
  readonly operation: Operation<Value>;
  input(request: RouteRequest): unknown;
  answer(value: Value, request: RouteRequest): Answer;
}

const keyOf = ({ headers }: RouteRequest): CallOptions => {
  const key = headers['idempotency-key'];
  return { idempotencyKey: typeof key === 'string' ? key : undefined };
};

/** The parameters that a route takes once. */
const singleParameters = ({ query }: RouteSchemas): readonly string[] =>
  Type.IsObject(query)
    ? Object.entries(query.properties).flatMap(([name, schema]) => (Type.IsArray(schema) ? [] : [name]))
    : [];

/** Refuses parameters that are given more than once: which one is meant is unknown. Throws Fault VAL_INVALID_FORMAT. */
export const refuseRepeated = ({ query }: RouteRequest, names: readonly string[]): void => {
  const [first, ...rest] = names
    .filter((name) => typeof query[name] === 'object')
    .map(
      (name): FieldFault => ({ field: name, message: `${name} is given more than once`, code: 'VAL_INVALID_FORMAT' }),
    );
  if (first) throw invalid([first, ...rest]);
};

export const route = <Value>({ operation, input, answer, ...common }: OperationRoute<Value>): Route => {
  const single = singleParameters(common.schemas);
  return {
    ...common,
    operation: operation.spec,
    cost: operation.spec.cost || undefined,
    handle: async (request) => {
      const caller = await request.caller();
      refuseRepeated(request, single);
      return answer(await operation(caller, input(request), keyOf(request)), request);
    },
  };
};

/** Creates a route of a protocol with its own authentication: OAuth, health, agent registration. */
export const protocolRoute = (definition: Common & { handle(request: RouteRequest): Promise<Answer> }): Route => ({
  ...definition,
  operation: undefined,
});

export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(body),
});

/** Single value of a query parameter; `route` has refused repeated ones. */
export const one = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

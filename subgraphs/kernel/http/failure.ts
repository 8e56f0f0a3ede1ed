import { systemErrorCodeOf } from '../core/system-error-code.ts';
import { isEgressRefusal, refusalDetails } from '../system/egress.ts';

/** Failure of an outgoing call. */
export interface HttpFailure {
  readonly kind:
    | 'connection'
    | 'timeout'
    | 'tls'
    | 'dns'
    | 'too-large'
    | 'refused-by-policy'
    /** The caller's own signal ended it. */
    | 'aborted';
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

const byCode: readonly (readonly [RegExp, HttpFailure['kind']])[] = [
  [/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL)/, 'dns'],
  [/^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/, 'timeout'],
  [/^(UND_ERR_RES_EXCEEDED_MAX_SIZE|LANDFALL_TOO_LARGE)$/, 'too-large'],
  [/^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|CRL_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/, 'tls'],
];

const kindOf = (error: Error): HttpFailure['kind'] => {
  if (isEgressRefusal(error)) return 'refused-by-policy';
  if (error.name === 'TimeoutError') return 'timeout';
  if (error.name === 'AbortError') return 'aborted';
  return byCode.find(([pattern]) => pattern.test(systemErrorCodeOf(error)))?.[1] ?? 'connection';
};

/** Root cause of a failure: a connection tried at several addresses carries one error for each. */
const innermost = (error: Error): Error => {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0];
  return systemErrorCodeOf(error) === '' && error.cause instanceof Error ? innermost(error.cause) : error;
};

/** Classifies what a socket, TLS, DNS or the HTTP client threw, also in the middle of a streamed body. */
export const failureOf = (error: unknown): HttpFailure => {
  if (!(error instanceof Error)) return { kind: 'connection', message: String(error) };
  const cause = innermost(error);
  const details = refusalDetails(cause);
  return { kind: kindOf(cause), message: cause.message, ...(details && { details }) };
};

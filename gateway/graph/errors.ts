import { HeaderMap } from '@apollo/server';
import { asFault, Fault, hidesCause } from '@landfall/kernel/core/fault';
import { extensionsOf } from '@landfall/kernel/graph/subgraph';
import { retryAfter } from '@landfall/kernel/routes/dialects/retry-after';
import { codes, type FaultCode } from '@landfall/schema/codes';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { transportStatus } from './transport-status.ts';

/** A refusal of the whole request: the fault, and the HTTP status that goes with it. */
export const refusal = (fault: Fault): GraphQLError =>
  new GraphQLError(fault.message, {
    originalError: fault,
    extensions: { http: { status: transportStatus(fault), headers: new HeaderMap(Object.entries(retryAfter(fault))) } },
  });

/** The server's own refusals in our codes. */
const SERVER_CODES: Readonly<Record<string, FaultCode>> = {
  GRAPHQL_PARSE_FAILED: 'VAL_INVALID_FORMAT',
  GRAPHQL_VALIDATION_FAILED: 'VAL_SCHEMA_MISMATCH',
  BAD_USER_INPUT: 'VAL_SCHEMA_MISMATCH',
  BAD_REQUEST: 'VAL_INVALID_FORMAT',
  OPERATION_RESOLUTION_FAILURE: 'VAL_INVALID_VALUE',
  PERSISTED_QUERY_NOT_FOUND: 'RES_NOT_FOUND',
  PERSISTED_QUERY_NOT_SUPPORTED: 'VAL_INVALID_VALUE',
};

const isCode = (code: unknown): code is FaultCode => typeof code === 'string' && Object.hasOwn(codes, code);

/** The Fault somewhere under an error, which the pipeline wraps more than once. */
const faultIn = (error: unknown): Fault | undefined => {
  if (error instanceof Fault) return error;
  return error instanceof GraphQLError ? faultIn(error.originalError) : undefined;
};

const serverFault = ({ message, extensions }: GraphQLFormattedError): Fault | undefined => {
  const said = String(extensions?.code);
  const code = SERVER_CODES[said];
  if (!code) return undefined;
  // The parser has no code for its own limit.
  if (said === 'GRAPHQL_PARSE_FAILED' && /more tha[nt] \d+ tokens/.test(message))
    return new Fault('VAL_TOO_LONG', message);
  return new Fault(code, message);
};

/** An error that a module has already put into its final form. */
const fromModule = ({ message, path, extensions = {} }: GraphQLFormattedError): GraphQLFormattedError => {
  const { code, status, category, details, validationErrors, requestId } = extensions;
  return {
    message,
    ...(path && { path }),
    extensions: { code, status, category, details, validationErrors, requestId },
  };
};

/** The deepest error that is not the pipeline's wrapping: what the log must show. */
const original = (error: unknown): unknown =>
  error instanceof GraphQLError && error.originalError ? original(error.originalError) : error;

/**
 * Any error of the pipeline as a caller may read it: our code, or SYS_INTERNAL_ERROR.
 * @param onBug is told the original of what was masked, and a failure of ours with its cause
 */
export const formatError = (
  formatted: GraphQLFormattedError,
  error: unknown,
  requestId: string,
  onBug: (error: unknown, requestId: string) => void,
): GraphQLFormattedError => {
  const known = faultIn(error);
  if (!known && isCode(formatted.extensions?.code)) return fromModule(formatted);
  const fault = known ?? serverFault(formatted) ?? asFault(original(error));
  if (hidesCause(fault)) onBug(known ?? fault.cause, requestId);
  const { locations, path } = formatted;
  return {
    message: fault.message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: extensionsOf(fault, requestId),
  };
};

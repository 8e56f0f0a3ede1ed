import { HeaderMap } from '@apollo/server';
import { asFault, Fault, hidesCause } from '@landfall/kernel/core/fault';
import { extensionsOf } from '@landfall/kernel/graph/subgraph';
import { retryAfter } from '@landfall/kernel/routes/dialects/retry-after';
import { codes, type FaultCode } from '@landfall/schema/codes';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { transportStatus } from './transport-status.ts';

/** Refuses a whole request: the fault with its HTTP status. */
export const refusal = (fault: Fault): GraphQLError =>
  new GraphQLError(fault.message, {
    originalError: fault,
    extensions: { http: { status: transportStatus(fault), headers: new HeaderMap(Object.entries(retryAfter(fault))) } },
  });

/** Fault codes of Apollo Server's own refusals. */
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

/** Finds the Fault inside an error that the pipeline wrapped. */
const faultIn = (error: unknown): Fault | undefined => {
  if (error instanceof Fault) return error;
  return error instanceof GraphQLError ? faultIn(error.originalError) : undefined;
};

const serverFault = ({ message, extensions }: GraphQLFormattedError): Fault | undefined => {
  const serverCode = String(extensions?.code);
  const code = SERVER_CODES[serverCode];
  if (!code) return undefined;
  // The parser has no code for its own limit.
  if (serverCode === 'GRAPHQL_PARSE_FAILED' && /more tha[nt] \d+ tokens/.test(message))
    return new Fault('VAL_TOO_LONG', message);
  return new Fault(code, message);
};

/** Recognises an error that a module has already formatted. */
const fromModule = ({ message, path, extensions = {} }: GraphQLFormattedError): GraphQLFormattedError => {
  const { code, status, category, details, validationErrors, requestId } = extensions;
  return {
    message,
    ...(path && { path }),
    extensions: { code, status, category, details, validationErrors, requestId },
  };
};

/** Finds the innermost error below the pipeline's wrapping, for the log. */
const original = (error: unknown): unknown =>
  error instanceof GraphQLError && error.originalError ? original(error.originalError) : error;

/** Formats any error for callers: a code of the product, or SYS_INTERNAL_ERROR. `onBug` receives a hidden cause. */
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

import { asFault, Fault } from '../core/fault.ts';
import { systemErrorCodeOf } from '../core/system-error-code.ts';

/** Failure in a form for the client; the status may be narrower than the code's: 405, 413, 414, 415, 421. */
export interface Refusal {
  readonly fault: Fault;
  readonly status: number;
}

/** Failure of a route that counts the bytes of its body itself, and has read more than it takes. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
  readonly code = 'FST_ERR_CTP_BODY_TOO_LARGE';
}

/** Failure of a route that takes a body as it is, and got one in a content coding. */
export class EncodedBody extends Error {
  override readonly name = 'EncodedBody';
  readonly code = 'ENCODED_BODY';
}

type Known = readonly [status: number, code: Fault['code'], message: string];

/** Refusals of the framework itself, in our codes and with the status of ruling 21. */
const KNOWN: Readonly<Record<string, Known>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'VAL_TOO_LONG', 'The body is larger than this route takes.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'VAL_INVALID_FORMAT', 'This route does not take that media type.'],
  ENCODED_BODY: [
    415,
    'VAL_INVALID_FORMAT',
    'This route takes the bytes as they are: send them without Content-Encoding.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'VAL_INVALID_FORMAT', 'Content-Length does not match the body.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: [400, 'VAL_INVALID_JSON', 'The body is empty, which is not JSON.'],
  FST_ERR_CTP_INVALID_JSON_BODY: [400, 'VAL_INVALID_JSON', 'The body is not valid JSON.'],
  FST_ERR_BAD_URL: [400, 'VAL_INVALID_FORMAT', 'The path is not well encoded (RFC 3986 2.1).'],
  FST_ERR_MAX_PARAM_LENGTH: [414, 'VAL_TOO_LONG', 'A part of the path is too long.'],
  FST_STATIC_FORBIDDEN_PATH: [404, 'RES_NOT_FOUND', 'There is no such file.'],
};

/** Failure in the form that its caller may read. */
export const refusalOf = (error: unknown): Refusal => {
  const known = KNOWN[systemErrorCodeOf(error)];
  if (known) return { fault: new Fault(known[1], known[2]), status: known[0] };
  if (error instanceof SyntaxError && 'statusCode' in error)
    return { fault: new Fault('VAL_INVALID_JSON', 'The body is not valid JSON.'), status: 400 };
  const fault = asFault(error);
  return { fault, status: fault.status };
};

import type { Fault } from '../../core/fault.ts';
import type { Dialect } from '../route.ts';
import { challenge } from './challenge.ts';
import { retryAfter } from './retry-after.ts';

/** RFC 7644 3.14: a resource that has changed is a precondition that failed. */
const statusOf = ({ code, status }: Fault): number => (code === 'RES_VERSION_CONFLICT' ? 412 : status);

/** The word of RFC 7644 3.12, table 9, where there is one. */
const scimTypeOf = ({ code, status, details }: Fault): string | undefined => {
  if (typeof details?.scimType === 'string') return details.scimType;
  if (code === 'RES_ALREADY_EXISTS') return 'uniqueness';
  if (code === 'VAL_INVALID_JSON') return 'invalidSyntax';
  return status === 400 ? 'invalidValue' : undefined;
};

const detailOf = ({ message, fields }: Fault): string =>
  fields.length === 0 ? message : fields.map((each) => `${each.field} ${each.message}`.trim()).join('; ');

const bodyOf = (fields: object, status: number): string =>
  JSON.stringify({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], ...fields, status: String(status) });

/** Dialect of SCIM (RFC 7644 3.12), whose status is a text. */
export const scim: Dialect = {
  name: 'scim',
  answer: (fault) => {
    const status = statusOf(fault);
    const scimType = scimTypeOf(fault);
    return {
      status,
      headers: {
        'content-type': 'application/scim+json',
        ...(status === 401 && { 'www-authenticate': 'Bearer realm="landfall"' }),
        ...retryAfter(fault),
        ...challenge(fault),
      },
      body: bodyOf({ ...(scimType !== undefined && { scimType }), detail: detailOf(fault) }, status),
    };
  },
  withStatus: ({ body, ...answer }, status) => ({
    ...answer,
    status,
    ...(typeof body === 'string' && { body: bodyOf(JSON.parse(body), status) }),
  }),
};

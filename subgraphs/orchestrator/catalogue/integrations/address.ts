import { type Fault, invalid } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { HttpClient } from '@landfall/kernel/http/client';
import { isLoopback } from '@landfall/kernel/system/address';
import type { Integration } from './integrations.store.ts';

/** Address of a remote system. */
export interface Address {
  /** URL without a trailing slash. */
  readonly url: string;
  /** Host name, with the port unless it is the default one: the form in which a component names its repository. */
  readonly host: string;
}

/**
 * Parses the address of a remote system: https (http on this machine only), no credentials, and no query or fragment
 * (rulings 53).
 * @param field name of the input field, for the fault
 * @throws Fault VAL_INVALID_FORMAT
 */
export const parseAddress = (text: string, field: string, mayHavePath = false): Address => {
  const malformed = (message: string): Fault => invalid([{ field, message, code: 'VAL_INVALID_FORMAT' }]);
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw malformed('must be an https address');
  if (url.username || url.password) throw malformed('must not carry credentials');
  if (url.search || url.hash) throw malformed('must not carry a query or a fragment');
  if (url.pathname !== '/' && !mayHavePath) throw malformed('must be an origin, without a path');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw malformed('must be https; plain http is for this machine only');
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}`, host: url.host };
};

/** Parses an address allowed by the egress policy; throws Fault VAL_INVALID_FORMAT, VAL_INVALID_VALUE. */
export const parseBaseUrl = (
  http: Pick<HttpClient, 'refusal'>,
  tenant: TenantId,
  kind: Integration['kind'],
  text: string,
): Address => {
  const parsed = parseAddress(text, 'baseUrl', kind === 'metrics');
  // An address that the egress policy will always refuse is refused here, also to an administrator.
  const refused = http.refusal({ url: parsed.url, tenant, vouched: new Set([new URL(parsed.url).origin]) });
  if (refused) throw invalid([{ field: 'baseUrl', message: refused.message, code: 'VAL_INVALID_VALUE' }]);
  return parsed;
};

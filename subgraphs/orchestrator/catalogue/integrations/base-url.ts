import { invalid } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { HttpClient } from '@landfall/kernel/http/client';
import { type Address, parseAddress } from './address.ts';
import type * as store from './integrations.store.ts';

/** An address that may be asked. @throws Fault VAL_INVALID_FORMAT, VAL_INVALID_VALUE */
export const parseBaseUrl = (
  http: Pick<HttpClient, 'refusal'>,
  tenant: TenantId,
  kind: store.Integration['kind'],
  text: string,
): Address => {
  const parsed = parseAddress(text, 'baseUrl', kind === 'metrics');
  // What will never be asked, though an administrator names it, is not taken.
  const refused = http.refusal({ url: parsed.url, tenant, vouched: new Set([new URL(parsed.url).origin]) });
  if (refused) throw invalid([{ field: 'baseUrl', message: refused.message, code: 'VAL_INVALID_VALUE' }]);
  return parsed;
};

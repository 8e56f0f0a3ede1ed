import type { Database } from '@landfall/kernel/db/database';
import { fromNow } from '@landfall/kernel/db/sql';
import { readParameters } from '../authorization/authorization-request.ts';
import * as pushedRequests from '../authorization/pushed-requests.ts';
import { newOpaqueSecret } from '../protocol/opaque-secrets.ts';
import type { SignInRequest } from '../sign-in/requests.ts';

/** Longest query that fits into a cookie: browsers drop cookies over 4096 bytes (RFC 6265 6.1). */
const MAX_LENGTH = 2_000;

/** Parses a query like the HTTP server does. */
export const queryOf = (search: string): Readonly<Record<string, string | readonly string[]>> => {
  const parameters = new URLSearchParams(search);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
};

/** Query of the request or, where it is too long, of the same request pushed by the authority itself (RFC 9126). */
export const shortenQuery = async (database: Database, request: SignInRequest, aliveMs: number): Promise<string> => {
  if (request.kind === 'visit' || request.search.length <= MAX_LENGTH) return request.search;
  const { id: clientId, tenant } = request.client;
  const { value, hash } = newOpaqueSecret();
  const { form, resources } = readParameters(queryOf(request.search));
  const parameters = { form: { ...form }, resources: [...resources] };
  await database.write(tenant, (tx) =>
    pushedRequests.insert(tx, tenant, { hash, clientId, parameters, expiresAt: fromNow(aliveMs) }),
  );
  return String(new URLSearchParams({ client_id: clientId, request_uri: `${pushedRequests.URN}${value}` }));
};

import type { Database } from '@landfall/kernel/db/database';
import { fromNow } from '@landfall/kernel/db/sql';
import { readParameters } from '../authorization/authorization-request.ts';
import * as pushedRequests from '../authorization/pushed-requests.ts';
import { newOpaqueSecret } from '../protocol/opaque-secrets.ts';
import type { SignInRequest } from '../sign-in/requests.ts';

/** Longest query that fits into a cookie: browsers drop cookies over 4096 bytes (RFC 6265 6.1). */
const LONGEST = 2_000;

/** Parses a query like the HTTP server does. */
export const queryOf = (search: string): Readonly<Record<string, string | readonly string[]>> => {
  const given = new URLSearchParams(search);
  return Object.fromEntries(
    [...new Set(given.keys())].map((name) => {
      const values = given.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
};

/** Query of the request or, where it is too long, of the same request pushed by the authority itself (RFC 9126). */
export const shortenQuery = async (database: Database, asked: SignInRequest, aliveMs: number): Promise<string> => {
  if (asked.kind === 'visit' || asked.search.length <= LONGEST) return asked.search;
  const { id: clientId, tenant } = asked.client;
  const { value, hash } = newOpaqueSecret();
  const { form, resources } = readParameters(queryOf(asked.search));
  const parameters = { form: { ...form }, resources: [...resources] };
  await database.write(tenant, (tx) =>
    pushedRequests.insert(tx, tenant, { hash, clientId, parameters, expiresAt: fromNow(aliveMs) }),
  );
  return String(new URLSearchParams({ client_id: clientId, request_uri: `${pushedRequests.URN}${value}` }));
};

// Clients of the REST paths and the graph, with a bearer token of their own, as `curl` would send it.
import Type from 'typebox';
import { Parse } from 'typebox/value';
import type { Credentials } from './product.ts';

const grant = Type.Object({ access_token: Type.String(), token_type: Type.String(), expires_in: Type.Integer() });

/** A token by client credentials (RFC 6749 4.4); `scope` narrows it. */
const tokenOf = async ({ authUrl, clients }: Credentials, name: string, scope?: string): Promise<string> => {
  const client = clients.find((one) => one.name === name);
  if (!client) throw new Error(`The demo has no client ${name}.`);
  const response = await fetch(`${authUrl}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }),
  });
  return Parse(grant, await response.json()).access_token;
};

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface Client {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Sends a document as it is. */
  post(path: string, body: string): Promise<Answer>;
  graph(query: string, variables?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** A client with its token. */
export const clientOf = async (credentials: Credentials, name: string, scope?: string): Promise<Client> => {
  const authorization = `Bearer ${await tokenOf(credentials, name, scope)}`;
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${credentials.baseUrl}${path}`, init);
    const body: unknown = await response.json();
    return { status: response.status, body };
  };
  return {
    get: (path, headers = {}) => send(path, { headers: { ...headers, authorization } }),
    post: (path, body) =>
      send(path, { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body }),
    graph: (query, variables = {}, headers = {}) =>
      send('/graphql', {
        method: 'POST',
        headers: { ...headers, authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      }),
  };
};

import type { DemoClient, DemoStage } from '@landfall/kernel/demo/chapter';
import Type, { type Static, type TSchema } from 'typebox';
import { Parse } from 'typebox/value';

/** REST of the server in the name of a client of the demo. */
export interface RestSession {
  /** Sends a request and decodes its answer by `shape`. Throws an Error with the answer if it is refused. */
  send<T extends TSchema>(
    request: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string; readonly key?: string },
    shape: T,
  ): Promise<Static<T>>;
}

/** Opens a session with the scopes of the scanner (RFC 6749 4.4). */
export const openRest = async (
  { baseUrl, authUrl }: Pick<DemoStage, 'baseUrl' | 'authUrl'>,
  { clientId, clientSecret }: DemoClient,
): Promise<RestSession> => {
  const granted = await fetch(new URL('/token', authUrl), {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'scanner:read scanner:write' }),
  });
  const { access_token: token } = Parse(Type.Object({ access_token: Type.String() }), await granted.json());
  return {
    async send({ method, path, body, key }, shape) {
      const response = await fetch(new URL(path, baseUrl), {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': `demo/${key}` }),
        },
        ...(body !== undefined && { body }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
      return Parse(shape, JSON.parse(text));
    },
  };
};

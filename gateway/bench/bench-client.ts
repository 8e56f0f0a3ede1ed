import Type, { type Static, type TSchema } from 'typebox';
import { Parse } from 'typebox/value';
import type { Credentials } from './product-process.ts';

const grant = Type.Object({ access_token: Type.String() });

const answer = Type.Object({ data: Type.Optional(Type.Unknown()), errors: Type.Optional(Type.Array(Type.Unknown())) });

/** External client with the demo's `operator` token. */
export interface BenchClient {
  readonly token: string;
  /** Runs a GraphQL operation; `shape` selects what of the answer is read. */
  ask<T extends TSchema>(document: string, variables: object, shape: T): Promise<Static<T>>;
  /** Runs a mutation with this input and these result fields. */
  act<T extends TSchema>(mutation: string, input: object, fields: string, shape: T): Promise<Static<T>>;
  /** Waits for the next change notice of this entity. */
  change(id: string): Promise<void>;
  leave(): Promise<void>;
}

/** Reads every change notice; only one caller may wait for an entity. */
const listen = async (baseUrl: string, authorization: string, signal: AbortSignal) => {
  const waiting = new Map<string, () => void>();
  const response = await fetch(`${baseUrl}/changes`, { headers: { authorization }, signal });
  if (response.status !== 200 || !response.body) throw new Error(`/changes answered ${response.status}`);
  const lines = response.body.pipeThrough(new TextDecoderStream());
  const readMessages = async (): Promise<void> => {
    let rest = '';
    for await (const chunk of lines) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const id = /"id":"([^"]+)"/.exec(line)?.[1];
        if (id !== undefined) waiting.get(id)?.();
      }
    }
  };
  const reading = readMessages().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return { waiting, hearing: reading };
};

export const visit = async ({ baseUrl, authUrl, clients }: Credentials): Promise<BenchClient> => {
  const client = clients.find(({ name }) => name === 'operator');
  if (!client) throw new Error('the demo has no client operator');
  const granted = await fetch(`${authUrl}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: token } = Parse(grant, await granted.json());
  const authorization = `Bearer ${token}`;
  const leaving = new AbortController();
  const { waiting, hearing: reading } = await listen(baseUrl, authorization, leaving.signal);

  const ask: BenchClient['ask'] = async (query, variables, shape) => {
    const response = await fetch(`${baseUrl}/graphql`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = Parse(answer, await response.json());
    if (errors) throw new Error(JSON.stringify(errors));
    return Parse(shape, data);
  };

  return {
    token,
    ask,
    async act(mutation, input, fields, shape) {
      const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
      const document = `mutation ($input: ${type}!) { it: ${mutation}(input: $input) { ${fields} } }`;
      const { it } = await ask(document, { input }, Type.Object({ it: Type.Unknown() }));
      return Parse(shape, it);
    },
    change: (id) =>
      new Promise((resolve) => {
        waiting.set(id, resolve);
      }),
    async leave() {
      leaving.abort();
      await reading;
    },
  };
};

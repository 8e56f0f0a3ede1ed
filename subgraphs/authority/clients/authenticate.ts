import { sha256Bytes } from '@landfall/kernel/digest';
import { Fault } from '@landfall/kernel/fault';
import { isId, toId } from '@landfall/kernel/ids';
import type { Deps } from '@landfall/kernel/module';
import { constantTimeEqual } from '@landfall/kernel/secrets';
import type { Form } from '../tokens/form.ts';
import * as store from './clients.store.ts';

/** What a request brings to prove its client (RFC 6749 2.3.1). */
export interface Credentials {
  readonly authorization: string | readonly string[] | undefined;
  readonly form: Form;
}

/** @throws Fault invalid_client (401), invalid_request (400) when two methods are used at once */
export type Authenticate = (credentials: Credentials) => Promise<store.Client>;

interface Pair {
  readonly clientId: string;
  readonly secret: string;
}

const failed = (message: string): Fault => new Fault('invalid_client', message);

/** Both halves are form-encoded before they are joined (RFC 6749 2.3.1): `+` is a space, `%3A` a colon. */
const decodeHalf = (half: string): string => decodeURIComponent(half.replaceAll('+', ' '));

const readBasic = (header: string): Pair => {
  const encoded = /^basic +([\w+/-]+={0,2}) *$/i.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) throw failed('The Authorization header is no Basic credentials.');
  try {
    return { clientId: decodeHalf(text.slice(0, colon)), secret: decodeHalf(text.slice(colon + 1)) };
  } catch {
    throw failed('The Basic credentials are not form-encoded.');
  }
};

const readPair = ({ authorization, form }: Credentials): Pair => {
  const { client_id: clientId, client_secret: secret } = form;
  if (authorization === undefined) {
    if (clientId === undefined || secret === undefined) throw failed('The client must authenticate.');
    return { clientId, secret };
  }
  if (typeof authorization !== 'string')
    throw new Fault('invalid_request', 'There are several Authorization headers; send one.');
  if (secret !== undefined)
    throw new Fault('invalid_request', 'The client authenticates in two ways at once; use one.');
  const pair = readBasic(authorization);
  if (clientId !== undefined && clientId !== pair.clientId)
    throw new Fault('invalid_request', 'client_id is not the client that authenticates.');
  return pair;
};

/** Stands in for what does not exist, so that looking for it costs the same. */
const NO_CLIENT = toId('00000000-0000-0000-0000-000000000000', 'Client');
const NO_SECRET = Buffer.alloc(32);

export const createAuthenticate =
  ({ database }: Pick<Deps, 'database'>): Authenticate =>
  async (credentials) => {
    const { clientId, secret } = readPair(credentials);
    const wanted = isId(clientId, 'Client') ? clientId : NO_CLIENT;
    const [client, secrets] = await database.system.read(
      async (query) =>
        [await store.findAnywhere(query, wanted), await store.listSecretsAnywhere(query, wanted)] as const,
    );
    const presented = sha256Bytes(secret);
    const hashes = [...secrets.map(({ hash }) => hash), NO_SECRET, NO_SECRET].slice(0, 2);
    const fits = hashes.map((hash) => constantTimeEqual(hash, presented)).includes(true);
    if (!client?.active || !fits) throw failed('The client is unknown or its secret is wrong.');
    return client;
  };

import { Fault } from '@landfall/kernel/fault';
import Type from 'typebox';
import type { Authenticate } from '../clients/authenticate.ts';
import type { Client } from '../clients/clients.store.ts';
import { isRegisteredFor } from '../clients/grants.ts';
import { heldByClient, refusedScope, scopeWords } from '../scopes.ts';
import { type Form, formParser, parameter, readForm } from './form.ts';
import type { Issuer, TokenAnswer } from './issue.ts';
import type { ProtocolRequest } from './protocol.ts';

/** One grant: the client is authenticated and registered for it. @throws Fault invalid_grant, invalid_scope */
export type GrantHandler = (client: Client, form: Form, request: ProtocolRequest) => Promise<TokenAnswer>;

const clientCredentialsRequest = Type.Object({ scope: Type.Optional(parameter(2_000)) });
const parse = formParser(clientCredentialsRequest);

/** `grant_type=client_credentials` (RFC 6749 4.4). */
export const createClientCredentialsGrant =
  ({ issuer }: { readonly issuer: Issuer }): GrantHandler =>
  async (client, form) => {
    const { scope } = parse(form);
    const own = heldByClient(client.scopes);
    const scopes = scope === undefined ? own : scopeWords(scope);
    const refused = refusedScope(scopes, own);
    if (refused !== undefined) throw new Fault('invalid_scope', `The scope ${refused} is not this client’s.`);
    return issuer.answerClient(client, scopes);
  };

const withGrant = formParser(Type.Object({ grant_type: parameter(100) }));

/** POST /token. */
export const createTokenEndpoint =
  (authenticate: Authenticate, grants: ReadonlyMap<string, GrantHandler>) =>
  async (request: ProtocolRequest): Promise<TokenAnswer> => {
    const form = readForm(request.body);
    const client = await authenticate({ authorization: request.authorization, form });
    const { grant_type: grantType } = withGrant(form);
    const grant = grants.get(grantType);
    if (!grant) throw new Fault('unsupported_grant_type', 'The authority does not offer this grant.');
    if (!isRegisteredFor(client, grantType))
      throw new Fault('unauthorized_client', `The client is not registered for ${grantType}.`);
    return grant(client, form, request);
  };

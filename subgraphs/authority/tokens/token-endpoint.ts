import { Fault } from '@landfall/kernel/core/fault';
import Type from 'typebox';
import type { Authenticate, AuthenticatedClient } from '../clients/authenticate.ts';
import { isRegisteredFor } from '../clients/grant-types.ts';
import type { SenderProof, SenderProofs } from '../clients/sender-constraint.ts';
import { type Form, formParser, parameter, readForm, valuesOf } from '../protocol/form.ts';
import type { ProtocolRequest } from '../protocol/protocol-request.ts';
import type { TokenAnswer } from './issuer.ts';

/** Request to POST /token by an authenticated client registered for the grant. */
export interface GrantRequest {
  readonly client: AuthenticatedClient;
  readonly form: Form;
  /** Values of `resource` (RFC 8707 2). */
  readonly resources: readonly string[];
  /** Keys that the request proved possession of. */
  readonly sender: SenderProof;
  readonly request: ProtocolRequest;
}

/**
 * Handler of a grant.
 * @throws Fault invalid_grant, invalid_scope, invalid_target and the other names of RFC 6749 5.2
 */
export type GrantHandler = (asked: GrantRequest) => Promise<TokenAnswer>;

interface TokenEndpointParts {
  readonly authenticate: Authenticate;
  readonly senderProofs: SenderProofs;
  /** Handlers by `grant_type`. */
  readonly grants: ReadonlyMap<string, GrantHandler>;
}

const withGrant = formParser(Type.Object({ grant_type: parameter(100) }));

/** POST /token. */
export const createTokenEndpoint =
  ({ authenticate, senderProofs, grants }: TokenEndpointParts) =>
  async (request: ProtocolRequest): Promise<TokenAnswer> => {
    const form = readForm(request.body);
    const client = await authenticate({ authorization: request.authorization, certificate: request.certificate, form });
    const { grant_type: grantType } = withGrant(form);
    const grant = grants.get(grantType);
    if (!grant) throw new Fault('unsupported_grant_type', 'The authority does not offer this grant.');
    if (!isRegisteredFor(client, grantType))
      throw new Fault('unauthorized_client', `The client is not registered for ${grantType}.`);
    // A proof is good once, so it is looked at after everything that is told without it.
    const sender = await senderProofs.proofOf(request);
    return grant({ client, form, resources: valuesOf(request.body, 'resource'), sender, request });
  };

import { Fault } from '@landfall/kernel/core/fault';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import type { ResourceIndicators } from '../authorization/resource-indicators.ts';
import type { Authenticate, AuthenticatedClient } from '../clients/authenticate.ts';
import { isRegisteredFor } from '../clients/grant-types.ts';
import type { SenderProof, SenderProofs } from '../clients/sender-constraint.ts';
import type { Factors } from '../factors/factors.ts';
import { type Form, formParser, parameter, readForm, valuesOf } from '../protocol/form.ts';
import type { ProtocolRequest } from '../protocol/protocol-request.ts';
import type { BackOff } from '../users/back-off.ts';
import type { RecordFailedSignIn } from '../users/failed-sign-ins.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { OpenFamily } from './family-lifecycle.ts';
import type { Issuer, TokenAnswer } from './issuer.ts';
import type { ReadTokenStatus } from './token-status.ts';

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

/** Handler of a grant; throws a Fault with an error name of RFC 6749 5.2, or invalid_target. */
export type GrantOperation = (request: GrantRequest) => Promise<TokenAnswer>;

/** Services that the handlers of grants share. */
export interface GrantParts extends Pick<Deps, 'database' | 'ids' | 'clock'> {
  readonly issuer: Issuer;
  readonly openFamily: OpenFamily;
  readonly resourceIndicators: ResourceIndicators;
  readonly accessTokens: AccessTokens;
  readonly readTokenStatus: ReadTokenStatus;
  readonly factors: Pick<Factors, 'summaryOf'>;
  readonly backOff: BackOff;
  readonly recordFailedSignIn: RecordFailedSignIn;
}

interface TokenEndpointParts {
  readonly authenticate: Authenticate;
  readonly senderProofs: SenderProofs;
  readonly grants: ReadonlyMap<string, GrantOperation>;
}

const withGrant = formParser(Type.Object({ grant_type: parameter(100) }));

/** Creates the handler of POST /token. */
export const createTokenEndpoint =
  ({ authenticate, senderProofs, grants }: TokenEndpointParts) =>
  async (request: ProtocolRequest): Promise<TokenAnswer> => {
    const form = readForm(request.body);
    const client = await authenticate({ ...request, form });
    const { grant_type: grantType } = withGrant(form);
    const grant = grants.get(grantType);
    if (!grant) throw new Fault('unsupported_grant_type', 'The authority does not offer this grant.');
    if (!isRegisteredFor(client, grantType))
      throw new Fault('unauthorized_client', `The client is not registered for ${grantType}.`);
    // A proof can be used once, so it is checked after everything that needs no proof.
    const sender = await senderProofs.proofOf(request);
    return grant({ client, form, resources: valuesOf(request.body, 'resource'), sender, request });
  };

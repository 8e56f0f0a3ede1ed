import { Fault } from '@landfall/kernel/core/fault';
import { fromNow } from '@landfall/kernel/db/sql';
import type { Deps } from '@landfall/kernel/module';
import type { FaultCode } from '@landfall/schema/codes';
import type { Authenticate } from '../clients/authenticate.ts';
import type { SenderProofs } from '../clients/sender-constraint.ts';
import type { Form } from '../protocol/form.ts';
import { newOpaqueSecret } from '../protocol/opaque-secrets.ts';
import type { ProtocolRequest } from '../protocol/protocol-request.ts';
import { findReturnAddress, type RedirectError, readAuthorization, readParameters } from './authorization-request.ts';
import * as store from './pushed-requests.store.ts';
import type { ResourceIndicators } from './resource-indicators.ts';

export const { claim, consume, insert, prune: prunePushedRequests, URN } = store;

interface Ports extends Pick<Deps, 'database'> {
  readonly authenticate: Authenticate;
  readonly senderProofs: SenderProofs;
  readonly resourceIndicators: Pick<ResourceIndicators, 'allowsResource'>;
}

const ALIVE_MS = 90_000;

/** Error codes of /authorize as /par returns them (RFC 9126 2.3). */
const CODES = {
  access_denied: 'access_denied',
  consent_required: 'invalid_request',
  invalid_request: 'invalid_request',
  invalid_scope: 'invalid_scope',
  invalid_target: 'invalid_target',
  login_required: 'invalid_request',
  request_not_supported: 'invalid_request',
  request_uri_not_supported: 'invalid_request',
  unauthorized_client: 'unauthorized_client',
  unsupported_response_type: 'unsupported_response_type',
} as const satisfies Readonly<Record<RedirectError, FaultCode>>;

const withoutCredentials = ({
  client_secret: _secret,
  client_assertion: _assertion,
  client_assertion_type: _type,
  ...form
}: Form): Form => form;

/** Creates the handler of POST /par (RFC 9126), which throws a Fault with an OAuth error name. */
export const createPushedRequests =
  ({ database, authenticate, senderProofs, resourceIndicators: { allowsResource } }: Ports) =>
  async (request: ProtocolRequest) => {
    const params = readParameters(request.body);
    const client = await authenticate({ ...request, form: params.form });
    if (params.form.request_uri !== undefined)
      throw new Fault('invalid_request', 'A pushed request holds no request_uri (RFC 9126 2.1).');
    const { jkt } = await senderProofs.proofOf(request);
    if (jkt !== undefined && (params.form.dpop_jkt ?? jkt) !== jkt)
      throw new Fault('invalid_dpop_proof', 'dpop_jkt names another key than the proof (RFC 9449 10.1).');
    const form = {
      ...withoutCredentials(params.form),
      client_id: client.id,
      ...(jkt !== undefined && { dpop_jkt: jkt }),
    };
    const to = await findReturnAddress({ database }, form);
    if (!to) throw new Fault('invalid_request', 'redirect_uri is not registered for this client.');
    const authorization = readAuthorization(to, { form, resources: params.resources }, allowsResource);
    if ('error' in authorization) throw new Fault(CODES[authorization.error], authorization.description);
    const { value, hash } = newOpaqueSecret();
    const parameters = { form, resources: [...params.resources] };
    await database.write(client.tenant, (tx) =>
      store.insert(tx, client.tenant, { hash, clientId: client.id, parameters, expiresAt: fromNow(ALIVE_MS) }),
    );
    return { request_uri: `${store.URN}${value}`, expires_in: ALIVE_MS / 1000 };
  };

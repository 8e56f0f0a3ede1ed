import { Fault } from '@landfall/kernel/core/fault';
import { toId } from '@landfall/kernel/core/ids';
import { fromNow } from '@landfall/kernel/db/sql';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import type { Authenticate } from '../clients/authenticate.ts';
import { formParser, parameter, readForm, valuesOf } from '../protocol/form.ts';
import { newOpaqueSecret } from '../protocol/opaque-secrets.ts';
import type { ProtocolRequest } from '../protocol/protocol-request.ts';
import { clientScopes } from '../protocol/scopes.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import * as devices from './device-codes.store.ts';
import type { ResourceIndicators } from './resource-indicators.ts';
import { formatUserCode, newUserCode } from './user-codes.ts';

export const { adopt, approve, consume, deny, find, findByUserCode, poll, prune: pruneDevices } = devices;
export type { DeviceCode, Poll } from './device-codes.store.ts';

const parse = formParser(Type.Object({ scope: Type.Optional(parameter(2_000)) }));

/** Attempts to find a user code that is not in use: of 25,600,000,000 a second attempt is rare. */
const MAX_ATTEMPTS = 5;

interface Parts extends Pick<Deps, 'database' | 'ids'> {
  readonly authenticate: Authenticate;
  readonly resourceIndicators: ResourceIndicators;
}

/** Creates the handler of POST /device_authorization (RFC 8628 3.1); its answer (3.2) keeps the order of its bytes. */
export const createDeviceAuthorization = (
  { database, ids, authenticate, resourceIndicators }: Parts,
  { issuer, deviceCodeMs, devicePollMs }: AuthoritySettings,
) => {
  return async (request: ProtocolRequest) => {
    const form = readForm(request.body);
    const client = await authenticate({ ...request, form });
    if (!client.grants.includes('device_code'))
      throw new Fault('unauthorized_client', 'The client is not registered for device_code.');
    const scopes = clientScopes(parse(form).scope, client.scopes);
    const resources = resourceIndicators.resourcesOf(client, valuesOf(request.body, 'resource'));
    const code = newOpaqueSecret();
    const deviceCode = { hash: code.hash, clientId: client.id, scopes, resources, address: request.address };
    const pollSeconds = Math.ceil(devicePollMs / 1000);
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      const userCode = newUserCode();
      const device = { ...deviceCode, pollSeconds, userCode, id: toId(ids.uuid(), 'DeviceCode') };
      const inserted = await database.write(client.tenant, (tx) =>
        devices.insertIfAbsent(tx, client.tenant, { ...device, expiresAt: fromNow(deviceCodeMs) }),
      );
      if (!inserted) continue;
      return {
        device_code: code.value,
        user_code: formatUserCode(userCode),
        verification_uri: `${issuer}/device`,
        verification_uri_complete: `${issuer}/device?user_code=${formatUserCode(userCode)}`,
        expires_in: Math.floor(deviceCodeMs / 1000),
        interval: pollSeconds,
      };
    }
    throw new Fault('SYS_OVERLOADED', 'No user code is free. Try again.');
  };
};

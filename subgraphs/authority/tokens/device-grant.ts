import { Fault } from '@landfall/kernel/core/fault';
import { toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import Type from 'typebox';
import * as devices from '../authorization/device-authorization.ts';
import { bindingOf } from '../clients/sender-constraint.ts';
import { formParser, parameter } from '../protocol/form.ts';
import { hashSecret } from '../protocol/opaque-secrets.ts';
import * as users from '../users/users.ts';
import { revokeReused } from './family-lifecycle.ts';
import type { TokenIssue } from './issuer.ts';
import type { GrantOperation, GrantParts, GrantRequest } from './token-endpoint.ts';

const parse = formParser(Type.Object({ device_code: parameter(200) }));

const unknownCode = (): Fault =>
  new Fault('invalid_grant', 'The device code is unknown, used, or was issued to another client.');

/** Refuses a poll until the person has answered (RFC 8628 3.5). */
const refuseYet = ({ state, isExpired, isSpent, isTooEarly }: devices.Poll): void => {
  if (isSpent) return;
  if (state === 'denied') throw new Fault('access_denied', 'The person refused the request.');
  if (isExpired) throw new Fault('expired_token', 'The device code has expired. Begin again.');
  if (isTooEarly) throw new Fault('slow_down', 'Too many polls: wait five seconds longer from now on.');
  if (state === 'pending') throw new Fault('authorization_pending', 'The person has not answered yet.');
};

/** `grant_type=urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 3.4). */
export const createDeviceGrant = ({
  database,
  ids,
  issuer,
  openFamily,
  resourceIndicators,
}: GrantParts): GrantOperation => {
  const refuseReuse = async (tx: Tx, poll: devices.Poll, { client, request }: GrantRequest): Promise<void> => {
    const { tenant } = poll;
    const device = await devices.find(tx, tenant, poll.id);
    if (!device?.familyId) return;
    const { familyId, userId } = device;
    await revokeReused(tx, { type: 'deviceCode.reuse', tenant, client, familyId, userId }, request);
  };

  const consume = async (tx: Tx, poll: devices.Poll, request: GrantRequest): Promise<TokenIssue | undefined> => {
    const { client, sender } = request;
    const { tenant, userId } = poll;
    const user = userId === null ? undefined : await users.lockActive(tx, tenant, userId);
    if (!user) return undefined;
    const familyId = toId(ids.uuid(), 'TokenFamily');
    const device = await devices.consume(tx, tenant, poll.id, { clientId: client.id, familyId });
    if (!device?.authTime) {
      await refuseReuse(tx, poll, request);
      return undefined;
    }
    const { scopes, amr, authTime, resources: granted } = device;
    const resources = resourceIndicators.resourcesOf(client, request.resources, granted);
    const binding = bindingOf(client, sender);
    return openFamily(tx, {
      ...{ tenant, client, user, familyId, scopes, granted, resources, amr, authTime, binding },
      nonce: null,
    });
  };

  return async (grant) => {
    const { client, form, sender } = grant;
    const hash = hashSecret(parse(form).device_code);
    bindingOf(client, sender);
    const poll = await database.system.read((query) => devices.poll(query, hash, client.id));
    if (!poll) throw unknownCode();
    refuseYet(poll);
    const issue = await database.write(poll.tenant, (tx) => consume(tx, poll, grant));
    if (!issue) throw unknownCode();
    return issuer.answer(issue);
  };
};

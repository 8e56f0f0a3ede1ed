import { Fault } from '@landfall/kernel/core/fault';
import Type from 'typebox';
import type { ResourceIndicators } from '../authorization/resource-indicators.ts';
import { bindingOf } from '../clients/sender-constraint.ts';
import { formParser, parameter } from '../protocol/form.ts';
import { heldByClient, refusedScope, requestedScopes } from '../protocol/scopes.ts';
import type { Issuer } from './issuer.ts';
import type { GrantHandler } from './token-endpoint.ts';

const parse = formParser(Type.Object({ scope: Type.Optional(parameter(2_000)) }));

/** What a client asks for of what it may: everything when it does not say. @throws Fault invalid_scope */
export const askedScopes = (scope: string | undefined, allowed: readonly string[]): readonly string[] => {
  if (scope === undefined) return allowed;
  const scopes = requestedScopes(scope);
  if (scopes.length === 0) throw new Fault('invalid_scope', 'The authority knows none of the scopes asked for.');
  const refused = refusedScope(scopes, allowed);
  if (refused !== undefined) throw new Fault('invalid_scope', `The scope ${refused} is not this client’s.`);
  return scopes;
};

interface Parts {
  readonly issuer: Issuer;
  readonly resourceIndicators: ResourceIndicators;
}

/** `grant_type=client_credentials` (RFC 6749 4.4, RFC 8707 2.2). */
export const createClientGrant =
  ({ issuer, resourceIndicators }: Parts): GrantHandler =>
  async ({ client, form, resources, sender }) => {
    const scopes = askedScopes(parse(form).scope, heldByClient(client.scopes));
    const binding = bindingOf(client, sender);
    const targeted = resourceIndicators.resourcesOf(client, resources);
    return issuer.answerClient(client, { scopes, resources: targeted, binding });
  };

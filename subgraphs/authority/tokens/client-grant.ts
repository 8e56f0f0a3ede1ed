import Type from 'typebox';
import type { ResourceIndicators } from '../authorization/resource-indicators.ts';
import { bindingOf } from '../clients/sender-constraint.ts';
import { formParser, parameter } from '../protocol/form.ts';
import { clientScopes, scopesOfClient } from '../protocol/scopes.ts';
import type { Issuer } from './issuer.ts';
import type { GrantHandler } from './token-endpoint.ts';

const parse = formParser(Type.Object({ scope: Type.Optional(parameter(2_000)) }));

interface Parts {
  readonly issuer: Issuer;
  readonly resourceIndicators: ResourceIndicators;
}

/** `grant_type=client_credentials` (RFC 6749 4.4, RFC 8707 2.2). */
export const createClientGrant =
  ({ issuer, resourceIndicators }: Parts): GrantHandler =>
  async ({ client, form, resources, sender }) => {
    const scopes = clientScopes(parse(form).scope, scopesOfClient(client.scopes));
    const binding = bindingOf(client, sender);
    const targeted = resourceIndicators.resourcesOf(client, resources);
    return issuer.answerClient(client, { scopes, resources: targeted, binding });
  };

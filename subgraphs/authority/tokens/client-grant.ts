import Type from 'typebox';
import { bindingOf } from '../clients/sender-constraint.ts';
import { formParser, parameter } from '../protocol/form.ts';
import { clientScopes, scopesOfClient } from '../protocol/scopes.ts';
import type { GrantOperation, GrantParts } from './token-endpoint.ts';

const parse = formParser(Type.Object({ scope: Type.Optional(parameter(2_000)) }));

/** `grant_type=client_credentials` (RFC 6749 4.4, RFC 8707 2.2). */
export const createClientGrant =
  ({ issuer, resourceIndicators }: GrantParts): GrantOperation =>
  async ({ client, form, resources, sender }) => {
    const scopes = clientScopes(parse(form).scope, scopesOfClient(client.scopes));
    const binding = bindingOf(client, sender);
    const targeted = resourceIndicators.resourcesOf(client, resources);
    return issuer.answerClient(client, { scopes, resources: targeted, binding });
  };

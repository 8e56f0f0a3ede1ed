import { Fault } from '@landfall/kernel/core/fault';
import { isId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { isAnyStopped, isRevoked } from '@landfall/kernel/identity/denylist';
import Type from 'typebox';
import * as clients from '../clients/clients.ts';
import { type Binding, bindingOf, isProved, kindOf, type SenderProof } from '../clients/sender-constraint.ts';
import { formParser, parameter, valuesOf } from '../protocol/form.ts';
import { auditActor, type ProtocolRequest } from '../protocol/protocol-request.ts';
import { narrowScopes, scopesOfClient } from '../protocol/scopes.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import * as exchanges from '../revocation/revocation.ts';
import * as tenants from '../tenants/tenants.ts';
import * as users from '../users/users.ts';
import { type AccessToken, type Actor, accessTokenEvent, type Grant } from './access-tokens.ts';
import * as families from './families.store.ts';
import { entitlementsOf } from './issuer.ts';
import type { GrantOperation, GrantParts, GrantRequest } from './token-endpoint.ts';

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

const parse = formParser(
  Type.Object({
    subject_token: parameter(8_192),
    subject_token_type: parameter(100),
    actor_token: Type.Optional(parameter(8_192)),
    actor_token_type: Type.Optional(parameter(100)),
    requested_token_type: Type.Optional(parameter(100)),
    scope: Type.Optional(parameter(2_000)),
  }),
);

type Form = ReturnType<typeof parse>;

/** Upper bound of the actor chain. */
const MAX_CHAIN_LENGTH = 8;

const refused = (message: string): Fault => new Fault('invalid_request', message);
const invalidToken = (): Fault => refused('The token is unknown, expired or revoked.');

/** @throws Fault invalid_request (RFC 8693 2.2.2) */
const checkTypes = (form: Form): void => {
  const { subject_token_type: subject, actor_token: actorToken, actor_token_type: actorType } = form;
  if ((actorToken === undefined) !== (actorType === undefined))
    throw refused('actor_token and actor_token_type go together.');
  const types = [subject, actorType ?? ACCESS_TOKEN, form.requested_token_type ?? ACCESS_TOKEN];
  if (types.some((type) => type !== ACCESS_TOKEN)) throw refused(`The only token type is ${ACCESS_TOKEN}.`);
};

const lengthOf = (act: Actor | undefined): number => (act ? 1 + lengthOf(act.act) : 0);

const actorsOf = (act: Actor | undefined): readonly string[] => (act ? [act.sub, ...actorsOf(act.act)] : []);

/** Prepends an actor to the chain (RFC 8693 4.1). */
const chainOf = (sub: string, before: Actor | undefined): Actor => {
  if (lengthOf(before) >= MAX_CHAIN_LENGTH) throw refused('The subject token has been exchanged too often.');
  return before ? { sub, act: before } : { sub };
};

/** Scopes that both the subject token and the client have. @throws Fault invalid_scope */
const scopesOf = (
  client: clients.Client,
  subject: AccessToken,
  requestedScopes: string | undefined,
): readonly string[] =>
  narrowScopes(
    requestedScopes,
    scopesOfClient(client.scopes).filter((scope) => subject.scopes.includes(scope)),
    (scope) => `The scope ${scope} is not in both tokens’ reach.`,
  );

interface Exchange {
  readonly client: clients.Client;
  readonly subject: AccessToken;
  /** Verified actor token. */
  readonly actor: AccessToken | undefined;
  readonly act: Actor;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly binding: Binding | undefined;
}

/** Ids of the tenant's own clients and the acting person behind exchanged tokens, except the requesting client. */
const holdersOf = async (tx: Tx, { client, subject, actor: acting }: Exchange): Promise<readonly string[]> => {
  const input = acting ? [subject, acting] : [subject];
  const ids = input
    .flatMap(({ clientId, subject: id, ofClient }) => (ofClient ? [clientId, id] : [clientId]))
    .filter((id) => isId(id, 'Client'));
  const own = await clients.listByIds(tx, subject.tenant, ids);
  const person = acting && !acting.ofClient ? [acting.subject] : [];
  const earlier = input.flatMap(({ earlierHolders = [] }) => earlierHolders);
  const ownAudience = own.filter(({ servesEveryTenant }) => !servesEveryTenant).map(({ id }) => id);
  const all = new Set([...ownAudience, ...person, ...earlier]);
  return [...all].filter((id) => id !== client.id);
};

/** `grant_type=urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693): a token for the same subject, by another client. */
export const createExchangeGrant = (
  { database, ids, accessTokens, readTokenStatus, issuer, resourceIndicators }: GrantParts,
  { audience, baseUrl }: Pick<AuthoritySettings, 'audience' | 'baseUrl'>,
): GrantOperation => {
  const verified = async (token: string, client: clients.Client, sender: SenderProof): Promise<AccessToken> => {
    const known = await accessTokens.verify(token);
    const isOwn = known && (client.servesEveryTenant || known.tenant === client.tenant);
    const isGood = isOwn && (await readTokenStatus(known)).isValid;
    if (!isGood) throw invalidToken();
    if (!isProved(known.cnf, sender)) throw refused('The token is bound to a key that this request does not prove.');
    return known;
  };

  /** `audience` names targets by their logical names (RFC 8693 2.1), `resource` by their addresses. */
  const requestedTargets = (client: clients.Client, { resources, request }: GrantRequest): readonly string[] => {
    const audiences = valuesOf(request.body, 'audience');
    if (!audiences.every((word) => word === audience || client.resources.includes(word)))
      throw new Fault('invalid_target', 'An audience is unknown or not this client’s.');
    const named = audiences.map((word) => (word === audience ? baseUrl : word));
    return [...new Set([...resourceIndicators.resourcesOf(client, resources), ...named])];
  };

  /** Resources of the exchange: those of the subject token, and those that the client is registered for. */
  const resourcesOf = (client: clients.Client, subject: AccessToken, request: GrantRequest): readonly string[] => {
    const granted = [subject.audience].flat().map((word) => (word === audience ? baseUrl : word));
    const requested = requestedTargets(client, request);
    const isGranted = (resource: string) =>
      granted.includes(resource) || granted.includes(resource.replace(/\/+$/, ''));
    if (!requested.every((resource) => isGranted(resource) || client.resources.includes(resource)))
      throw new Fault('invalid_target', 'The subject token is for another audience.');
    return requested.length > 0 ? requested : granted;
  };

  /** Locks the subject of a token and checks that the token is valid. Lock order: the person, then the family. */
  const lockSubject = async (tx: Tx, subject: AccessToken): Promise<families.Family | undefined> => {
    const { tenant, jti, clientId, subject: id, ofClient } = subject;
    const isThere = ofClient || (isId(id, 'User') && (await users.lockActive(tx, tenant, id)));
    const found = isId(jti, 'AccessToken') ? await families.findByAccessToken(tx, tenant, jti) : undefined;
    const family = found && (await families.findLocked(tx, tenant, found.id));
    await exchanges.lockRevocations(tx, tenant);
    const isDenied = await isRevoked(tx, { jti, tenant, clientId, subject: id });
    if (!isThere || isDenied || (family && family.revokedAt !== null)) throw invalidToken();
    return family;
  };

  const record = async (tx: Tx, exchange: Exchange, request: ProtocolRequest) => {
    const { client, subject, act } = exchange;
    const { tenant } = subject;
    const family = await lockSubject(tx, subject);
    const terms = await tenants.find(tx, tenant);
    if (!terms?.active || (await isAnyStopped(tx, actorsOf(act)))) throw invalidToken();
    const grant: Grant = {
      jti: ids.uuid(),
      subject: subject.subject,
      clientId: client.id,
      tenant,
      scopes: exchange.scopes,
      audience: resourceIndicators.audienceOf(exchange.resources),
      ...entitlementsOf(client, terms),
      cnf: exchange.binding?.cnf,
      act,
      ofClient: subject.ofClient ?? false,
      earlierHolders: await holdersOf(tx, exchange),
      expiresAt: new Date(Math.min(accessTokens.expiry().getTime(), subject.expiresAt.getTime())),
    };
    const { jti, expiresAt } = grant;
    // A token from a sign-in ends with that sign-in, and an exchanged one ends with its subject token.
    if (family) await families.insertAccessToken(tx, tenant, { jti, familyId: family.id, expiresAt });
    const parties = [...new Set([...actorsOf(act), subject.clientId])];
    await exchanges.insertExchange(tx, tenant, { jti, subjectJti: subject.jti, parties, expiresAt });
    const data = { subject: subject.subject, act, scopes: grant.scopes };
    await accessTokenEvent(
      tx,
      auditActor(tenant, client.id, 'client', request),
      'accessToken.exchange',
      { id: jti },
      data,
    );
    return grant;
  };

  return async (grantRequest) => {
    const { client, sender, request } = grantRequest;
    const form = parse(grantRequest.form);
    checkTypes(form);
    const subject = await verified(form.subject_token, client, sender);
    // An exchange never issues a weaker token.
    const binding = bindingOf(client, sender, kindOf(subject.cnf));
    const acting = form.actor_token === undefined ? undefined : await verified(form.actor_token, client, sender);
    const scopes = scopesOf(client, subject, form.scope);
    const act = chainOf(acting?.subject ?? client.id, subject.act);
    const resources = resourcesOf(client, subject, grantRequest);
    const exchange = { client, subject, actor: acting, act, scopes, resources, binding };
    const grant = await database.write(subject.tenant, (tx) => record(tx, exchange, request));
    const shorterMs = Math.max(0, accessTokens.expiry().getTime() - grant.expiresAt.getTime());
    const answer = await issuer.answerGrant(grant);
    const expiresIn = answer.expires_in - Math.ceil(shorterMs / 1000);
    return { ...answer, expires_in: expiresIn, issued_token_type: ACCESS_TOKEN };
  };
};

import type { TenantId } from '@landfall/kernel/core/ids';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Tx } from '@landfall/kernel/db/query';
import { fromNow } from '@landfall/kernel/db/sql';
import type { Deps } from '@landfall/kernel/module';
import type { AuthorizationRequest } from '../authorization/authorization-request.ts';
import * as pushedRequests from '../authorization/pushed-requests.ts';
import { isPublicClient } from '../clients/credentials.ts';
import { isLoopbackUri } from '../clients/redirect-uris.ts';
import { newOpaqueSecret } from '../protocol/opaque-secrets.ts';
import { scopesOfRoles } from '../protocol/scopes.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { find as findTenant } from '../tenants/tenants.ts';
import * as codes from '../tokens/code-grant.ts';
import * as users from '../users/users.ts';
import { type BrowserAnswer, redirectAnswer } from './browser-answers.ts';
import * as consents from './consents.store.ts';
import type { Requests, SignInRequest } from './requests.ts';
import type { Session } from './sessions.store.ts';

interface CodeOptions {
  readonly setCookie?: string | undefined;
  /** Scopes that the person allowed. */
  readonly scopes?: readonly string[] | undefined;
  /** Writes more in the transaction of the code. */
  readonly also?: ((tx: Tx, user: users.User) => Promise<void>) | undefined;
}

interface Ports extends Pick<Deps, 'database' | 'clock'> {
  readonly requests: Requests;
}

/** Grace period for a request that required a new sign-in. */
const GRACE_MS = 300_000;

/** Whether people of this tenant may use the request's client. */
export const servesTenant = (request: SignInRequest, tenant: TenantId): boolean =>
  request.kind === 'visit' || request.client.servesEveryTenant || request.client.tenant === tenant;

/** Whether a person matches the request's `id_token_hint` (OpenID Connect Core 3.1.2.1). */
export const isExpected = (request: SignInRequest, userId: users.UserId): boolean =>
  request.kind === 'visit' || request.hintedSubject === undefined || request.hintedSubject === userId;

/** Identifies a public client at a loopback address, for which consent is asked each time (RFC 8252 8.6). */
const isUnproven = ({ client, redirectUri }: AuthorizationRequest): boolean =>
  isPublicClient(client) && isLoopbackUri(redirectUri);

/** Locks an active person of an active tenant for share. */
export const lockActivePerson = async (
  tx: Tx,
  tenant: TenantId,
  userId: users.UserId,
): Promise<users.User | undefined> =>
  (await findTenant(tx, tenant))?.active ? users.lockActive(tx, tenant, userId) : undefined;

/** Completes a sign-in: issues the code, asks for consent, or refuses. */
export const createCompletion = ({ database, clock, requests }: Ports, { codeMs }: AuthoritySettings) => {
  const insertCode = async (tx: Tx, request: AuthorizationRequest, session: Session, scopes: readonly string[]) => {
    const code = newOpaqueSecret();
    const { challenge, nonce, resources, dpopJkt, redirectUri } = request;
    await codes.insertCode(tx, session.tenant, {
      hash: code.hash,
      clientId: request.client.id,
      userId: session.userId,
      ...{ redirectUri, scopes, challenge, nonce, resources, dpopJkt },
      amr: session.amr,
      authTime: session.authTime,
      expiresAt: fromNow(codeMs),
    });
    return code.value;
  };

  /** Consumes a pushed request; false when it was answered before. A plain request is never consumed. */
  const consume = async ({ pushed }: AuthorizationRequest): Promise<boolean> =>
    pushed === undefined || (await database.system.write((tx) => pushedRequests.consume(tx, pushed))) === 1;

  /** Scopes the person must be asked about; undefined when consent is not needed. */
  const scopesToAllow = async (
    request: AuthorizationRequest,
    { tenant, userId }: Session,
  ): Promise<readonly string[] | undefined> => {
    const isAlways = request.prompts.includes('consent') || isUnproven(request);
    if (!isAlways && !request.client.requiresConsent) return undefined;
    return database.read(tenant, async (query) => {
      const user = await users.find(query, tenant, userId);
      const allowed = scopesOfRoles(user ? users.effectiveRoles(user) : [], request.scopes);
      const known = isAlways ? undefined : await consents.find(query, tenant, userId, request.client.id);
      return known && allowed.every((scope) => known.scopes.includes(scope)) ? undefined : allowed;
    });
  };

  /** Scopes allowed by an earlier consent, where the client requires one. */
  const allowedBefore = async (
    tx: Tx,
    request: AuthorizationRequest,
    { tenant, userId }: Session,
    user: users.User,
  ) => {
    if (!request.client.requiresConsent) return request.scopes;
    const known = await consents.find(tx, tenant, userId, request.client.id);
    return scopesOfRoles(users.effectiveRoles(user), request.scopes).filter((scope) => known?.scopes.includes(scope));
  };

  /** Answers with a code, after any consent; undefined when the person was deactivated. */
  const answerWithCode = async (
    request: AuthorizationRequest,
    session: Session,
    { setCookie, scopes, also }: CodeOptions = {},
  ): Promise<BrowserAnswer | undefined> => {
    const { tenant, userId } = session;
    if (!(await consume(request)))
      return requests.refuse(400, 'The request that brought you here was answered already.');
    const code = await database.write(tenant, async (tx) => {
      const user = await lockActivePerson(tx, tenant, userId);
      if (!user) return undefined;
      await also?.(tx, user);
      return insertCode(tx, request, session, scopes ?? (await allowedBefore(tx, request, session, user)));
    });
    return code === undefined ? undefined : requests.sendBack(request, { code }, setCookie);
  };

  const ageOf = ({ authTime }: Session): number => clock.now().getTime() - authTime.getTime();

  const isRight = (request: SignInRequest, { tenant, userId }: Session): boolean =>
    servesTenant(request, tenant) && isExpected(request, userId);

  /** Whether a session fits the request's tenant, person and maximum age. */
  const suffices = (request: SignInRequest, session: Session): boolean =>
    isRight(request, session) &&
    !request.prompts.includes('login') &&
    ageOf(session) <= (request.maxAgeMs ?? Number.POSITIVE_INFINITY);

  return {
    spend: consume,
    scopesToAllow,
    answerWithCode,
    suffices,
    /** As `suffices`, or opened a moment ago for this very request, while the person was asked something else. */
    sufficedBefore: (request: SignInRequest, session: Session): boolean =>
      suffices(request, session) ||
      (isRight(request, session) && session.openedFor === sha256Hex(request.search) && ageOf(session) < GRACE_MS),
    /** Continues to the consent page, the client or a page of ours; undefined when the person was deactivated. */
    async finish(request: SignInRequest, session: Session, setCookie?: string): Promise<BrowserAnswer | undefined> {
      if (request.kind === 'visit') return redirectAnswer(request.path, setCookie);
      const toAllow = await scopesToAllow(request, session);
      if (!toAllow) return answerWithCode(request, session, { setCookie });
      if (request.prompts.includes('none'))
        return requests.sendRefusal(request, { error: 'consent_required', description: 'The person must be asked.' });
      return redirectAnswer(`/consent?${request.search}`, setCookie);
    },
  };
};

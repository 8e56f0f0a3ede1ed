import type { TenantId } from '@landfall/kernel/core/ids';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type { AuthorizationRequest } from '../authorization/authorization-request.ts';
import * as codes from '../authorization/codes.store.ts';
import * as pushedRequests from '../authorization/pushed-requests.store.ts';
import { isPublicClient } from '../clients/credentials.ts';
import { isLoopbackUri } from '../clients/redirect-uris.ts';
import { newOpaqueSecret } from '../protocol/opaque-secrets.ts';
import { heldByRoles } from '../protocol/scopes.ts';
import type { AuthoritySettings } from '../settings.ts';
import { find as findTenant } from '../tenants/tenants.store.ts';
import * as users from '../users/users.store.ts';
import { type BrowserAnswer, redirectAnswer } from './browser-answers.ts';
import * as consents from './consents.store.ts';
import type { Requests, SignInRequest } from './requests.ts';
import type { Session } from './sessions.store.ts';

/** The end of a sign-in: what somebody who is signed in is answered. */
export interface Completion {
  /** Whether a sign-in is of the right tenant and person, and recent enough, for what is asked. */
  suffices(asked: SignInRequest, session: Session): boolean;
  /** As `suffices`, or made a moment ago for this very request: whoever is asked something else meanwhile may think. */
  sufficedBefore(asked: SignInRequest, session: Session): boolean;
  /** Goes on to the consent page, the client or the page of ours. Nothing when the person has been stopped. */
  finish(asked: SignInRequest, session: Session, setCookie?: string): Promise<BrowserAnswer | undefined>;
  /** Ends a pushed request, which has one answer. Returns whether it had none yet; a plain request never ends. */
  spend(asked: AuthorizationRequest): Promise<boolean>;
  /** What the person is asked to allow; nothing when they need not be asked. */
  scopesToAllow(asked: AuthorizationRequest, session: Session): Promise<readonly string[] | undefined>;
  /**
   * Answers with a code, whoever need be asked having been asked.
   * @param allow what is to be written in the same transaction
   */
  answerWithCode(
    asked: AuthorizationRequest,
    session: Session,
    options?: CodeOptions,
  ): Promise<BrowserAnswer | undefined>;
}

export interface CodeOptions {
  readonly setCookie?: string | undefined;
  /** What the person allowed: a code for no more than that. */
  readonly scopes?: readonly string[] | undefined;
  readonly also?: ((tx: Tx, user: users.User) => Promise<void>) | undefined;
}

interface Ports extends Pick<Deps, 'database' | 'clock'> {
  readonly requests: Requests;
}

/** How long somebody may think it over whose request asked for a new sign-in. */
const GRACE_MS = 300_000;

/** Whether a person of this tenant may use what is asked for at all. */
export const servesTenant = (asked: SignInRequest, tenant: TenantId): boolean =>
  asked.kind === 'visit' || asked.client.servesEveryTenant || asked.client.tenant === tenant;

/** Whether a person is the one that the client named by an ID token, where it named one (OpenID Connect Core 3.1.2.1). */
export const isExpected = (asked: SignInRequest, userId: users.UserId): boolean =>
  asked.kind === 'visit' || asked.hintedSubject === undefined || asked.hintedSubject === userId;

/**
 * Whether anybody may have sent this request in the client's name: it proves nothing, and any program of the person's
 * machine can listen at its address. The person is asked each time (RFC 8252 8.6).
 */
const isUnproven = ({ client, redirectUri }: AuthorizationRequest): boolean =>
  isPublicClient(client) && isLoopbackUri(redirectUri);

/** An active person of an active tenant, who stays active until this transaction ends. */
export const lockActivePerson = async (
  tx: Tx,
  tenant: TenantId,
  userId: users.UserId,
): Promise<users.User | undefined> =>
  (await findTenant(tx, tenant))?.active ? users.lockActive(tx, tenant, userId) : undefined;

export const createCompletion = ({ database, clock, requests }: Ports, { codeMs }: AuthoritySettings): Completion => {
  const insertCode = async (tx: Tx, asked: AuthorizationRequest, session: Session, scopes: readonly string[]) => {
    const code = newOpaqueSecret();
    const { challenge, nonce, resources, dpopJkt, redirectUri } = asked;
    await codes.insert(tx, session.tenant, {
      hash: code.hash,
      clientId: asked.client.id,
      userId: session.userId,
      redirectUri,
      scopes,
      challenge,
      nonce,
      resources,
      dpopJkt,
      amr: session.amr,
      authTime: session.authTime,
      aliveMs: codeMs,
    });
    return code.value;
  };

  /** Of several answers at once one finds it unspent. */
  const spend: Completion['spend'] = async ({ pushed }) =>
    pushed === undefined || (await database.system.write((tx) => pushedRequests.consume(tx, pushed))) === 1;

  const scopesToAllow: Completion['scopesToAllow'] = async (asked, { tenant, userId }) => {
    const isAlways = asked.prompts.includes('consent') || isUnproven(asked);
    if (!isAlways && !asked.client.requiresConsent) return undefined;
    return database.read(tenant, async (query) => {
      const user = await users.find(query, tenant, userId);
      const held = heldByRoles(user ? users.effectiveRoles(user) : [], asked.scopes);
      const known = isAlways ? undefined : await consents.find(query, tenant, userId, asked.client.id);
      return known && held.every((scope) => known.scopes.includes(scope)) ? undefined : held;
    });
  };

  /** A client that asks for consent is given no more than was allowed, whatever the person comes to hold later. */
  const allowedBefore = async (tx: Tx, asked: AuthorizationRequest, { tenant, userId }: Session, user: users.User) => {
    if (!asked.client.requiresConsent) return asked.scopes;
    const known = await consents.find(tx, tenant, userId, asked.client.id);
    return heldByRoles(users.effectiveRoles(user), asked.scopes).filter((scope) => known?.scopes.includes(scope));
  };

  const answerWithCode: Completion['answerWithCode'] = async (asked, session, { setCookie, scopes, also } = {}) => {
    const { tenant, userId } = session;
    if (!(await spend(asked))) return requests.refuse(400, 'The request that brought you here was answered already.');
    const code = await database.write(tenant, async (tx) => {
      const user = await lockActivePerson(tx, tenant, userId);
      if (!user) return undefined;
      await also?.(tx, user);
      return insertCode(tx, asked, session, scopes ?? (await allowedBefore(tx, asked, session, user)));
    });
    return code === undefined ? undefined : requests.sendBack(asked, { code }, setCookie);
  };

  const ageOf = ({ authTime }: Session): number => clock.now().getTime() - authTime.getTime();

  const isRight = (asked: SignInRequest, { tenant, userId }: Session): boolean =>
    servesTenant(asked, tenant) && isExpected(asked, userId);

  const suffices: Completion['suffices'] = (asked, session) =>
    isRight(asked, session) &&
    !asked.prompts.includes('login') &&
    ageOf(session) <= (asked.maxAgeMs ?? Number.POSITIVE_INFINITY);

  return {
    spend,
    scopesToAllow,
    answerWithCode,
    suffices,
    sufficedBefore: (asked, session) =>
      suffices(asked, session) ||
      (isRight(asked, session) && session.openedFor === sha256Hex(asked.search) && ageOf(session) < GRACE_MS),
    async finish(asked, session, setCookie) {
      if (asked.kind === 'visit') return redirectAnswer(asked.path, setCookie);
      const toAllow = await scopesToAllow(asked, session);
      if (!toAllow) return answerWithCode(asked, session, { setCookie });
      if (asked.prompts.includes('none'))
        return requests.sendRefusal(asked, { error: 'consent_required', description: 'The person must be asked.' });
      return redirectAnswer(`/consent?${asked.search}`, setCookie);
    },
  };
};

import { type TenantId, toId, toTenantId } from '@landfall/kernel/core/ids';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { fromNow, sql } from '@landfall/kernel/db/sql';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import type { Factors } from '../factors/factors.ts';
import { hashSecret, newOpaqueSecret } from '../protocol/opaque-secrets.ts';
import { auditActor } from '../protocol/protocol-request.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { userEvent } from '../users/user-events.ts';
import type * as users from '../users/users.ts';
import { type BrowserAnswer, type BrowserRequest, redirectAnswer } from './browser-answers.ts';
import { createCompletion, isExpected, lockActivePerson, servesTenant } from './completion.ts';
import type { Cookies } from './cookies.ts';
import type { Requests, SignInRequest } from './requests.ts';
import * as sessions from './sessions.store.ts';
import { createTicket } from './tickets.ts';

/** Person identified by a password, a passkey or a provider. */
export interface FirstFactor {
  readonly tenant: TenantId;
  readonly userId: users.UserId;
  /** Authentication methods (RFC 8176). With `mfa` no second factor is requested. */
  readonly amr: readonly string[];
  /** Time of authentication, if not now. */
  readonly authTime?: Date | undefined;
}

interface Ports extends Pick<Deps, 'database' | 'clock' | 'ids' | 'secrets'> {
  readonly cookies: Cookies;
  readonly requests: Requests;
  readonly factors: Pick<Factors, 'summaryOf'>;
}

/** Time limit for the second factor. */
const PENDING_MS = 300_000;
/** Stored length of a user agent. */
const USER_AGENT_LENGTH = 300;

const pendingFactor = Type.Object({
  tenant: Type.String(),
  userId: Type.String(),
  amr: Type.Array(Type.String()),
  /** Milliseconds. */
  authTime: Type.Optional(Type.Integer()),
  /** SHA-256 of the request's query: the query does not fit into a cookie. */
  request: Type.String(),
});

/** States of a sign-in: first factor → second factor? → session → consent? → code, or a page of our own. */
export const createFlow = (ports: Ports, settings: AuthoritySettings) => {
  const { database, ids, cookies, requests, factors } = ports;
  const ticket = createTicket(ports, { use: 'second-factor', schema: pendingFactor, aliveMs: PENDING_MS });
  const completion = createCompletion(ports, settings);

  /** Live session of this browser. */
  const session = async ({ cookie }: Pick<BrowserRequest, 'cookie'>): Promise<sessions.Session | undefined> => {
    const value = cookies.session.read(cookie);
    return value === undefined
      ? undefined
      : database.system.read((query) => sessions.findByHash(query, hashSecret(value)));
  };

  /** Ends the former session of this browser. */
  const endPreviousSession = async ({ cookie }: BrowserRequest): Promise<void> => {
    const former = await session({ cookie });
    if (former) await database.write(former.tenant, (tx) => sessions.remove(tx, former.tenant, former.id));
  };

  /** Opens a session and records the sign-in; undefined when the person was deactivated. */
  const open = (
    request: BrowserRequest,
    signInRequest: SignInRequest,
    { tenant, userId, amr, authTime }: FirstFactor,
  ) =>
    database.write(tenant, async (tx) => {
      const user = await lockActivePerson(tx, tenant, userId);
      if (!user) return undefined;
      const cookie = newOpaqueSecret();
      const opened = await sessions.insert(tx, tenant, {
        id: toId(ids.uuid(), 'Session'),
        idHash: cookie.hash,
        userId,
        amr,
        userAgent: request.userAgent?.slice(0, USER_AGENT_LENGTH) ?? null,
        address: request.address,
        openedFor: sha256Hex(signInRequest.search),
        // The provider states the time of its sign-in; a clock difference must not move it into the future.
        authTime: sql`least(coalesce(${authTime ?? null}::timestamptz, kernel.now()), kernel.now())`,
        expiresAt: fromNow(settings.sessionMs),
      });
      await userEvent(tx, auditActor(tenant, userId, 'user', request), 'user.signIn', user, {
        amr,
        ...(signInRequest.kind === 'authorization' && { clientId: signInRequest.client.id }),
      });
      return { session: opened, cookie: cookie.value };
    });

  /** Refuses a person other than the subject of `id_token_hint`. */
  const refuseAnother = (request: SignInRequest, userId: users.UserId): BrowserAnswer | undefined =>
    request.kind === 'visit' || isExpected(request, userId)
      ? undefined
      : requests.sendRefusal(request, {
          error: 'login_required',
          description: 'Somebody else signed in than the person of id_token_hint.',
        });

  /** Opens the session and continues, with every factor shown. */
  const complete = async (
    request: BrowserRequest,
    signInRequest: SignInRequest,
    firstFactor: FirstFactor,
  ): Promise<BrowserAnswer | undefined> => {
    if (!servesTenant(signInRequest, firstFactor.tenant)) return undefined;
    const refusal = refuseAnother(signInRequest, firstFactor.userId);
    if (refusal) return refusal;
    const opened = await open(request, signInRequest, firstFactor);
    if (!opened) return undefined;
    await endPreviousSession(request);
    return completion.finish(signInRequest, opened.session, cookies.session.set(opened.cookie, settings.sessionMs));
  };

  const needsSecondFactor = ({ tenant, userId, amr }: FirstFactor): Promise<boolean> =>
    database.read(
      tenant,
      async (query) => !amr.includes('mfa') && (await factors.summaryOf(query, tenant, userId)).totp,
    );

  return {
    ...completion,
    session,
    complete,
    /**
     * Continues after a first factor: to the second factor, the consent page, the client or a page of ours.
     * @returns undefined when the person is deactivated, stopped or not of this client's tenant; the caller answers with
     * a message that does not say which
     */
    async proceed(
      request: BrowserRequest,
      signInRequest: SignInRequest,
      first: FirstFactor,
    ): Promise<BrowserAnswer | undefined> {
      if (!servesTenant(signInRequest, first.tenant)) return undefined;
      const isActive = await database.write(first.tenant, (tx) => lockActivePerson(tx, first.tenant, first.userId));
      if (!isActive) return undefined;
      const refusal = refuseAnother(signInRequest, first.userId);
      if (refusal) return refusal;
      if (!(await needsSecondFactor(first))) return complete(request, signInRequest, first);
      const { tenant, userId, amr, authTime } = first;
      const sealed = ticket.seal(request.cookie, {
        tenant,
        userId,
        amr: [...amr],
        request: sha256Hex(signInRequest.search),
        ...(authTime && { authTime: authTime.getTime() }),
      });
      if (sealed === undefined)
        return requests.refuse(400, 'Your browser did not keep the cookie of this sign-in. Allow cookies here.');
      return redirectAnswer(`/sign-in/second-factor?${signInRequest.search}`, cookies.pending.set(sealed, PENDING_MS));
    },
    /** First factor that this browser has shown for this request. */
    pending({ cookie }: BrowserRequest, request: SignInRequest): FirstFactor | undefined {
      const found = ticket.open(cookie, cookies.pending.read(cookie));
      if (found?.request !== sha256Hex(request.search)) return undefined;
      return {
        tenant: toTenantId(found.tenant),
        userId: toId(found.userId, 'User'),
        amr: found.amr,
        authTime: found.authTime === undefined ? undefined : new Date(found.authTime),
      };
    },
  };
};

export type Flow = ReturnType<typeof createFlow>;

import type { Clock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import type { Secrets } from '@landfall/kernel/crypto/secrets';
import type { Edge } from '@landfall/kernel/identity/edge';
import type { Log } from '@landfall/kernel/system/log';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { originalHeadersOf } from '../http/listener.ts';
import type { AuthorityClient } from './authority-client.ts';
import type { ConsoleClient } from './console-client.ts';
import { readCookie } from './cookies.ts';
import { errorPage } from './error-page.ts';
import {
  challengeOf,
  chooseSlot,
  listOrphanedPending,
  localPath,
  newPending,
  openPending,
  PENDING_SECONDS,
  type PendingSignIn,
  pendingCookieName,
  sealPending,
} from './pending-sign-in.ts';
import { isCsrfGood, type Session, type Sessions, type Tokens } from './session.ts';
import { endedCookie, readSessionCookie, sessionCookie } from './session-cookie.ts';

interface SessionRoutesOptions {
  readonly edge: Edge;
  readonly sessions: Sessions;
  readonly authority: AuthorityClient;
  readonly client: ConsoleClient;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly log: Log;
  /** Public address of the authority. */
  readonly issuer: string;
  /** Whether the console is served under TLS. */
  readonly isSecure: boolean;
}

const SIGNED_OUT = 'landfall-signed-out';
const ERROR_PAGE = '/session/trouble';
const DAY_SECONDS = 86_400;

/** Opens the sealed ID token of an ended session; undefined if it is invalid. */
const openIdTokenHint = (idTokenHint: string, secrets: Secrets): string => {
  try {
    return secrets.open('', SIGNED_OUT, Buffer.from(idTokenHint, 'base64url')).toString();
  } catch {
    return '';
  }
};

const queryOf = ({ query }: FastifyRequest): Readonly<Record<string, unknown>> =>
  typeof query === 'object' && query !== null ? { ...query } : {};

/** Registers `GET /session` (204 without one), sign-in and sign-out; the edge is an OAuth client (RFC 6749 4.1). */
export const registerSession = async (app: FastifyInstance, options: SessionRoutesOptions): Promise<void> => {
  const { edge, sessions, authority, client, clock, secrets, log, issuer, isSecure } = options;
  const secure = isSecure ? '; Secure' : '';
  /** Number of sign-ins begun in this process. */
  let turn = 0;

  /** Cookie for the session's routes only. */
  const ownCookie = (name: string, value: string, maxAgeSeconds: number): string =>
    `${name}=${value}; Path=/session; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;

  const findSession = async (request: FastifyRequest, find: Sessions['find']): Promise<Session | undefined> => {
    const id = readSessionCookie(request.headers.cookie, isSecure);
    return id === undefined ? undefined : find(id);
  };

  // Without `scope` it asks for all that the console may be allowed; the person's roles decide.
  const authorizeUrl = (pending: PendingSignIn, isAgain: boolean): string =>
    `${issuer}/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: client.id,
      redirect_uri: client.redirectUri,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: challengeOf(pending),
      code_challenge_method: 'S256',
      ...(isAgain && { prompt: 'login' }),
    })}`;

  /**
   * URL of sign-out at the authority: with the session's ID token it asks for no confirmation (RP-Initiated Logout 2).
   */
  const endSessionUrl = (idTokenHint: string | undefined): string => {
    const idToken = idTokenHint === undefined ? '' : openIdTokenHint(idTokenHint, secrets);
    return `${issuer}/end-session?${new URLSearchParams({
      ...(idToken !== '' && { id_token_hint: idToken }),
      post_logout_redirect_uri: client.postLogoutRedirectUri,
    })}`;
  };

  /** Revokes the tokens of an ended session; logs a failure for operators, since the tokens may stay valid. */
  const revoke = async (tokens: Tokens, { tenant, subject }: Session, { id: correlationId }: FastifyRequest) => {
    try {
      await authority.revoke(tokens, correlationId);
    } catch (error) {
      log.error(
        { err: error, correlationId, tenant, subject },
        'somebody signed out and their tokens could not be revoked: those that were copied live until they expire',
      );
    }
  };

  /** Shows an error page at its own address, so that no code stays in the browser's history. */
  const redirectToError = (reply: FastifyReply, back: string): FastifyReply =>
    reply.redirect(`${ERROR_PAGE}?return=${encodeURIComponent(back)}`, 303);

  /** Checks whether this browser has signed in before, and so accepts cookies. */
  const isKnown = ({ headers: { cookie } }: FastifyRequest): boolean =>
    readSessionCookie(cookie, isSecure) !== undefined || readCookie(cookie, SIGNED_OUT) !== undefined;

  /** Exchanges the code of a callback that belongs to `pending` (RFC 9207 for `iss`). */
  const tokensFor = async (pending: PendingSignIn, request: FastifyRequest) => {
    const { code, iss } = queryOf(request);
    if (typeof code !== 'string' || iss !== issuer) return undefined;
    return authority.exchange(code, pending.verifier, pending.nonce, request.id);
  };

  await app.register(async (scope) => {
    scope.get('/session', async (request, reply) => {
      const session = await findSession(request, sessions.find);
      // Not an error: the caller asks whether there is a session, and a browser would log a 401 as an error of the
      // page.
      if (!session) return reply.code(204).send();
      const { tokens, csrf, expiresAt } = session;
      const { subject, tenant, scopes } = await edge.callerOf(tokens.accessToken, originalHeadersOf(request));
      const body = { subject, name: tokens.name, tenant, scopes: [...scopes], csrf, expiresAt };
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
    });

    scope.get('/session/sign-in', async (request, reply) => {
      // The cookie of this sign-in must be one that the callback, at the public address, is sent. Once only: a proxy in
      // front of us may call us by a name of its own.
      const { host, origin } = new URL(client.redirectUri);
      const { return: back, moved } = queryOf(request);
      if (request.headers.host !== host && moved === undefined)
        return reply.redirect(
          `${origin}/session/sign-in?${new URLSearchParams({ return: localPath(back), moved: '1' })}`,
          302,
        );
      const { cookie } = request.headers;
      const pending = newPending(localPath(back), chooseSlot(cookie, turn++, { secrets, clock }), clock);
      // After a sign-out the authority must ask again, although it may remember the person.
      const isAgain = readCookie(cookie, SIGNED_OUT) !== undefined;
      return reply
        .header('set-cookie', [
          ...listOrphanedPending(cookie).map((name) => ownCookie(name, '', 0)),
          ownCookie(pendingCookieName(pending.state), sealPending(pending, secrets), PENDING_SECONDS),
        ])
        .redirect(authorizeUrl(pending, isAgain), 302);
    });

    scope.get('/session/callback', async (request, reply) => {
      const { state } = queryOf(request);
      const pending =
        typeof state === 'string' ? openPending(request.headers.cookie, state, { secrets, clock }) : undefined;
      // The address belongs to an earlier sign-in: a person with a session goes to the console.
      if (!pending) return isKnown(request) ? reply.redirect('/', 303) : redirectToError(reply, '/');
      const tokens = await tokensFor(pending, request);
      if (!tokens) return redirectToError(reply, pending.back);
      const { tenant, subject } = await edge.callerOf(tokens.accessToken, originalHeadersOf(request));
      const session = await sessions.start({ tenant, subject }, tokens);
      const maxAgeSeconds = Math.floor((session.expiresAt.getTime() - clock.now().getTime()) / 1_000);
      return reply
        .header('set-cookie', [
          sessionCookie(session.id, { isSecure, maxAgeSeconds }),
          ownCookie(pendingCookieName(pending.state), '', 0),
          ownCookie(SIGNED_OUT, '', 0),
        ])
        .redirect(pending.back, 303);
    });

    scope.get(ERROR_PAGE, async (request, reply) =>
      reply
        .code(400)
        .headers(errorPage.headers)
        .send(errorPage.body(localPath(queryOf(request).return))),
    );

    scope.post('/session/sign-out', async (request, reply) => {
      // The session is read only: sign-out needs neither a fresh token nor an available authority.
      const session = await findSession(request, sessions.peek);
      if (!session) throw new Fault('AUTH_TOKEN_MISSING', 'Nobody is signed in here.');
      if (!isCsrfGood(session, originalHeadersOf(request).csrf))
        throw new Fault('PERM_DENIED', 'The request does not carry the CSRF token of this session.');
      const tokens = await sessions.end(session.id);
      if (tokens) await revoke(tokens, session, request);
      const idTokenHint = secrets.seal('', SIGNED_OUT, session.tokens.idToken ?? '').toString('base64url');
      return reply
        .header('set-cookie', [endedCookie(isSecure), ownCookie(SIGNED_OUT, idTokenHint, DAY_SECONDS)])
        .code(204)
        .send();
    });

    // Where the console goes after it has signed out: the person is to be signed out of the authority too.
    scope.get('/session/signed-out', async (request, reply) =>
      reply.redirect(endSessionUrl(readCookie(request.headers.cookie, SIGNED_OUT)), 302),
    );
  });
};

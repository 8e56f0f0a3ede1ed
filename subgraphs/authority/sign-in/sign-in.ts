import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import { Fault } from '@landfall/kernel/fault';
import type { Deps } from '@landfall/kernel/module';
import type { AuthoritySettings } from '../settings.ts';
import * as codes from '../tokens/codes.store.ts';
import { readForm } from '../tokens/form.ts';
import { hashOf, newOpaque } from '../tokens/opaque.ts';
import { actor } from '../tokens/protocol.ts';
import type { BackOff } from '../users/back-off.ts';
import { verifyPassword } from '../users/passwords.ts';
import * as users from '../users/users.store.ts';
import { type BrowserAnswer, type BrowserRequest, pageAnswer, redirectAnswer, withParameters } from './answers.ts';
import {
  type AuthorizationRequest,
  findReturnAddress,
  type Refusal,
  type ReturnAddress,
  readRequest,
} from './authorization-request.ts';
import type { Cookies } from './cookies.ts';
import { refusalPage, signInPage } from './page.ts';
import * as sessions from './sessions.store.ts';

export interface SignIn {
  /** GET /authorize (RFC 6749 4.1.1): a code when somebody is signed in, else the page. */
  authorize(request: BrowserRequest): Promise<BrowserAnswer>;
  /** POST /sign-in: the page's form. */
  submit(request: BrowserRequest): Promise<BrowserAnswer>;
}

interface Ports extends Pick<Deps, 'database' | 'clock'> {
  readonly backOff: BackOff;
  readonly cookies: Cookies;
}

interface Failure {
  readonly status: number;
  readonly error: string;
  readonly username: string;
  readonly waitMs?: number;
}

const inWords = (waitMs: number): string => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  if (seconds < 90) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
};

const unknownPair = (triesLeft: number): string => {
  if (triesLeft > 2) return 'User name or password is wrong.';
  const left = ['The next try', 'One try left, then you', 'Two tries left, then you'][triesLeft] ?? '';
  return `User name or password is wrong. ${left} must wait.`;
};

export const createSignIn = ({ database, clock, backOff, cookies }: Ports, settings: AuthoritySettings): SignIn => {
  const { issuer, codeMs, sessionMs } = settings;

  const refuse = (status: number, why: string): BrowserAnswer => pageAnswer(status, refusalPage(why, settings));

  const sendBack = ({ redirectUri, state }: ReturnAddress, parameters: Record<string, string>, setCookie?: string) =>
    redirectAnswer(withParameters(redirectUri, { ...parameters, state, iss: issuer }), setCookie);

  const sendRefusal = (to: ReturnAddress, { error, description }: Refusal): BrowserAnswer =>
    sendBack(to, { error, error_description: description });

  const show = (asked: AuthorizationRequest, request: BrowserRequest, failure?: Failure): BrowserAnswer => {
    const { csrf, setCookie } = cookies.issueForm(request.cookie);
    const { client, redirectUri } = asked;
    const form = {
      action: `/sign-in?${new URLSearchParams(readForm(request.query))}`,
      csrf,
      clientName: client.name,
      username: failure?.username ?? '',
      error: failure?.error,
    };
    return pageAnswer(failure?.status ?? 200, signInPage(form, settings), {
      // Browsers hold a form's redirect to this list too.
      formTargets: ["'self'", new URL(redirectUri).origin],
      setCookie,
      ...(failure?.waitMs !== undefined && { retryAfterSeconds: Math.max(1, Math.ceil(failure.waitMs / 1000)) }),
    });
  };

  const insertCode = async (tx: Tx, asked: AuthorizationRequest, session: sessions.Session): Promise<string> => {
    const code = newOpaque();
    await codes.insert(tx, session.tenant, {
      hash: code.hash,
      clientId: asked.client.id,
      userId: session.userId,
      redirectUri: asked.redirectUri,
      scopes: asked.scopes,
      challenge: asked.challenge,
      nonce: asked.nonce,
      authTime: session.authTime,
      aliveMs: codeMs,
    });
    return code.value;
  };

  /** Whether a person of this tenant may use this client at all. */
  const serves = ({ client }: AuthorizationRequest, tenant: string): boolean =>
    client.servesEveryTenant || client.tenant === tenant;

  /** A code for who is signed in at this browser already, as far as that satisfies the request. */
  const codeOfSession = async (asked: AuthorizationRequest, cookie: string | undefined) => {
    const value = cookies.session.read(cookie);
    if (value === undefined || asked.mustSignIn) return undefined;
    const session = await database.system.read((query) => sessions.find(query, hashOf(value)));
    if (!session || !serves(asked, session.tenant)) return undefined;
    const age = clock.now().getTime() - session.authTime.getTime();
    if (asked.maxAgeMs !== undefined && age > asked.maxAgeMs) return undefined;
    return database.write(session.tenant, async (tx) =>
      (await users.holdActive(tx, session.tenant, session.userId)) ? insertCode(tx, asked, session) : undefined,
    );
  };

  /** Reads a request and hands it on, or answers why it goes no further. */
  const withRequest = async (
    { query }: BrowserRequest,
    go: (asked: AuthorizationRequest) => Promise<BrowserAnswer>,
  ): Promise<BrowserAnswer> => {
    try {
      const form = readForm(query);
      const to = await findReturnAddress({ database }, form);
      if (!to)
        return refuse(
          400,
          'The application that sent you here, or the address it wants you back at, is not registered.',
        );
      const asked = readRequest(to, form);
      return 'error' in asked ? sendRefusal(to, asked) : await go(asked);
    } catch (error) {
      if (error instanceof Fault && error.code === 'invalid_request') return refuse(400, error.message);
      throw error;
    }
  };

  /** Opens a session and writes the sign-in down; nothing when the person was deactivated a moment ago. */
  const begin = (
    asked: AuthorizationRequest,
    who: { tenant: sessions.Session['tenant']; id: users.UserId },
    requestId: string,
  ) =>
    database.write(who.tenant, async (tx) => {
      const user = await users.holdActive(tx, who.tenant, who.id);
      if (!user) return undefined;
      const cookie = newOpaque();
      const session = await sessions.insert(tx, who.tenant, cookie.hash, who.id, sessionMs);
      await event(tx, actor(who.tenant, who.id, 'user', { requestId }), 'user.signIn', {
        entity: 'User',
        id: who.id,
        version: user.version,
        data: { clientId: asked.client.id },
      });
      return { code: await insertCode(tx, asked, session), cookie: cookie.value };
    });

  /** Whoever the pair belongs to. Every step is taken for an unknown name too, and takes as long. */
  const identify = async (asked: AuthorizationRequest, username: string, password: string) => {
    const found = await database.system.read((query) => users.findCredentials(query, username));
    const isRight = await verifyPassword(password, found?.passwordHash);
    return found && isRight && serves(asked, found.tenant) ? found : undefined;
  };

  const trySignIn = async (asked: AuthorizationRequest, request: BrowserRequest): Promise<BrowserAnswer> => {
    const { username: given = '', password = '', csrf } = readForm(request.body);
    const username = given.trim().toLowerCase();
    const fail = (failure: Omit<Failure, 'username'>) => show(asked, request, { ...failure, username });
    if (!cookies.isOurForm(request.cookie, csrf))
      return fail({ status: 403, error: 'This page was not yours, or was open for too long. Try again.' });
    if (username.length > 100 || password.length > 200) return fail({ status: 400, error: unknownPair(5) });

    const turn = await backOff.take(username, request.address);
    if (!turn.allowed)
      return fail({
        status: 429,
        error: `Too many tries from here. Wait ${inWords(turn.waitMs)}.`,
        waitMs: turn.waitMs,
      });
    const who = await identify(asked, username, password);
    const begun = who && (await begin(asked, who, request.requestId));
    if (!begun) return fail({ status: 400, error: unknownPair(turn.triesLeft) });
    await backOff.forgive(username, request.address);
    return sendBack(asked, { code: begun.code }, cookies.session.set(begun.cookie, sessionMs));
  };

  return {
    authorize: (request) =>
      withRequest(request, async (asked) => {
        const code = await codeOfSession(asked, request.cookie);
        if (code !== undefined) return sendBack(asked, { code });
        if (asked.mayAsk) return show(asked, request);
        return sendRefusal(asked, { error: 'login_required', description: 'Nobody is signed in.' });
      }),
    submit: (request) => withRequest(request, (asked) => trySignIn(asked, request)),
  };
};

import { readParameters, searchOf } from '../authorization/authorization-request.ts';
import { readForm } from '../protocol/form.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { verifyPassword } from '../users/passwords.ts';
import * as users from '../users/users.ts';
import { type BrowserAnswer, type BrowserRequest, formTarget, pageAnswer, redirectAnswer } from './browser-answers.ts';
import { FORM_EXPIRED, formatWait } from './messages.ts';
import type { PagePorts } from './page-ports.ts';
import { externalRedirectPage } from './pages/notices.ts';
import { type SignInForm, signInPage } from './pages/sign-in.ts';
import type { SignInRequest } from './requests.ts';
import type { Session } from './sessions.store.ts';
import type { FirstFactor } from './sign-in-flow.ts';

interface Failure {
  readonly status: number;
  readonly error: string;
  readonly username: string;
  readonly waitMs?: number;
}

const unknownPair = (attemptsLeft: number): string => {
  if (attemptsLeft > 2) return 'User name or password is wrong.';
  const remaining = ['The next try', 'One try left, then you', 'Two tries left, then you'][attemptsLeft] ?? '';
  return `User name or password is wrong. ${remaining} must wait.`;
};

/** Longest query of a redirected form. */
const MAX_ADDRESS_LENGTH = 8_000;

const UNKNOWN_PASSKEY = 'That passkey is not known here. Sign in with your password, or with another passkey.';
const UNKNOWN_PROVIDER =
  'No single sign-on is set up for that user name. Enter the whole name, like ada@example.com, or your password.';

const createPages = ({ database, cookies, flow, factors, singleSignOn }: PagePorts, settings: AuthoritySettings) => {
  /** Session that would suffice for the request, as a label. */
  const signedInAs = async (request: SignInRequest, session: Session | undefined): Promise<string | undefined> => {
    if (!session || !flow.suffices(request, session)) return undefined;
    const user = await database.read(session.tenant, (query) => users.find(query, session.tenant, session.userId));
    return user && `${user.displayName} (${user.username})`;
  };

  const passkeyOffer = async (): Promise<SignInForm['passkey']> => {
    if (factors.passkeysUnavailableReason !== undefined) return undefined;
    const { options, ticket } = await factors.passkeyOptions();
    return { options: JSON.stringify(options), ticket };
  };

  /** Tenant whose providers get buttons: of a client of one tenant only. */
  const tenantOf = (request: SignInRequest) =>
    request.kind === 'visit' || request.client.servesEveryTenant ? undefined : request.client.tenant;

  return async (signInRequest: SignInRequest, request: BrowserRequest, failure?: Failure): Promise<BrowserAnswer> => {
    const { csrf, setCookie } = cookies.issueForm(request.cookie);
    const tenant = tenantOf(signInRequest);
    const form: SignInForm = {
      action: `/sign-in?${signInRequest.search}`,
      csrf,
      goesOnTo: signInRequest.kind === 'visit' ? signInRequest.name : signInRequest.client.name,
      username: failure?.username ?? signInRequest.loginHint,
      error: failure?.error,
      signedInAs: await signedInAs(signInRequest, await flow.session(request)),
      providers: tenant === undefined ? [] : await singleSignOn.providersOf(tenant),
      hasSingleSignOn: await singleSignOn.isOffered(),
      passkey: await passkeyOffer(),
    };
    return pageAnswer(failure?.status ?? 200, signInPage(form, settings), {
      // Browsers apply the policy's form targets to the redirect after the form, too.
      formTargets: ["'self'", ...(signInRequest.kind === 'visit' ? [] : [formTarget(signInRequest.redirectUri)])],
      hasScript: form.passkey !== undefined,
      setCookie,
      ...(failure?.waitMs !== undefined && { retryAfterSeconds: Math.max(1, Math.ceil(failure.waitMs / 1000)) }),
    });
  };
};

export const createSignIn = (ports: PagePorts, settings: AuthoritySettings) => {
  const { database, backOff, cookies, requests, flow, factors, singleSignOn, recordFailedSignIn } = ports;
  const show = createPages(ports, settings);

  /** Finds the person of a name and password. An unknown name takes the same steps and time. */
  const identify = async (username: string, password: string) => {
    const found = await database.system.read((query) => users.findCredentials(query, username));
    const isRight = await verifyPassword(password, found?.passwordHash ?? undefined);
    const named: FirstFactor | undefined = found && { tenant: found.tenant, userId: found.id, amr: ['pwd'] };
    return { named, who: isRight ? named : undefined };
  };

  const tryPassword = async (signInRequest: SignInRequest, request: BrowserRequest): Promise<BrowserAnswer> => {
    const { username: text = '', password = '' } = readForm(request.body);
    const username = text.trim().toLowerCase();
    const fail = (failure: Omit<Failure, 'username'>) => show(signInRequest, request, { ...failure, username });
    if (username.length > 100 || password.length > 200) return fail({ status: 400, error: unknownPair(5) });

    const turn = await backOff.recordAttempt(username, request.address);
    if (!turn.allowed) {
      const { waitMs } = turn;
      return fail({ status: 429, error: `Too many tries from here. Wait ${formatWait(waitMs)}.`, waitMs });
    }
    const { named, who: caller } = await identify(username, password);
    const answer = caller && (await flow.proceed(request, signInRequest, caller));
    if (!answer) {
      if (named) recordFailedSignIn(named, 'password', request);
      return fail({ status: 400, error: unknownPair(turn.attemptsLeft) });
    }
    await backOff.recordSuccess(username, request.address);
    return answer;
  };

  /** Signs in by a passkey, which is two factors in one. */
  const tryPasskey = async (signInRequest: SignInRequest, request: BrowserRequest): Promise<BrowserAnswer> => {
    const { passkey = '', passkey_ticket: ticket = '' } = readForm(request.body);
    const holder = await factors.verifyPasskey(passkey, ticket, request.requestId);
    const answer = holder && (await flow.proceed(request, signInRequest, { ...holder, amr: [...holder.amr, 'mfa'] }));
    return answer ?? show(signInRequest, request, { status: 400, error: UNKNOWN_PASSKEY, username: '' });
  };

  const continueSession = async (signInRequest: SignInRequest, request: BrowserRequest): Promise<BrowserAnswer> => {
    const session = await flow.session(request);
    const answer =
      session && flow.suffices(signInRequest, session) ? await flow.finish(signInRequest, session) : undefined;
    return answer ?? show(signInRequest, request);
  };

  /** Leads to a provider by a page: a form's policy cannot name its address beforehand. */
  const leaveFor = async (signInRequest: SignInRequest, request: BrowserRequest, providerId: string | undefined) => {
    const { username = '' } = readForm(request.body);
    const remaining = await singleSignOn.begin(signInRequest, request, {
      providerId,
      username: username.trim().toLowerCase(),
    });
    if (!remaining) return show(signInRequest, request, { status: 400, error: UNKNOWN_PROVIDER, username });
    const { location, 'set-cookie': setCookie } = remaining.answer.headers;
    if (location === undefined) return remaining.answer;
    return pageAnswer(
      200,
      externalRedirectPage(location, remaining.name, settings),
      setCookie === undefined ? {} : { setCookie },
    );
  };

  const submit = async (signInRequest: SignInRequest, request: BrowserRequest): Promise<BrowserAnswer> => {
    const { csrf, via, passkey, username = '' } = readForm(request.body);
    if (!cookies.isOurForm(request.cookie, csrf))
      return show(signInRequest, request, { status: 403, error: FORM_EXPIRED, username });
    if (via === 'session') return continueSession(signInRequest, request);
    if (via === 'sso') return leaveFor(signInRequest, request, undefined);
    if (via?.startsWith('provider:')) return leaveFor(signInRequest, request, via.slice('provider:'.length));
    return passkey === undefined ? tryPassword(signInRequest, request) : tryPasskey(signInRequest, request);
  };

  return {
    /** GET /authorize (RFC 6749 4.1.1): a code for a signed-in person, else the page. */
    authorize: (request: BrowserRequest): Promise<BrowserAnswer> => {
      // A pushed request belongs to the browser that opens it, so the browser gets its form cookie first.
      const known = { ...request, cookie: cookies.withForm(request.cookie) };
      return requests.withRequest(known, async (asked) => {
        const session = await flow.session(known);
        const isEnough = session !== undefined && flow.suffices(asked, session);
        const mayChoose = asked.prompts.includes('select_account');
        const { setCookie } = cookies.issueForm(known.cookie);
        const answer = isEnough && !mayChoose ? await flow.finish(asked, session, setCookie) : undefined;
        if (answer) return answer;
        if (asked.kind === 'authorization' && asked.prompts.includes('none'))
          return requests.sendRefusal(asked, { error: 'login_required', description: 'Nobody is signed in.' });
        return show(asked, known);
      });
    },
    /** POST /authorize (OpenID Connect Core 3.1.2.1): redirects to GET, so that cookies are sent (RFC 6265bis 5.2). */
    fromForm: (request: BrowserRequest): Promise<BrowserAnswer> =>
      requests.guarded(async () => {
        const search = searchOf(readParameters(request.body));
        if (search.length > MAX_ADDRESS_LENGTH) return requests.refuse(400, 'The request is too long.');
        return redirectAnswer(`/authorize?${search}`);
      }),
    /** POST /sign-in: the page's form. */
    submit: (request: BrowserRequest): Promise<BrowserAnswer> =>
      requests.withRequest(request, (asked) => submit(asked, request)),
  };
};

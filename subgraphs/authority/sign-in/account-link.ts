import { readForm } from '../protocol/form.ts';
import { hashSecret } from '../protocol/opaque-secrets.ts';
import { auditActor } from '../protocol/protocol-request.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import * as links from '../users/account-links.ts';
import { createAttemptLimit } from '../users/attempt-limit.ts';
import { passwordProblem } from '../users/password-policy.ts';
import { hashPassword } from '../users/passwords.ts';
import { userEvent } from '../users/user-events.ts';
import * as users from '../users/users.ts';
import { type BrowserAnswer, type BrowserRequest, pageAnswer, redirectAnswer } from './browser-answers.ts';
import { lockActivePerson } from './completion.ts';
import { FORM_EXPIRED, formatWait } from './messages.ts';
import type { PagePorts } from './page-ports.ts';
import { choosePasswordPage, expiredLinkPage, passwordSetPage } from './pages/account-link.ts';

/** Allowance of unknown links from an address. */
const ALLOWANCE = { free: 20, longestWaitMs: 60_000 };
/** Lifetime of the cookie with the link's token. */
const OPEN_MS = 3_600_000;

interface Found {
  readonly hash: Buffer;
  readonly link: links.AccountLink;
  readonly user: users.User;
}

/** Validity of a link's token, and its use. */
const createLinkUse = ({ database }: Pick<PagePorts, 'database'>) => {
  /** Finds a valid link of an active person. */
  const find = async (token: string): Promise<Found | undefined> => {
    const hash = hashSecret(token);
    const link = await database.system.read((query) => links.findLink(query, hash));
    const user = link && (await database.write(link.tenant, (tx) => lockActivePerson(tx, link.tenant, link.userId)));
    return user && { hash, link, user };
  };

  /** Sets the password; false when the link was used meanwhile. */
  const use = async ({ hash, link: { tenant } }: Found, password: string, requestId: string): Promise<boolean> => {
    const passwordHash = await hashPassword(password);
    return database.write(tenant, async (tx) => {
      const link = await links.consumeLink(tx, tenant, hash);
      if (!link || !(await lockActivePerson(tx, tenant, link.userId))) return false;
      const user = await users.update(tx, tenant, link.userId, { passwordHash });
      const caller = auditActor(tenant, user.id, 'user', { requestId });
      await userEvent(tx, caller, 'user.passwordSet', user, { by: link.purpose });
      return true;
    });
  };

  return { find, use };
};

export const createAccountLinkPages = ({ database, cookies, requests }: PagePorts, settings: AuthoritySettings) => {
  const { find, use } = createLinkUse({ database });
  const attempts = createAttemptLimit(database, 'account-link', ALLOWANCE);

  const dead = (): BrowserAnswer => pageAnswer(400, expiredLinkPage(settings), { setCookie: cookies.link.clear });

  const form = (request: BrowserRequest, user: users.User, failure?: { status: number; error: string }) => {
    const { csrf, setCookie } = cookies.issueForm(request.cookie);
    const body = choosePasswordPage({ csrf, username: user.username, error: failure?.error }, settings);
    return pageAnswer(failure?.status ?? 200, body, { formTargets: ["'self'"], setCookie });
  };

  /** Passes on the link that this browser opened. */
  const withLink = async (request: BrowserRequest, go: (found: Found) => Promise<BrowserAnswer> | BrowserAnswer) => {
    const token = cookies.link.read(request.cookie);
    if (token === undefined) return dead();
    const waitMs = await attempts.recordAttempt(request.address);
    if (waitMs > 0) return requests.refuse(429, `Too many links that do not work. Wait ${formatWait(waitMs)}.`);
    const found = await find(token);
    if (!found) return dead();
    await attempts.recordSuccess(request.address);
    return go(found);
  };

  const choose = async (request: BrowserRequest, found: Found): Promise<BrowserAnswer> => {
    const { csrf, password = '', repeated = '' } = readForm(request.body);
    if (!cookies.isOurForm(request.cookie, csrf))
      return form(request, found.user, { status: 403, error: FORM_EXPIRED });
    const fault =
      passwordProblem(password, found.user.username) ??
      (password === repeated ? undefined : 'The two passwords are not the same. Enter the same one twice.');
    if (fault !== undefined) return form(request, found.user, { status: 400, error: fault });
    if (!(await use(found, password, request.requestId))) return dead();
    return pageAnswer(200, passwordSetPage(found.user.username, settings), { setCookie: cookies.link.clear });
  };

  return {
    /** GET /account-link: takes the token out of the address, then shows the form. */
    show: (request: BrowserRequest): Promise<BrowserAnswer> =>
      requests.guarded(async () => {
        const { token } = readForm(request.query);
        if (token === undefined) return withLink(request, ({ user }) => form(request, user));
        const setCookie = /^[\w-]{43}$/.test(token) ? cookies.link.set(token, OPEN_MS) : cookies.link.clear;
        return redirectAnswer('/account-link', setCookie, 'no-referrer');
      }),
    /** POST /account-link: the password. */
    submit: (request: BrowserRequest): Promise<BrowserAnswer> =>
      requests.guarded(() => withLink(request, (found) => choose(request, found))),
  };
};

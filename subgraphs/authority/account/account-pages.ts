import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Deps } from '@landfall/kernel/module';
import { RECENT_SIGN_IN_MS } from '../factors/passkey-operations.ts';
import { type Form, readForm } from '../protocol/form.ts';
import { auditActor } from '../protocol/protocol-request.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { type BrowserAnswer, type BrowserRequest, pageAnswer, redirectAnswer } from '../sign-in/browser-answers.ts';
import type { Cookies } from '../sign-in/cookies.ts';
import type { Html } from '../sign-in/html.ts';
import { FORM_EXPIRED } from '../sign-in/messages.ts';
import type { Session } from '../sign-in/sessions.ts';
import type { Flow } from '../sign-in/sign-in-flow.ts';
import { find as findTenant } from '../tenants/tenants.ts';
import * as users from '../users/users.ts';
import { accountPage, type Section } from './account-layout.ts';

export interface Visitor {
  readonly request: BrowserRequest;
  readonly session: Session;
  readonly user: users.User;
  readonly caller: Who;
  /** Whether the sign-in is recent enough for changes. */
  readonly isFresh: boolean;
}

export interface PageContext extends Visitor {
  readonly csrf: string;
  /** Error of the submitted form; its fields point to it. */
  readonly error: string | undefined;
}

/** Result of a form: the name of a notice to redirect with, or an outcome that the page shows. */
type ChangeResult = string | Outcome;

type Change = (visitor: Visitor, form: Form) => Promise<ChangeResult>;

export interface AccountPage {
  readonly section: Section;
  readonly hasScript?: boolean;
  /** Notice after a change, by the name that the change returned. */
  readonly notices?: Readonly<Record<string, string>>;
  body(frame: PageContext): Promise<Html>;
  /** Handlers of the page's forms by their field `do`; a form without the field has the name ``. */
  readonly changes?: Readonly<Record<string, Change>>;
  /** Whether a form may be sent with an older sign-in because it carries a proof of its own. */
  readonly provesItself?: (form: Form) => boolean;
}

interface Outcome {
  readonly status?: number;
  readonly error?: string;
  readonly retryAfterMs?: number;
  /** Body that replaces the page's own, for secrets shown once. */
  readonly body?: (frame: PageContext) => Html;
}

export const UNKNOWN_FORM: Outcome = { status: 400, error: 'This form is not known. Load the page again.' };

/** Name of the notice in the query, as the redirect after a change wrote it. */
const noticeNameIn = (query: unknown): string | undefined => {
  const { done: finished }: { readonly done?: unknown } = typeof query === 'object' && query !== null ? query : {};
  return typeof finished === 'string' ? finished : undefined;
};

interface Ports extends Pick<Deps, 'database' | 'clock'> {
  readonly cookies: Cookies;
  readonly flow: Pick<Flow, 'session'>;
}

/** Renders the pages of a person's own account and handles their forms. */
export const createAccountPages = ({ database, clock, cookies, flow }: Ports, settings: AuthoritySettings) => {
  /** Path of the sign-in page that returns to this section. */
  const signInPath = (section: Section): string =>
    `/sign-in?to=account${section === 'overview' ? '' : `&page=${section}`}`;

  /** Signed-in person of this browser. */
  const consoleUser = async (request: BrowserRequest): Promise<Visitor | undefined> => {
    const session = await flow.session(request);
    if (!session) return undefined;
    const { tenant, userId, authTime } = session;
    const user = await database.read(tenant, async (query) =>
      (await findTenant(query, tenant))?.active ? users.find(query, tenant, userId) : undefined,
    );
    if (!user?.active) return undefined;
    const isFresh = clock.now().getTime() - authTime.getTime() <= RECENT_SIGN_IN_MS;
    return { request, session, user, caller: auditActor(tenant, userId, 'user', request), isFresh };
  };

  const answer = async (known: Visitor, page: AccountPage, outcome: Outcome): Promise<BrowserAnswer> => {
    const { status = 200, error, retryAfterMs, body } = outcome;
    const { csrf, setCookie } = cookies.issueForm(known.request.cookie);
    const frame: PageContext = { ...known, csrf, error };
    const name = noticeNameIn(known.request.query);
    const inner = body ? body(frame) : await page.body(frame);
    const notice = status === 200 && !body && name !== undefined ? page.notices?.[name] : undefined;
    const html = accountPage({ ...frame, ...page, notice, inner, signIn: signInPath(page.section) }, settings);
    return pageAnswer(status, html, {
      formTargets: ["'self'"],
      hasScript: page.hasScript ?? false,
      setCookie,
      ...(retryAfterMs !== undefined && { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) }),
    });
  };

  /** Shows Faults of the 4xx range on the page and rethrows the rest. */
  const withFaults = async (known: Visitor, page: AccountPage, handle: () => Promise<BrowserAnswer>) => {
    try {
      return await handle();
    } catch (error) {
      if (!(error instanceof Fault) || error.status >= 500) throw error;
      return answer(known, page, { status: error.status, error: error.message });
    }
  };

  return {
    visitor: consoleUser,
    async show(request: BrowserRequest, page: AccountPage): Promise<BrowserAnswer> {
      const known = await consoleUser(request);
      return known ? answer(known, page, {}) : redirectAnswer(signInPath(page.section));
    },
    /** Handles a form: checks its CSRF token, requires a recent sign-in or the form's own proof, then redirects. */
    async submit(request: BrowserRequest, page: AccountPage): Promise<BrowserAnswer> {
      const known = await consoleUser(request);
      if (!known) return redirectAnswer(signInPath(page.section));
      return withFaults(known, page, async () => {
        const form = readForm(request.body);
        if (!cookies.isOurForm(request.cookie, form.csrf))
          return answer(known, page, { status: 403, error: FORM_EXPIRED });
        if (!known.isFresh && !page.provesItself?.(form)) return redirectAnswer(signInPath(page.section));
        const change = new Map(Object.entries(page.changes ?? {})).get(form.do ?? '');
        const result = change ? await change(known, form) : UNKNOWN_FORM;
        if (typeof result !== 'string') return answer(known, page, result);
        return redirectAnswer(`/account/${page.section}?done=${result}`);
      });
    },
  };
};

import type { Factors } from '../factors/factors.ts';
import { readForm } from '../protocol/form.ts';
import { auditActor } from '../protocol/protocol-request.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import type { RecordFailedSignIn } from '../users/failed-sign-ins.ts';
import { type BrowserAnswer, type BrowserRequest, formTarget, pageAnswer, redirectAnswer } from './browser-answers.ts';
import type { Cookies } from './cookies.ts';
import { FORM_EXPIRED, formatWait } from './messages.ts';
import { secondFactorPage } from './pages/second-factor.ts';
import type { Requests, SignInRequest } from './requests.ts';
import type { FirstFactor, Flow } from './sign-in-flow.ts';

export interface SecondFactorPage {
  /** GET /sign-in/second-factor. */
  show(request: BrowserRequest): Promise<BrowserAnswer>;
  /** POST /sign-in/second-factor. */
  submit(request: BrowserRequest): Promise<BrowserAnswer>;
}

interface Ports {
  readonly cookies: Cookies;
  readonly requests: Requests;
  readonly flow: Flow;
  readonly factors: Pick<Factors, 'verifyCode'>;
  readonly recordFailedSignIn: RecordFailedSignIn;
}

interface Failure {
  readonly status: number;
  readonly error: string;
  readonly waitMs?: number;
}

const WRONG =
  'That code is wrong, or was used already. Wait until your app shows a new code and enter that one, or enter a recovery code.';

const NO_USER_IN_TIME = 'Your sign-in ended while you were at it.';

const wrongCode = (triesLeft: number): string =>
  triesLeft > 2 ? WRONG : `${WRONG} ${triesLeft === 0 ? 'The next try' : `After ${triesLeft} more, you`} must wait.`;

export const createSecondFactorPage = (
  { cookies, requests, flow, factors, recordFailedSignIn }: Ports,
  settings: AuthoritySettings,
): SecondFactorPage => {
  const startAgain = (asked: SignInRequest): string =>
    `${asked.kind === 'visit' ? '/sign-in' : '/authorize'}?${asked.search}`;

  const page = (asked: SignInRequest, request: BrowserRequest, failure?: Failure): BrowserAnswer => {
    const { csrf, setCookie } = cookies.issueForm(request.cookie);
    const action = `/sign-in/second-factor?${asked.search}`;
    const form = { action, csrf, error: failure?.error, startAgain: startAgain(asked) };
    return pageAnswer(failure?.status ?? 200, secondFactorPage(form, settings), {
      formTargets: ["'self'", ...(asked.kind === 'visit' ? [] : [formTarget(asked.redirectUri)])],
      setCookie,
      ...(failure?.waitMs !== undefined && { retryAfterSeconds: Math.max(1, Math.ceil(failure.waitMs / 1000)) }),
    });
  };

  /** Hands on who has shown the first factor; who has not, or too long ago, begins again. */
  const withPending = (
    request: BrowserRequest,
    go: (asked: SignInRequest, first: FirstFactor) => Promise<BrowserAnswer> | BrowserAnswer,
  ): Promise<BrowserAnswer> =>
    requests.withRequest(request, async (asked) => {
      const first = flow.pending(request, asked);
      return first ? go(asked, first) : redirectAnswer(startAgain(asked));
    });

  const tryCode = async (asked: SignInRequest, first: FirstFactor, request: BrowserRequest): Promise<BrowserAnswer> => {
    const { csrf, code = '' } = readForm(request.body);
    if (!cookies.isOurForm(request.cookie, csrf)) return page(asked, request, { status: 403, error: FORM_EXPIRED });
    const verdict = await factors.verifyCode(auditActor(first.tenant, first.userId, 'user', request), code);
    if (verdict.accepted !== undefined) {
      const who = { ...first, amr: [...first.amr, 'otp', 'mfa'] };
      return (await flow.complete(request, asked, who)) ?? requests.refuse(400, NO_USER_IN_TIME);
    }
    const { waitMs, triesLeft } = verdict;
    if (waitMs === 0) recordFailedSignIn(first, 'second-factor', request);
    return waitMs > 0
      ? page(asked, request, { status: 429, error: `Too many wrong codes. Wait ${formatWait(waitMs)}.`, waitMs })
      : page(asked, request, { status: 400, error: wrongCode(triesLeft) });
  };

  return {
    show: (request) => withPending(request, (asked) => page(asked, request)),
    submit: (request) => withPending(request, (asked, first) => tryCode(asked, first, request)),
  };
};

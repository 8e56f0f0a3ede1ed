import { readForm } from '../protocol/form.ts';
import { auditActor } from '../protocol/protocol-request.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { type BrowserAnswer, type BrowserRequest, formTarget, pageAnswer, redirectAnswer } from './browser-answers.ts';
import { FORM_EXPIRED, formatWait } from './messages.ts';
import type { PagePorts } from './page-ports.ts';
import { secondFactorPage } from './pages/second-factor.ts';
import type { SignInRequest } from './requests.ts';
import type { FirstFactor } from './sign-in-flow.ts';

interface Failure {
  readonly status: number;
  readonly error: string;
  readonly waitMs?: number;
}

const WRONG =
  'That code is wrong, or was used already. Wait until your app shows a new code and enter that one, or enter a recovery code.';

const NO_USER_IN_TIME = 'Your sign-in ended while you were at it.';

const wrongCode = (attemptsLeft: number): string =>
  attemptsLeft > 2
    ? WRONG
    : `${WRONG} ${attemptsLeft === 0 ? 'The next try' : `After ${attemptsLeft} more, you`} must wait.`;

export const createSecondFactorPage = (
  { cookies, requests, flow, factors, recordFailedSignIn }: PagePorts,
  settings: AuthoritySettings,
) => {
  const startAgain = (request: SignInRequest): string =>
    `${request.kind === 'visit' ? '/sign-in' : '/authorize'}?${request.search}`;

  const page = (signInRequest: SignInRequest, request: BrowserRequest, failure?: Failure): BrowserAnswer => {
    const { csrf, setCookie } = cookies.issueForm(request.cookie);
    const action = `/sign-in/second-factor?${signInRequest.search}`;
    const form = { action, csrf, error: failure?.error, startAgain: startAgain(signInRequest) };
    return pageAnswer(failure?.status ?? 200, secondFactorPage(form, settings), {
      formTargets: ["'self'", ...(signInRequest.kind === 'visit' ? [] : [formTarget(signInRequest.redirectUri)])],
      setCookie,
      ...(failure?.waitMs !== undefined && { retryAfterSeconds: Math.max(1, Math.ceil(failure.waitMs / 1000)) }),
    });
  };

  /** Passes on the first factor of this browser; without a recent one the request begins again. */
  const withPending = (
    request: BrowserRequest,
    go: (request: SignInRequest, first: FirstFactor) => Promise<BrowserAnswer> | BrowserAnswer,
  ): Promise<BrowserAnswer> =>
    requests.withRequest(request, async (asked) => {
      const first = flow.pending(request, asked);
      return first ? go(asked, first) : redirectAnswer(startAgain(asked));
    });

  const tryCode = async (
    signInRequest: SignInRequest,
    first: FirstFactor,
    request: BrowserRequest,
  ): Promise<BrowserAnswer> => {
    const { csrf, code = '' } = readForm(request.body);
    if (!cookies.isOurForm(request.cookie, csrf))
      return page(signInRequest, request, { status: 403, error: FORM_EXPIRED });
    const verdict = await factors.verifyCode(auditActor(first.tenant, first.userId, 'user', request), code);
    if (verdict.accepted !== undefined) {
      const firstFactor = { ...first, amr: [...first.amr, 'otp', 'mfa'] };
      return (await flow.complete(request, signInRequest, firstFactor)) ?? requests.refuse(400, NO_USER_IN_TIME);
    }
    const { waitMs, attemptsLeft } = verdict;
    if (waitMs === 0) recordFailedSignIn(first, 'second-factor', request);
    return waitMs > 0
      ? page(signInRequest, request, {
          status: 429,
          error: `Too many wrong codes. Wait ${formatWait(waitMs)}.`,
          waitMs,
        })
      : page(signInRequest, request, { status: 400, error: wrongCode(attemptsLeft) });
  };

  return {
    /** GET /sign-in/second-factor. */
    show: (request: BrowserRequest) => withPending(request, (asked) => page(asked, request)),
    /** POST /sign-in/second-factor. */
    submit: (request: BrowserRequest) => withPending(request, (asked, first) => tryCode(asked, first, request)),
  };
};

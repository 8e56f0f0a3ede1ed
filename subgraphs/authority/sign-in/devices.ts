import * as devices from '../authorization/device-authorization.ts';
import { formatUserCode, userCodeOf } from '../authorization/user-codes.ts';
import { type Client, findAnywhere as findClient } from '../clients/clients.ts';
import { readForm } from '../protocol/form.ts';
import { auditActor } from '../protocol/protocol-request.ts';
import { parseScopes, scopesOfRoles } from '../protocol/scopes.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { createAttemptLimit } from '../users/attempt-limit.ts';
import { userEvent } from '../users/user-events.ts';
import * as users from '../users/users.ts';
import { type BrowserAnswer, type BrowserRequest, pageAnswer, redirectAnswer } from './browser-answers.ts';
import { lockActivePerson } from './completion.ts';
import { FORM_EXPIRED, formatWait } from './messages.ts';
import type { PagePorts } from './page-ports.ts';
import { deviceCodePage, deviceQuestionPage } from './pages/device.ts';
import { noticePage } from './pages/notices.ts';
import type { Session } from './sessions.store.ts';

/** Pending device and its client. */
interface Waiting {
  readonly device: devices.DeviceCode;
  readonly client: Client;
}

/** Allowance of unknown codes for a signed-in person. */
const ALLOWANCE = { free: 10, longestWaitMs: 900_000 };

const UNKNOWN =
  'No device waits for that code. Check it against the device; it may have expired, then start there again.';

const outcome = {
  approve: {
    title: 'The device is connected',
    message: 'Go back to it: it goes on by itself within a few seconds. You may close this window.',
  },
  deny: { title: 'The device is not connected', message: 'It will not get access. You may close this window.' },
} as const;

const isDecision = (value: string | undefined): value is keyof typeof outcome =>
  value === 'approve' || value === 'deny';

interface Failure {
  readonly status: number;
  readonly error: string;
  readonly retryAfterSeconds?: number;
}

/** Answering session and the scopes its page showed. */
interface Answer {
  readonly session: Session;
  readonly shown: readonly string[];
  readonly requestId: string;
}

/** Rules for answering devices. */
const createAnswers = ({ database }: PagePorts) => {
  const attempts = createAttemptLimit(database, 'user-code', ALLOWANCE);

  /** Finds a pending device whose client serves this person's tenant. */
  const find = async (typed: string, { tenant }: Session): Promise<Waiting | undefined> => {
    const userCode = userCodeOf(typed);
    if (userCode === undefined) return undefined;
    return database.system.read(async (query) => {
      const device = await devices.findByUserCode(query, userCode);
      const client = device && (await findClient(query, device.clientId));
      const isServed = client?.active && (client.servesEveryTenant || client.tenant === tenant);
      return device && client && isServed ? { device, client } : undefined;
    });
  };

  const findWaiting = async (typed: string, session: Session): Promise<Waiting | Failure> => {
    const waitMs = await attempts.recordAttempt(session.userId);
    if (waitMs > 0)
      return {
        status: 429,
        error: `Too many codes that nothing waits for. Wait ${formatWait(waitMs)}.`,
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      };
    const waiting = await find(typed, session);
    if (!waiting) return { status: 400, error: UNKNOWN };
    await attempts.recordSuccess(session.userId);
    return waiting;
  };

  const scopesOf = (user: users.User, { scopes }: devices.DeviceCode): readonly string[] =>
    scopesOfRoles(users.effectiveRoles(user), scopes);

  /** Records the decision; false when the device no longer waits. */
  const answer = async (
    decision: keyof typeof outcome,
    { device, client }: Waiting,
    { session, shown: visible, requestId }: Answer,
  ): Promise<boolean> => {
    const { tenant, userId, amr, authTime } = session;
    if (device.tenant !== tenant)
      await database.system.write((tx) => devices.adopt(tx, device.tenant, device.id, tenant));
    return database.write(tenant, async (tx) => {
      const user = await lockActivePerson(tx, tenant, userId);
      if (!user) return false;
      const scopes = scopesOf(user, device).filter((scope) => visible.includes(scope));
      const isAnswered =
        decision === 'approve'
          ? await devices.approve(tx, tenant, device.id, { userId, scopes, amr, authTime })
          : await devices.deny(tx, tenant, device.id);
      if (!isAnswered) return false;
      const caller = auditActor(tenant, userId, 'user', { requestId });
      const data = { clientId: client.id, scopes: decision === 'approve' ? scopes : device.scopes };
      await userEvent(tx, caller, `device.${decision}`, user, data);
      return true;
    });
  };

  const person = ({ tenant, userId }: Session) => database.read(tenant, (query) => users.find(query, tenant, userId));

  return { findWaiting, answer, scopesOf, person };
};

export const createDevicePages = (ports: PagePorts, settings: AuthoritySettings) => {
  const { cookies, requests, flow } = ports;
  const answers = createAnswers(ports);

  const codePage = (request: BrowserRequest, userCode: string, failure?: Failure): BrowserAnswer => {
    const { csrf, setCookie } = cookies.issueForm(request.cookie);
    const { status = 200, error, ...rest } = failure ?? {};
    const body = deviceCodePage({ csrf, userCode, error }, settings);
    return pageAnswer(status, body, { formTargets: ["'self'"], setCookie, ...rest });
  };

  const questionPage = async (request: BrowserRequest, session: Session, { device, client }: Waiting) => {
    const user = await answers.person(session);
    if (!user) return redirectAnswer('/sign-in?to=device');
    const { csrf, setCookie } = cookies.issueForm(request.cookie);
    const form = {
      csrf,
      userCode: formatUserCode(device.userCode),
      clientName: client.name,
      address: device.address,
      displayName: user.displayName,
      username: user.username,
      scopes: answers.scopesOf(user, device),
    };
    return pageAnswer(200, deviceQuestionPage(form, settings), { formTargets: ["'self'"], setCookie });
  };

  const askFor = (typed: string): BrowserAnswer =>
    redirectAnswer(`/device?user_code=${encodeURIComponent(formatUserCode(userCodeOf(typed) ?? typed.slice(0, 40)))}`);

  /** Passes on the session and the pending device of the code. */
  const withWaiting = async (
    request: BrowserRequest,
    typed: string,
    go: (session: Session, waiting: Waiting) => Promise<BrowserAnswer>,
  ): Promise<BrowserAnswer> => {
    const session = await flow.session(request);
    if (!session) return redirectAnswer(`/sign-in?to=device&user_code=${encodeURIComponent(typed.slice(0, 40))}`);
    const waiting = await answers.findWaiting(typed, session);
    return 'device' in waiting ? go(session, waiting) : codePage(request, typed, waiting);
  };

  const submit = async (request: BrowserRequest): Promise<BrowserAnswer> => {
    const { csrf, user_code: typed = '', decision, shown: visible = '' } = readForm(request.body);
    if (!cookies.isOurForm(request.cookie, csrf)) return codePage(request, typed, { status: 403, error: FORM_EXPIRED });
    if (!isDecision(decision)) return askFor(typed);
    return withWaiting(request, typed, async (session, waiting) => {
      const { requestId } = request;
      const isAnswered = await answers.answer(decision, waiting, { session, shown: parseScopes(visible), requestId });
      return isAnswered
        ? pageAnswer(200, noticePage(outcome[decision], settings))
        : codePage(request, typed, { status: 400, error: UNKNOWN });
    });
  };

  return {
    /** GET /device: form for the user code, or the approval page of a code. */
    show: (request: BrowserRequest): Promise<BrowserAnswer> =>
      requests.guarded(async () => {
        const { user_code: typed } = readForm(request.query);
        if (typed === undefined) return codePage(request, '');
        return withWaiting(request, typed, (session, waiting) => questionPage(request, session, waiting));
      }),
    /** POST /device: the code, or the answer. */
    submit: (request: BrowserRequest): Promise<BrowserAnswer> => requests.guarded(() => submit(request)),
  };
};

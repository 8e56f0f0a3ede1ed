import type { AuthorizationRequest } from '../authorization/authorization-request.ts';
import { readForm } from '../protocol/form.ts';
import { auditActor } from '../protocol/protocol-request.ts';
import { parseScopes } from '../protocol/scopes.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { userEvent } from '../users/user-events.ts';
import * as users from '../users/users.ts';
import { type BrowserAnswer, type BrowserRequest, formTarget, pageAnswer, redirectAnswer } from './browser-answers.ts';
import * as consents from './consents.store.ts';
import type { PagePorts } from './page-ports.ts';
import { consentPage } from './pages/consent.ts';
import type { Session } from './sessions.store.ts';

export const { listOfUser: listConsents, remove: removeConsent } = consents;
export type { NamedConsent } from './consents.store.ts';

const SIGNED_OUT_MESSAGE = 'You were signed out while you were at it.';

export const createConsent = ({ database, cookies, requests, flow }: PagePorts, settings: AuthoritySettings) => {
  /** Passes on the session and the scopes to ask about; without a question the request begins again. */
  const withQuestion = (
    request: BrowserRequest,
    go: (request: AuthorizationRequest, session: Session, scopes: readonly string[]) => Promise<BrowserAnswer>,
  ): Promise<BrowserAnswer> =>
    requests.withRequest(request, async (asked) => {
      if (asked.kind === 'visit') return redirectAnswer(asked.path);
      const session = await flow.session(request);
      const isEnough = session && flow.sufficedBefore(asked, session) && !asked.prompts.includes('none');
      const scopes = isEnough ? await flow.scopesToAllow(asked, session) : undefined;
      // Only /authorize decides whether consent is needed, so a page without a question redirects there.
      return session && scopes ? go(asked, session, scopes) : redirectAnswer(`/authorize?${asked.search}`);
    });

  const page = async (
    authorizationRequest: AuthorizationRequest,
    session: Session,
    request: BrowserRequest,
    scopes: readonly string[],
  ) => {
    const user = await database.read(session.tenant, (query) => users.find(query, session.tenant, session.userId));
    const { csrf, setCookie } = cookies.issueForm(request.cookie);
    const { hostname, protocol } = new URL(authorizationRequest.redirectUri);
    const form = {
      action: `/consent?${authorizationRequest.search}`,
      csrf,
      clientName: authorizationRequest.client.name,
      displayName: user?.displayName ?? '',
      username: user?.username ?? '',
      scopes,
      host: hostname === '' ? protocol : hostname,
    };
    const formTargets = ["'self'", formTarget(authorizationRequest.redirectUri)];
    return pageAnswer(200, consentPage(form, settings), { formTargets, setCookie });
  };

  const allow = async (
    request: AuthorizationRequest,
    session: Session,
    scopes: readonly string[],
    requestId: string,
  ) => {
    const { tenant, userId } = session;
    const { id: clientId } = request.client;
    const answer = await flow.answerWithCode(request, session, {
      scopes,
      async also(tx, user) {
        await consents.grant(tx, tenant, userId, { clientId, scopes });
        const caller = auditActor(tenant, userId, 'user', { requestId });
        await userEvent(tx, caller, 'consent.grant', user, { clientId, scopes });
      },
    });
    return answer ?? requests.refuse(400, SIGNED_OUT_MESSAGE);
  };

  const deny = async (
    request: AuthorizationRequest,
    session: Session,
    scopes: readonly string[],
    requestId: string,
  ) => {
    const { tenant, userId } = session;
    await database.write(tenant, async (tx) => {
      const user = (await users.find(tx, tenant, userId)) ?? { id: userId };
      const caller = auditActor(tenant, userId, 'user', { requestId });
      await userEvent(tx, caller, 'consent.deny', user, { clientId: request.client.id, scopes });
    });
    await flow.spend(request);
    return requests.sendRefusal(request, { error: 'access_denied', description: 'The person did not allow it.' });
  };

  return {
    /** GET /consent. */
    show: (request: BrowserRequest) =>
      withQuestion(request, (asked, session, scopes) => page(asked, session, request, scopes)),
    /** POST /consent: Allow or Deny. */
    decide: (request: BrowserRequest) =>
      withQuestion(request, (asked, session, scopes) => {
        const { csrf, decision, shown: visible = '' } = readForm(request.body);
        const shownScopes = parseScopes(visible);
        if (cookies.isOurForm(request.cookie, csrf)) {
          const allowed = scopes.filter((scope) => shownScopes.includes(scope));
          if (decision === 'allow') return allow(asked, session, allowed, request.requestId);
          if (decision === 'deny') return deny(asked, session, scopes, request.requestId);
        }
        return page(asked, session, request, scopes);
      }),
  };
};

import { isId } from '@landfall/kernel/core/ids';
import { findAnywhere } from '../clients/clients.ts';
import { type Form, readForm } from '../protocol/form.ts';
import { auditActor } from '../protocol/protocol-request.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { userEvent } from '../users/user-events.ts';
import * as users from '../users/users.ts';
import {
  type BrowserAnswer,
  type BrowserRequest,
  pageAnswer,
  redirectAnswer,
  withParameters,
} from './browser-answers.ts';
import type { PagePorts } from './page-ports.ts';
import { signedOutPage, signOutPage } from './pages/notices.ts';
import * as sessions from './sessions.store.ts';
export const createSignOut = ({ database, idTokens, cookies, flow }: PagePorts, settings: AuthoritySettings) => {
  const end = async ({ id, tenant, userId }: sessions.Session, request: BrowserRequest): Promise<void> =>
    database.write(tenant, async (tx) => {
      const user = await users.find(tx, tenant, userId);
      if (!user || (await sessions.remove(tx, tenant, id)) === 0) return;
      await userEvent(tx, auditActor(tenant, userId, 'user', request), 'user.signOut', user);
    });

  /** Registered address of the client of `id_token_hint`; no other address is followed. */
  const returnAddress = async (form: Form, clientId: string | undefined): Promise<string | undefined> => {
    const requested = form.post_logout_redirect_uri;
    if (requested === undefined || clientId === undefined || !isId(clientId, 'Client')) return undefined;
    const client = await database.system.read((query) => findAnywhere(query, clientId));
    return client?.postLogoutRedirectUris.includes(requested) ? requested : undefined;
  };

  const signedOut = (to: string | undefined, state: string | undefined): BrowserAnswer =>
    to === undefined
      ? pageAnswer(200, signedOutPage(settings), { setCookie: cookies.session.clear })
      : redirectAnswer(withParameters(to, { state }), cookies.session.clear);

  /** GET /end-session (RP-Initiated Logout 1.0): asks to confirm, unless the ID token hint names the user. */
  const ask = async (request: BrowserRequest): Promise<BrowserAnswer> => {
    const form = readForm(request.query);
    const hint = form.id_token_hint === undefined ? undefined : await idTokens.readHint(form.id_token_hint);
    const session = await flow.session(request);
    if (session && session.userId !== hint?.subject) {
      const { csrf, setCookie } = cookies.issueForm(request.cookie);
      const page = signOutPage({ csrf, action: '/end-session' }, settings);
      return pageAnswer(200, page, { formTargets: ["'self'"], setCookie });
    }
    if (session) await end(session, request);
    return signedOut(await returnAddress(form, hint?.clientId), form.state);
  };

  return {
    ask,
    /** POST /end-session: signs out after the confirmation. */
    async confirm(request: BrowserRequest): Promise<BrowserAnswer> {
      if (!cookies.isOurForm(request.cookie, readForm(request.body).csrf)) return ask(request);
      const session = await flow.session(request);
      if (session) await end(session, request);
      return signedOut(undefined, undefined);
    },
  };
};

import { Fault } from '@landfall/kernel/core/fault';
import { isId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { revokeFamiliesOfUser } from '../revocation/revocation.ts';
import { type Html, html } from '../sign-in/html.ts';
import { csrfField } from '../sign-in/page-layout.ts';
import * as sessions from '../sign-in/sessions.ts';
import { userEvent } from '../users/user-events.ts';
import { item, items, time } from './account-layout.ts';
import { type AccountPage, type PageContext, UNKNOWN_FORM, type Visitor } from './account-pages.ts';
import { describeUserAgent } from './user-agent.ts';

const PATH = '/account/sessions';
/** Upper bound of listed sign-ins; "end all others" covers the rest too. */
const MAX = 50;

/** Labels of authentication methods (RFC 8176). */
const METHODS: Readonly<Record<string, string>> = {
  pwd: 'password',
  otp: 'code',
  hwk: 'passkey',
  swk: 'passkey',
  fed: 'single sign-on',
};

const methodLabel = (amr: readonly string[]): string => {
  const methods = [...new Set(amr.flatMap((method) => METHODS[method] ?? []))];
  return methods.length === 0 ? '' : `, by ${methods.join(' and ')}`;
};

const endForm = ({ csrf, isFresh }: PageContext, { id, userAgent }: sessions.Session): Html | undefined =>
  isFresh
    ? html`<form method="post" action="${PATH}">${csrfField(csrf)}<input type="hidden" name="id" value="${id}">
<button class="btn plain" type="submit" name="do" value="end" aria-label="End the sign-in of ${describeUserAgent(userAgent)}">End</button></form>`
    : undefined;

const sessionItem = (frame: PageContext, session: sessions.Session): Html => {
  const { userAgent, address, authTime, amr } = session;
  const isThis = session.id === frame.session.id;
  const facts = [html`${time(authTime)}${methodLabel(amr)}`, ...(address === null ? [] : [html`From ${address}`])];
  const name = isThis ? `${describeUserAgent(userAgent)}, this one` : describeUserAgent(userAgent);
  return item(name, facts, isThis ? undefined : endForm(frame, session));
};

const othersForm = ({ csrf, isFresh }: PageContext): Html | undefined =>
  isFresh
    ? html`<form method="post" action="${PATH}">${csrfField(csrf)}<button class="btn plain" type="submit" name="do" value="end-others">End all others</button></form>`
    : undefined;

export const createSessionPage = ({ database }: Pick<Deps, 'database'>): AccountPage => {
  const end = ({ caller, user }: Visitor, id: sessions.SessionId): Promise<void> =>
    database.write(caller.tenant, async (tx) => {
      const session = await sessions.find(tx, caller.tenant, id);
      if (session?.userId !== user.id || (await sessions.remove(tx, caller.tenant, id)) === 0)
        throw new Fault('RES_NOT_FOUND', 'That sign-in has ended already.');
      await sessions.sessionEvent(tx, caller, 'session.revoke', { id }, { userId: user.id });
    });

  /** Ends all other sign-ins and revokes all tokens of the person; this browser gets new tokens automatically. */
  const endOthers = ({ caller, user, session }: Visitor): Promise<void> =>
    database.write(caller.tenant, async (tx) => {
      const completed = await sessions.endOtherSessionsOfUser(tx, caller.tenant, user.id, session.id);
      await revokeFamiliesOfUser(tx, caller.tenant, user.id);
      await userEvent(tx, caller, 'user.endOtherSessions', user, { ended: completed });
    });

  return {
    section: 'sessions',
    notices: {
      ended: 'That sign-in has ended.',
      'others-ended': 'All other sign-ins have ended, and the access of applications with them.',
    },
    async body(frame) {
      const search = { userId: frame.user.id, after: undefined, limit: MAX };
      const all = await database.read(frame.caller.tenant, (query) =>
        sessions.list(query, frame.caller.tenant, search),
      );
      const entries = all.map((session) => sessionItem(frame, session));
      return html`<p>These browsers need not sign in again for a while.</p>
${items(entries, 'Sign-ins')}
${all.length > 1 ? othersForm(frame) : undefined}`;
    },
    changes: {
      async 'end-others'(consoleUser) {
        await endOthers(consoleUser);
        return 'others-ended';
      },
      async end(consoleUser, { id = '' }) {
        if (!isId(id, 'Session')) return UNKNOWN_FORM;
        await end(consoleUser, id);
        return 'ended';
      },
    },
  };
};

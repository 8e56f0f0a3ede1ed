import { Fault } from '@landfall/kernel/core/fault';
import { isId } from '@landfall/kernel/core/ids';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { revokeFamiliesOfUser } from '../revocation/revocation.store.ts';
import { type Html, html } from '../sign-in/html.ts';
import { csrfField } from '../sign-in/page-layout.ts';
import * as store from '../sign-in/sessions.store.ts';
import { userEvent } from '../users/user-events.ts';
import { item, items, time } from './account-layout.ts';
import {
  type AccountPage,
  type Change,
  done,
  type PageContext,
  type PageController,
  type Visitor,
} from './page-controller.ts';
import { describeUserAgent } from './user-agent.ts';

interface Ports extends Pick<Deps, 'database'> {
  readonly controller: PageController;
}

const PATH = '/account/sessions';
/** Upper bound of listed sign-ins; "end all others" covers the rest too. */
const MOST = 50;

/** Labels of authentication methods (RFC 8176). */
const WAYS: Readonly<Record<string, string>> = {
  pwd: 'password',
  otp: 'code',
  hwk: 'passkey',
  swk: 'passkey',
  fed: 'single sign-on',
};

const wayIn = (amr: readonly string[]): string => {
  const ways = [...new Set(amr.flatMap((word) => WAYS[word] ?? []))];
  return ways.length === 0 ? '' : `, by ${ways.join(' and ')}`;
};

const endForm = ({ csrf, isFresh }: PageContext, { id, userAgent }: store.Session): Html | undefined =>
  isFresh
    ? html`<form method="post" action="${PATH}">${csrfField(csrf)}<input type="hidden" name="id" value="${id}">
<button class="btn plain" type="submit" name="do" value="end" aria-label="End the sign-in of ${describeUserAgent(userAgent)}">End</button></form>`
    : undefined;

const sessionItem = (frame: PageContext, session: store.Session): Html => {
  const { userAgent, address, authTime, amr } = session;
  const isThis = session.id === frame.session.id;
  const facts = [html`${time(authTime)}${wayIn(amr)}`, ...(address === null ? [] : [html`From ${address}`])];
  const name = isThis ? `${describeUserAgent(userAgent)}, this one` : describeUserAgent(userAgent);
  return item(name, facts, isThis ? undefined : endForm(frame, session));
};

const othersForm = ({ csrf, isFresh }: PageContext): Html | undefined =>
  isFresh
    ? html`<form method="post" action="${PATH}">${csrfField(csrf)}<button class="btn plain" type="submit" name="do" value="end-others">End all others</button></form>`
    : undefined;

export const createSessionPages = ({ database, controller }: Ports) => {
  const page: AccountPage = {
    section: 'sessions',
    redirectWithNotice: {
      ended: 'That sign-in has ended.',
      'others-ended': 'All other sign-ins have ended, and with them what applications held.',
    },
    async body(frame) {
      const search = { userId: frame.user.id, after: undefined, limit: MOST };
      const all = await database.read(frame.who.tenant, (query) => store.list(query, frame.who.tenant, search));
      return html`<p>These browsers need not sign in again for a while.</p>
${items(
  all.map((session) => sessionItem(frame, session)),
  'Sign-ins',
)}
${all.length > 1 ? othersForm(frame) : undefined}`;
    },
  };

  const end = ({ who, user }: Visitor, id: store.SessionId): Promise<void> =>
    database.write(who.tenant, async (tx) => {
      const session = await store.find(tx, who.tenant, id);
      if (session?.userId !== user.id || (await store.remove(tx, who.tenant, id)) === 0)
        throw new Fault('RES_NOT_FOUND', 'That sign-in has ended already.');
      await event(tx, who, 'session.revoke', { entity: 'Session', id, version: 1, data: { userId: user.id } });
    });

  const endOthers = ({ who, user, session }: Visitor): Promise<void> =>
    database.write(who.tenant, async (tx) => {
      const ended = await store.endOtherSessionsOfUser(tx, who.tenant, user.id, session.id);
      // What browsers and applications were given would live on without their sign-in; this browser's is got anew by itself.
      await revokeFamiliesOfUser(tx, who.tenant, user.id);
      await userEvent(tx, who, 'user.endOtherSessions', user, { ended });
    });

  const change: Change = async (visitor, { do: what, id = '' }) => {
    if (what === 'end-others') {
      await endOthers(visitor);
      return done('sessions', 'others-ended');
    }
    if (what !== 'end' || !isId(id, 'Session'))
      return controller.answer(visitor, page, { status: 400, error: 'This form is not known.' });
    await end(visitor, id);
    return done('sessions', 'ended');
  };

  return { page, change };
};

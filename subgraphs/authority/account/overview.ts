import * as consents from '../sign-in/consent.ts';
import { type Html, html } from '../sign-in/html.ts';
import type { PagePorts } from '../sign-in/page-ports.ts';
import * as sessions from '../sign-in/sessions.ts';
import * as passwords from '../users/passwords.ts';
import { countLabel, pathOf, type Section } from './account-layout.ts';
import type { AccountPage, PageContext } from './account-pages.ts';

/** Sign-ins beyond these are counted as many. */
const MAX_SESSIONS = 100;

const row = (section: Section, [label, value]: readonly [string, string], action = 'Change'): Html =>
  html`<li><div><b>${label}</b><p class="small soft">${value}</p></div><a href="${pathOf(section)}" aria-label="${action}: ${label}">${action}</a></li>`;

export const overviewPage = ({ database, factors }: Pick<PagePorts, 'database' | 'factors'>): AccountPage => ({
  section: 'overview',
  async body({ user, caller: { tenant } }: PageContext) {
    const { facts, hash, live, agreed } = await database.read(tenant, async (query) => ({
      facts: await factors.summaryOf(query, tenant, user.id),
      hash: await passwords.findPassword(query, tenant, user.id),
      live: await sessions.list(query, tenant, { userId: user.id, after: undefined, limit: MAX_SESSIONS }),
      agreed: await consents.listConsents(query, tenant, user.id),
    }));
    const secondFactor = facts.totp ? `On, with ${countLabel(facts.recoveryCodes, 'recovery code')} left` : 'Off';
    return html`<ul class="things" aria-label="How you sign in">
${row('password', ['Password', typeof hash?.passwordHash === 'string' ? 'Set' : 'None'])}
${row('second-factor', ['Second factor', secondFactor])}
${row('passkeys', ['Passkeys', facts.passkeys === 0 ? 'None' : countLabel(facts.passkeys, 'passkey')])}
${row('sessions', ['Sign-ins', countLabel(live.length, 'sign-in')], 'See')}
${row('applications', ['Applications', agreed.length === 0 ? 'None' : countLabel(agreed.length, 'application')], 'See')}
</ul>
<p class="small quiet">Your name and e-mail address are kept by whoever runs Landfall for you.</p>`;
  },
});

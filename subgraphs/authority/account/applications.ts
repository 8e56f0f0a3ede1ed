import { Fault } from '@landfall/kernel/core/fault';
import { isId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import type { ClientId } from '../clients/clients.ts';
import { revokeFamiliesOfApplication } from '../revocation/revocation.ts';
import * as consents from '../sign-in/consent.ts';
import { type Html, html } from '../sign-in/html.ts';
import { csrfField } from '../sign-in/page-layout.ts';
import { scopeLabel } from '../sign-in/pages/scope-labels.ts';
import { userEvent } from '../users/user-events.ts';
import { item, items, time } from './account-layout.ts';
import { type AccountPage, type PageContext, UNKNOWN_FORM, type Visitor } from './account-pages.ts';

const PATH = '/account/applications';

const nameOf = ({ clientName }: consents.NamedConsent): string => clientName ?? 'An application of the platform';

const revokeForm = ({ csrf, isFresh }: PageContext, consent: consents.NamedConsent): Html | undefined =>
  isFresh
    ? html`<form method="post" action="${PATH}">${csrfField(csrf)}<input type="hidden" name="client" value="${consent.clientId}">
<button class="btn plain" type="submit" name="do" value="revoke" aria-label="Take back what ${nameOf(consent)} may do">Take back</button></form>`
    : undefined;

const consentItem = (frame: PageContext, consent: consents.NamedConsent): Html =>
  item(
    nameOf(consent),
    [html`Allowed ${time(consent.grantedAt)}`, html`${consent.scopes.map(scopeLabel).join(' · ')}`],
    revokeForm(frame, consent),
  );

export const createApplicationPage = ({ database }: Pick<Deps, 'database'>): AccountPage => {
  /** Removes a consent and revokes the application's tokens in one transaction. */
  const revoke = ({ caller, user }: Visitor, clientId: ClientId): Promise<void> =>
    database.write(caller.tenant, async (tx) => {
      if ((await consents.removeConsent(tx, caller.tenant, user.id, clientId)) === 0)
        throw new Fault('RES_NOT_FOUND', 'That application may not act for you.');
      await revokeFamiliesOfApplication(tx, caller.tenant, user.id, clientId);
      await userEvent(tx, caller, 'consent.revoke', user, { clientId });
    });

  return {
    section: 'applications',
    notices: { revoked: 'The application may no longer act for you, and its access is revoked.' },
    async body(frame) {
      const { tenant } = frame.caller;
      const all = await database.read(tenant, (query) => consents.listConsents(query, tenant, frame.user.id));
      if (all.length === 0) return html`<p>You have allowed no application to act for you.</p>`;
      const entries = all.map((consent) => consentItem(frame, consent));
      return items(entries, 'Applications');
    },
    changes: {
      async revoke(consoleUser, { client = '' }) {
        if (!isId(client, 'Client')) return UNKNOWN_FORM;
        await revoke(consoleUser, client);
        return 'revoked';
      },
    },
  };
};

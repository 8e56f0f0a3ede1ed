import type { Deps } from '@landfall/kernel/module';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { type BrowserRequest, redirectAnswer } from '../sign-in/browser-answers.ts';
import type { PagePorts } from '../sign-in/page-ports.ts';
import { createBackOff } from '../users/back-off.ts';
import { type AccountPage, createAccountPages } from './account-pages.ts';
import { createApplicationPage } from './applications.ts';
import { jsonAnswer } from './json-answer.ts';
import { overviewPage } from './overview.ts';
import { passkeyScript } from './passkey-script.ts';
import { createPasskeyPages } from './passkeys.ts';
import { createPasswordPage } from './password.ts';
import { createSecondFactorPage } from './second-factor.ts';
import { createSessionPage } from './sessions.ts';

export const createAccount = (
  deps: Deps,
  { cookies, flow, factors }: Pick<PagePorts, 'cookies' | 'flow' | 'factors'>,
  settings: AuthoritySettings,
) => {
  const { database, clock } = deps;
  const controller = createAccountPages({ database, clock, cookies, flow }, settings);
  const ports = { database, factors };
  const passkeys = createPasskeyPages(ports, controller.visitor);
  const overview = overviewPage(ports);
  /** Handlers of an account page: one renders it, one processes its forms. */
  const handlersOf = (page: AccountPage) => ({
    show: (request: BrowserRequest) => controller.show(request, page),
    submit: (request: BrowserRequest) => controller.submit(request, page),
  });

  return {
    /** GET /: redirects to the account. */
    entrance: async () => redirectAnswer('/account'),
    /** GET /account. */
    overview: (request: BrowserRequest) => controller.show(request, overview),
    /** GET and POST /account/<section>. */
    sections: {
      password: handlersOf(createPasswordPage({ ...ports, backOff: createBackOff(database) })),
      'second-factor': handlersOf(createSecondFactorPage(ports)),
      passkeys: handlersOf(passkeys.page),
      sessions: handlersOf(createSessionPage(ports)),
      applications: handlersOf(createApplicationPage(ports)),
    },
    /** GET /account/passkeys/options: creation options of WebAuthn. */
    registrationOptions: passkeys.options,
    /** GET /passkey/options: request options for a sign-in page whose challenge expired. */
    signInOptions: async () =>
      factors.passkeysUnavailableReason === undefined
        ? jsonAnswer(200, await factors.passkeyOptions())
        : jsonAnswer(409, { error: factors.passkeysUnavailableReason }),
    /** GET /passkey.js. */
    script: passkeyScript(),
  };
};

import type { Deps } from '@landfall/kernel/module';
import type { Factors } from '../factors/factors.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { type BrowserAnswer, type BrowserRequest, redirectAnswer } from '../sign-in/browser-answers.ts';
import type { BrowserServices } from '../sign-in/browser-pages.ts';
import { createBackOff } from '../users/back-off.ts';
import type { Section } from './account-layout.ts';
import { createApplicationPages } from './applications.ts';
import { jsonAnswer } from './json-answer.ts';
import { overviewPage } from './overview.ts';
import { type AccountPage, type Change, type ChangeOptions, createPageController } from './page-controller.ts';
import { passkeyScript } from './passkey-script.ts';
import { createPasskeyPages } from './passkeys.ts';
import { createPasswordPage } from './password.ts';
import { createSecondFactorPages } from './second-factor.ts';
import { createSessionPages } from './sessions.ts';

type Handler = (request: BrowserRequest) => Promise<BrowserAnswer>;

/** Handlers of an account page: one renders it, one processes its forms. */
interface AccountDoor {
  readonly show: Handler;
  readonly submit: Handler;
}

/** Pages on which people manage their passwords, factors and sign-ins. */
export interface Account {
  /** GET /: redirects to the account. */
  readonly entrance: Handler;
  /** GET /account. */
  readonly overview: Handler;
  /** GET and POST /account/<section>. */
  readonly sections: Readonly<Record<Exclude<Section, 'overview'>, AccountDoor>>;
  /** GET /account/passkeys/options: creation options of WebAuthn. */
  readonly registrationOptions: Handler;
  /** GET /passkey/options: request options for a sign-in page whose challenge expired. */
  readonly signInOptions: Handler;
  /** GET /passkey.js. */
  readonly script: BrowserAnswer;
}

interface Ports extends BrowserServices {
  readonly factors: Factors;
}

export const createAccount = (deps: Deps, { cookies, flow, factors }: Ports, settings: AuthoritySettings): Account => {
  const { database, clock } = deps;
  const controller = createPageController({ database, clock, cookies, flow }, settings);
  const ports = { database, controller, factors };
  const [secondFactor, passkeys] = [createSecondFactorPages(ports), createPasskeyPages(ports)];
  const overview = overviewPage(ports);

  const doorOf = ({
    page,
    change,
    ...options
  }: { page: AccountPage; change: Change } & ChangeOptions): AccountDoor => ({
    show: (request) => controller.show(request, page),
    submit: (request) => controller.change(request, page, change, options),
  });

  return {
    entrance: async () => redirectAnswer('/account'),
    overview: (request) => controller.show(request, overview),
    sections: {
      password: doorOf(createPasswordPage({ ...ports, backOff: createBackOff(database) })),
      'second-factor': doorOf(secondFactor),
      passkeys: doorOf({ page: passkeys.page, change: passkeys.change }),
      sessions: doorOf(createSessionPages(ports)),
      applications: doorOf(createApplicationPages(ports)),
    },
    registrationOptions: passkeys.options,
    signInOptions: async () =>
      factors.passkeysUnavailableReason === undefined
        ? jsonAnswer(200, await factors.passkeyOptions())
        : jsonAnswer(409, { error: factors.passkeysUnavailableReason }),
    script: passkeyScript(),
  };
};

import type { Deps } from '@landfall/kernel/module';
import { createResourceIndicators } from '../authorization/resource-indicators.ts';
import type { Factors } from '../factors/factors.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import type { IdTokenIssuer } from '../tokens/id-tokens.ts';
import { createBackOff } from '../users/back-off.ts';
import { createFailedSignInRecorder } from '../users/failed-sign-ins.ts';
import { type AccountLinkPages, createAccountLinkPages } from './account-link.ts';
import { type Consent, createConsent } from './consent.ts';
import { type Cookies, createCookies } from './cookies.ts';
import { createDevicePages, type DevicePages } from './devices.ts';
import { createRequests, type Requests } from './requests.ts';
import { createSecondFactorPage, type SecondFactorPage } from './second-factor.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { createFlow, type Flow } from './sign-in-flow.ts';
import { createSignOut, type SignOut } from './sign-out.ts';
import type { SingleSignOn } from './single-sign-on.ts';

/** Services shared by the authority's pages. */
export interface BrowserServices {
  readonly cookies: Cookies;
  readonly requests: Requests;
  readonly flow: Flow;
}

/** The authority's pages. */
export interface BrowserPages {
  readonly signIn: SignIn;
  readonly signOut: SignOut;
  readonly secondFactor: SecondFactorPage;
  readonly consent: Consent;
  readonly devices: DevicePages;
  readonly accountLink: AccountLinkPages;
}

export const createBrowserServices = (
  deps: Deps,
  { factors, idTokens }: { readonly factors: Factors; readonly idTokens: IdTokenIssuer },
  settings: AuthoritySettings,
): BrowserServices => {
  const cookies = createCookies(deps.secrets, settings.issuer.startsWith('https:'));
  const { allowsResource } = createResourceIndicators(settings);
  const requests = createRequests({ database: deps.database, cookies, allowsResource, idTokens }, settings);
  return { cookies, requests, flow: createFlow({ ...deps, cookies, requests, factors }, settings) };
};

interface Ports extends BrowserServices {
  readonly factors: Factors;
  readonly idTokens: IdTokenIssuer;
  readonly singleSignOn: SingleSignOn | undefined;
}

export const createBrowserPages = (
  { database, log }: Deps,
  given: Ports,
  settings: AuthoritySettings,
): BrowserPages => {
  const ports = {
    ...given,
    database,
    backOff: createBackOff(database),
    recordFailedSignIn: createFailedSignInRecorder({ database, log }),
  };
  return {
    signIn: createSignIn(ports, settings),
    signOut: createSignOut(ports, settings),
    secondFactor: createSecondFactorPage(ports, settings),
    consent: createConsent(ports, settings),
    devices: createDevicePages(ports, settings),
    accountLink: createAccountLinkPages(ports, settings),
  };
};

import type { Deps } from '@landfall/kernel/module';
import { createResourceIndicators } from '../authorization/resource-indicators.ts';
import type { Factors } from '../factors/factors.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import type { IdTokenIssuer } from '../tokens/id-tokens.ts';
import { createBackOff } from '../users/back-off.ts';
import { createFailedSignInRecorder } from '../users/failed-sign-ins.ts';
import { createAccountLinkPages } from './account-link.ts';
import { createConsent } from './consent.ts';
import { createCookies } from './cookies.ts';
import { createDevicePages } from './devices.ts';
import type { BrowserServices, PagePorts } from './page-ports.ts';
import { createRequests } from './requests.ts';
import { createSecondFactorPage } from './second-factor.ts';
import { createSignIn } from './sign-in.ts';
import { createFlow } from './sign-in-flow.ts';
import { createSignOut } from './sign-out.ts';

export const createBrowserServices = (
  deps: Deps,
  { factors, idTokens }: { readonly factors: Factors; readonly idTokens: IdTokenIssuer },
  settings: AuthoritySettings,
): BrowserServices => {
  const cookies = createCookies(deps.secrets, settings.issuer.startsWith('https:'));
  const resourceIndicators = createResourceIndicators(settings);
  const requests = createRequests({ database: deps.database, cookies, resourceIndicators, idTokens }, settings);
  return { cookies, requests, flow: createFlow({ ...deps, cookies, requests, factors }, settings) };
};

interface Ports extends BrowserServices, Pick<PagePorts, 'factors' | 'idTokens' | 'singleSignOn'> {}

export const createBrowserPages = ({ database, log }: Deps, services: Ports, settings: AuthoritySettings) => {
  const ports: PagePorts = {
    ...services,
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

import type { Deps } from '@landfall/kernel/module';
import type { Factors } from '../factors/factors.ts';
import type { IdTokenIssuer } from '../tokens/id-tokens.ts';
import type { BackOff } from '../users/back-off.ts';
import type { RecordFailedSignIn } from '../users/failed-sign-ins.ts';
import type { Cookies } from './cookies.ts';
import type { Requests } from './requests.ts';
import type { Flow } from './sign-in-flow.ts';
import type { SingleSignOn } from './single-sign-on.ts';

/** Services that pages of the sign-in and of the account share. */
export interface BrowserServices {
  readonly cookies: Cookies;
  readonly requests: Requests;
  readonly flow: Flow;
}

/** Services that the pages of the sign-in receive. */
export interface PagePorts extends BrowserServices, Pick<Deps, 'database'> {
  readonly factors: Factors;
  readonly idTokens: IdTokenIssuer;
  readonly backOff: BackOff;
  readonly recordFailedSignIn: RecordFailedSignIn;
  readonly singleSignOn: SingleSignOn;
}

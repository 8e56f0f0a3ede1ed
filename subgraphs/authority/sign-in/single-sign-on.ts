import type { TenantId } from '@landfall/kernel/core/ids';
import type { BrowserAnswer, BrowserRequest } from './browser-answers.ts';
import type { SignInRequest } from './requests.ts';

/** Chosen provider: a button's, or that of a user name's domain. */
export interface ProviderChoice {
  readonly providerId: string | undefined;
  readonly username: string;
}

/** Sign-in through a provider, as the sign-in page uses it. */
export interface SingleSignOn {
  isOffered(): Promise<boolean>;
  /** Providers with buttons on the pages of one tenant's clients. */
  providersOf(tenant: TenantId): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** Redirects to the chosen provider; undefined when there is none. */
  begin(
    asked: SignInRequest,
    request: BrowserRequest,
    choice: ProviderChoice,
  ): Promise<{ readonly name: string; readonly answer: BrowserAnswer } | undefined>;
}

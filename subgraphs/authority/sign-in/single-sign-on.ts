import type { TenantId } from '@landfall/kernel/core/ids';
import type { BrowserAnswer, BrowserRequest } from './browser-answers.ts';
import type { SignInRequest } from './requests.ts';

/** What somebody chose on the sign-in page: a provider's button, or a name whose domain has one. */
export interface ProviderChoice {
  readonly providerId: string | undefined;
  readonly username: string;
}

/** Signing in through another provider, as the sign-in page sees it. */
export interface SingleSignOn {
  /** Whether any provider is set up at all: else the page does not offer it. */
  isOffered(): Promise<boolean>;
  /** The buttons of one tenant's own clients. */
  providersOf(tenant: TenantId): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** A redirect to the provider, and its name in words; nothing when the choice leads to none. */
  begin(
    asked: SignInRequest,
    request: BrowserRequest,
    choice: ProviderChoice,
  ): Promise<{ readonly name: string; readonly answer: BrowserAnswer } | undefined>;
}

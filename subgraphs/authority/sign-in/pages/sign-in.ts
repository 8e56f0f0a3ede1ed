import { type Html, html } from '../html.ts';
import { csrfField, errorSummary, invalidAttributes, logo, page, type SiteInfo } from '../page-layout.ts';

interface PasskeyOffer {
  /** PublicKeyCredentialRequestOptionsJSON. */
  readonly options: string;
  readonly ticket: string;
}

export interface SignInForm {
  /** Form action with the request in its query. */
  readonly action: string;
  readonly csrf: string;
  readonly goesOnTo: string;
  readonly username: string;
  readonly error: string | undefined;
  /** Person who is signed in at this browser and may continue. */
  readonly signedInAs: string | undefined;
  /** Providers with a button each. */
  readonly providers: readonly { readonly id: string; readonly name: string }[];
  readonly hasSingleSignOn: boolean;
  readonly passkey: PasskeyOffer | undefined;
}

/** Separate form, so that Enter in the password form submits the password. */
const goesOnAs = ({ action, csrf, signedInAs }: SignInForm): Html | undefined =>
  signedInAs === undefined
    ? undefined
    : html`<form method="post" action="${action}">${csrfField(csrf)}<button class="btn" type="submit" name="via" value="session">Continue as ${signedInAs}</button></form>
<p class="or">or sign in as somebody else</p>`;

/** Hidden until the script finds WebAuthn support. */
const passkeyButton = (offer: PasskeyOffer | undefined): Html | undefined =>
  offer &&
  html`<input type="hidden" name="passkey" value=""><input type="hidden" name="passkey_ticket" value="${offer.ticket}">
<button class="btn plain" type="button" id="passkey" data-options="${offer.options}" hidden>Sign in with a passkey</button>
<p class="err" id="passkey-error" role="status" hidden></p>`;

const ssoButton = (isOffered: boolean): Html | undefined =>
  isOffered
    ? html`<button class="btn plain" type="submit" name="via" value="sso" formnovalidate>Continue with single sign-on</button>`
    : undefined;

const providerButton = ({ id, name }: { readonly id: string; readonly name: string }): Html =>
  html`<button class="btn plain" type="submit" name="via" value="provider:${id}" formnovalidate>Continue with ${name}</button>`;

const others = (form: SignInForm): Html | undefined =>
  form.passkey || form.hasSingleSignOn || form.providers.length > 0
    ? html`<div class="others">${passkeyButton(form.passkey)}
${form.providers.map(providerButton)}${ssoButton(form.hasSingleSignOn)}</div>`
    : undefined;

/** Field with the initial focus. */
const focusOf = ({
  username,
  signedInAs,
}: SignInForm): readonly [name: Html | undefined, password: Html | undefined] => {
  if (signedInAs !== undefined) return [undefined, undefined];
  return username === '' ? [html` autofocus`, undefined] : [undefined, html` autofocus`];
};

/** Sign-in page: a plain form; only passkeys need the script. */
export const signInPage = (form: SignInForm, site: SiteInfo): string => {
  const state = invalidAttributes(form.error);
  const [atName, atPassword] = focusOf(form);
  return page(
    'Sign in',
    html`<div class="card">
${logo}
<div><h1 id="title">Sign in to Landfall</h1><p class="soft">You go on to <b>${form.goesOnTo}</b>.</p></div>
${errorSummary(form.error)}
${goesOnAs(form)}
<form class="rows" method="post" action="${form.action}">
${csrfField(form.csrf)}
<div class="field"><label for="username">User name</label><input class="input" id="username" name="username" autocomplete="username${form.passkey ? ' webauthn' : ''}" autocapitalize="none" spellcheck="false" maxlength="100" required value="${form.username}"${state}${atName}></div>
<div class="field"><label for="password">Password</label><input class="input" id="password" name="password" type="password" autocomplete="current-password" maxlength="200" required${state}${atPassword}></div>
<button class="btn" type="submit">Sign in</button>
${others(form)}
<p class="small quiet">Every sign-in is written to the audit trail.</p>
</form></div>`,
    site,
    form.passkey && html`<script src="/passkey.js" defer></script>`,
  );
};

import { html } from '../html.ts';
import { csrfField, errorSummary, logo, page, type SiteInfo } from '../page-layout.ts';

interface SecondFactorForm {
  readonly action: string;
  readonly csrf: string;
  readonly error: string | undefined;
  /** Path of the first page, to sign in as another person. */
  readonly startAgain: string;
}

/** Page that asks for a TOTP or recovery code, in one field. */
export const secondFactorPage = (form: SecondFactorForm, site: SiteInfo): string =>
  page(
    'Second factor',
    html`<form class="card" method="post" action="${form.action}">
${logo}
<div><h1 id="title">Enter your code</h1><p class="soft">Open your authenticator app and enter the six digits that it shows for Landfall.</p></div>
${errorSummary(form.error)}
${csrfField(form.csrf)}
<div class="field"><label for="code">Code</label><input class="input" id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required aria-describedby="hint${form.error === undefined ? '' : ' error'}"${form.error === undefined ? undefined : html` aria-invalid="true"`} autofocus><p class="small quiet" id="hint">No phone at hand? Enter one of your recovery codes instead; each works once.</p></div>
<button class="btn" type="submit">Go on</button>
<p class="small"><a href="${form.startAgain}">Start again, or sign in as somebody else</a></p>
</form>`,
    site,
  );

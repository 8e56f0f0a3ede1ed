import { type Html, html } from '../html.ts';
import { csrfField, logo, page, type SiteInfo } from '../page-layout.ts';
import { scopeLabel } from './scope-labels.ts';

interface ConsentForm {
  readonly action: string;
  readonly csrf: string;
  readonly clientName: string;
  /** Person who would allow it. */
  readonly displayName: string;
  readonly username: string;
  readonly scopes: readonly string[];
  /** Host that the browser returns to. */
  readonly host: string;
}

export const scopeList = (scopes: readonly string[]): Html =>
  scopes.length === 0
    ? html`<p class="soft">Nothing beyond what everybody may see.</p>`
    : html`<ul class="scopes">${scopes.map((scope) => html`<li>${scopeLabel(scope)} <code>${scope}</code></li>`)}</ul>`;

/** Hidden field with the displayed scopes; consent cannot exceed them. */
export const describedScopes = (scopes: readonly string[]): Html =>
  html`<input type="hidden" name="shown" value="${scopes.join(' ')}">`;

export const consentPage = (form: ConsentForm, site: SiteInfo): string =>
  page(
    `Allow ${form.clientName}?`,
    html`<form class="card" method="post" action="${form.action}">
${logo}
<div><h1 id="title">Allow ${form.clientName}?</h1><p class="soft">Signed in as ${form.displayName} (${form.username}).</p></div>
<p>It wants to:</p>
${scopeList(form.scopes)}
${csrfField(form.csrf)}${describedScopes(form.scopes)}
<button class="btn" type="submit" name="decision" value="allow">Allow</button>
<button class="btn plain" type="submit" name="decision" value="deny">Deny</button>
<p class="small quiet">Either way you go back to ${form.host}. What you allow here you can take back on your account page.</p>
</form>`,
    site,
  );

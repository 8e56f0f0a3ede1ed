import { html } from '../html.ts';
import { csrfField, errorSummary, logo, page, type SiteInfo } from '../page-layout.ts';
import { describedScopes, scopeList } from './consent.ts';

interface DeviceCodeForm {
  readonly csrf: string;
  readonly userCode: string;
  readonly error: string | undefined;
}

/** Page that asks for the device's code (RFC 8628 3.3). */
export const deviceCodePage = (form: DeviceCodeForm, site: SiteInfo): string =>
  page(
    'Connect a device',
    html`<form class="card" method="post" action="/device">
${logo}
<div><h1 id="title">Connect a device</h1><p class="soft">Enter the code that the device or command line shows you.</p></div>
${errorSummary(form.error)}
${csrfField(form.csrf)}
<div class="field"><label for="user_code">Code</label><input class="input code" id="user_code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="40" required value="${form.userCode}" aria-describedby="hint${form.error === undefined ? '' : ' error'}"${form.error === undefined ? undefined : html` aria-invalid="true"`} autofocus><p class="small quiet" id="hint">Eight letters, like WDJB-MJHT. Case and dashes do not matter.</p></div>
<button class="btn" type="submit">Go on</button>
</form>`,
    site,
  );

interface DeviceQuestion {
  readonly csrf: string;
  readonly userCode: string;
  readonly clientName: string;
  readonly address: string | null;
  readonly displayName: string;
  readonly username: string;
  readonly scopes: readonly string[];
}

/** Page that shows the device's client and scopes, against approving a foreign device (RFC 8628 5.4). */
export const deviceQuestionPage = (form: DeviceQuestion, site: SiteInfo): string =>
  page(
    `Connect ${form.clientName}?`,
    html`<form class="card" method="post" action="/device">
${logo}
<div><h1 id="title">Connect ${form.clientName}?</h1><p class="soft">Signed in as ${form.displayName} (${form.username}).</p></div>
<dl class="facts"><div><dt>Code on the device</dt><dd class="code">${form.userCode}</dd></div>${
      form.address === null ? undefined : html`<div><dt>Asked from</dt><dd>${form.address}</dd></div>`
    }</dl>
<p class="warn"><b>Only approve what you started yourself.</b> Is the device in front of you, and does it show this very code? If somebody sent you the code or the link, deny it: they would act as you.</p>
<p>It wants to:</p>
${scopeList(form.scopes)}
${csrfField(form.csrf)}${describedScopes(form.scopes)}<input type="hidden" name="user_code" value="${form.userCode}">
<button class="btn" type="submit" name="decision" value="approve">Approve</button>
<button class="btn plain" type="submit" name="decision" value="deny">Deny</button>
</form>`,
    site,
  );

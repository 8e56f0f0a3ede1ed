import { renderSVG } from 'uqr';
import type { TotpEnrolment } from '../factors/second-factor.ts';
import type { Form } from '../protocol/form.ts';
import { type Html, html } from '../sign-in/html.ts';
import { formatWait } from '../sign-in/messages.ts';
import { csrfField, invalidAttributes } from '../sign-in/page-layout.ts';
import type { PagePorts } from '../sign-in/page-ports.ts';
import { countLabel } from './account-layout.ts';
import type { AccountPage, PageContext, Visitor } from './account-pages.ts';

const PATH = '/account/second-factor';

const button = ({ csrf }: PageContext, name: string, label: string, look = ''): Html =>
  html`<form method="post" action="${PATH}">${csrfField(csrf)}<button class="btn${look}" type="submit" name="do" value="${name}">${label}</button></form>`;

const codeField = (error: string | undefined, hint: Html): Html =>
  html`<div class="field"><label for="code">Code</label><input class="input code" id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required${invalidAttributes(error)}>${hint}</div>`;

const offBody = (frame: PageContext): Html =>
  html`<p>A second factor asks for a code of an app on your phone after your password, so that a password alone opens nothing.</p>
${frame.isFresh ? button(frame, 'begin', 'Set up a second factor') : undefined}`;

/** Form that turns the second factor off; an older sign-in must enter a code, since the browser may be unattended. */
const turnOff = (frame: PageContext): Html =>
  frame.isFresh
    ? button(frame, 'disable', 'Turn the second factor off', ' plain')
    : html`<form class="stack" method="post" action="${PATH}">${csrfField(frame.csrf)}
${codeField(frame.error, html`<p class="small quiet">Of your app, or a recovery code.</p>`)}
<button class="btn plain" type="submit" name="do" value="disable">Turn the second factor off with this code</button></form>`;

const onBody = (frame: PageContext, recoveryCodes: number): Html =>
  html`<p>The second factor is on. You have ${countLabel(recoveryCodes, 'recovery code')} left for when your phone is not at hand.</p>
${frame.isFresh ? button(frame, 'renew', 'Make new recovery codes', ' plain') : undefined}
${turnOff(frame)}`;

/** Dark on white in both colour schemes: readers of QR codes expect it. */
const qrOf = (uri: string): Html => ({
  html: renderSVG(uri, { border: 2, pixelSize: 4 }).replace(
    '<svg ',
    '<svg class="qr" role="img" aria-label="QR code of the secret below" ',
  ),
});

const enrolBody =
  ({ uri, secret }: TotpEnrolment) =>
  (frame: PageContext): Html =>
    html`<p>Scan this with your authenticator app, or type the secret into it. Then enter the six digits that it shows.</p>
${qrOf(uri)}
<div><p class="small soft" id="secret-label">Secret</p><p class="secret" aria-labelledby="secret-label">${secret}</p></div>
<form class="stack" method="post" action="${PATH}">${csrfField(frame.csrf)}
${codeField(frame.error, html``)}
<button class="btn" type="submit" name="do" value="confirm">Turn the second factor on</button></form>
<p class="small"><a href="${PATH}">Not now</a></p>`;

const codesBody = (codes: readonly string[], notice: string) => (): Html =>
  html`<p class="done" role="status">${notice}</p>
<p>Keep these recovery codes where you will find them without your phone. Each signs you in once. They are not shown again.</p>
<ol class="codes" aria-label="Recovery codes">${codes.map((code) => html`<li>${code}</li>`)}</ol>
<a class="btn" href="${PATH}">I have kept them</a>`;

const WRONG =
  'That code is wrong, or was used already. Wait until your app shows a new one, and see that your phone’s clock is right.';

export const createSecondFactorPage = ({ database, factors }: Pick<PagePorts, 'database' | 'factors'>): AccountPage => {
  const { secondFactor } = factors;

  const confirm = async ({ caller }: Visitor, { code = '' }: Form) => {
    const codes = await secondFactor.confirm(caller, code);
    if (codes) return { body: codesBody(codes, 'The second factor is on.') };
    const waiting = await secondFactor.waiting(caller);
    return { status: 400, error: WRONG, ...(waiting && { body: enrolBody(waiting) }) };
  };

  const disable = async ({ caller, isFresh }: Visitor, { code = '' }: Form) => {
    if (!isFresh) {
      const verdict = await factors.verifyCode(caller, code);
      if (verdict.accepted === undefined && verdict.waitMs > 0) {
        const error = `Too many tries. Wait ${formatWait(verdict.waitMs)}.`;
        return { status: 429, error, retryAfterMs: verdict.waitMs };
      }
      if (verdict.accepted === undefined) return { status: 400, error: WRONG };
    }
    await secondFactor.disable(caller);
    return 'off';
  };

  return {
    section: 'second-factor',
    notices: { off: 'The second factor is off.' },
    async body(frame) {
      const { tenant } = frame.caller;
      const facts = await database.read(tenant, (query) => factors.summaryOf(query, tenant, frame.user.id));
      return facts.totp ? onBody(frame, facts.recoveryCodes) : offBody(frame);
    },
    changes: {
      begin: async ({ caller }) => ({ body: enrolBody(await secondFactor.begin(caller)) }),
      confirm,
      disable,
      renew: async ({ caller }) => ({
        body: codesBody(await secondFactor.renewRecoveryCodes(caller), 'The old recovery codes are void.'),
      }),
    },
    provesItself: (form) => form.do === 'disable' && form.code !== undefined,
  };
};

import type { Deps } from '@landfall/kernel/module';
import { renderSVG } from 'uqr';
import type { Enrolment, Factors } from '../factors/factors.ts';
import type { Form } from '../protocol/form.ts';
import type { BrowserAnswer } from '../sign-in/browser-answers.ts';
import { type Html, html } from '../sign-in/html.ts';
import { formatWait } from '../sign-in/messages.ts';
import { csrfField, invalidAttributes } from '../sign-in/page-layout.ts';
import { countLabel } from './account-layout.ts';
import {
  type AccountPage,
  type Change,
  done,
  type PageContext,
  type PageController,
  type Visitor,
} from './page-controller.ts';

interface Ports extends Pick<Deps, 'database'> {
  readonly factors: Pick<Factors, 'summaryOf' | 'secondFactor' | 'verifyCode'>;
  readonly controller: PageController;
}

const PATH = '/account/second-factor';

const button = ({ csrf }: PageContext, what: string, label: string, look = ''): Html =>
  html`<form method="post" action="${PATH}">${csrfField(csrf)}<button class="btn${look}" type="submit" name="do" value="${what}">${label}</button></form>`;

const codeField = (error: string | undefined, hint: Html): Html =>
  html`<div class="field"><label for="code">Code</label><input class="input code" id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required${invalidAttributes(error)}>${hint}</div>`;

const offBody = (frame: PageContext): Html =>
  html`<p>A second factor asks for a code of an app on your phone after your password, so that a password alone opens nothing.</p>
${frame.isFresh ? button(frame, 'begin', 'Set up a second factor') : undefined}`;

/** Turning it off with an older sign-in takes a code: whoever finds an open browser has none. */
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
  ({ uri, words }: Enrolment) =>
  (frame: PageContext): Html =>
    html`<p>Scan this with your authenticator app, or type the secret into it. Then enter the six digits that it shows.</p>
${qrOf(uri)}
<div><p class="small soft" id="secret-label">Secret</p><p class="secret" aria-labelledby="secret-label">${words}</p></div>
<form class="stack" method="post" action="${PATH}">${csrfField(frame.csrf)}
${codeField(frame.error, html``)}
<button class="btn" type="submit" name="do" value="confirm">Turn the second factor on</button></form>
<p class="small"><a href="${PATH}">Not now</a></p>`;

const codesBody = (codes: readonly string[], words: string) => (): Html =>
  html`<p class="done" role="status">${words}</p>
<p>Keep these recovery codes where you will find them without your phone. Each signs you in once. They are not shown again.</p>
<ol class="codes" aria-label="Recovery codes">${codes.map((code) => html`<li>${code}</li>`)}</ol>
<a class="btn" href="${PATH}">I have kept them</a>`;

const WRONG =
  'That code is wrong, or was used already. Wait until your app shows a new one, and see that your phone’s clock is right.';

export const createSecondFactorPages = ({ database, factors, controller }: Ports) => {
  const { secondFactor } = factors;

  const page: AccountPage = {
    section: 'second-factor',
    redirectWithNotice: { off: 'The second factor is off.' },
    async body(frame) {
      const { tenant } = frame.who;
      const facts = await database.read(tenant, (query) => factors.summaryOf(query, tenant, frame.user.id));
      return facts.totp ? onBody(frame, facts.recoveryCodes) : offBody(frame);
    },
  };

  const shown = (visitor: Visitor, body: (frame: PageContext) => Html): Promise<BrowserAnswer> =>
    controller.answer(visitor, page, { body });

  const confirm = async (visitor: Visitor, { code = '' }: Form): Promise<BrowserAnswer> => {
    const codes = await secondFactor.confirm(visitor.who, code);
    if (codes) return shown(visitor, codesBody(codes, 'The second factor is on.'));
    const waiting = await secondFactor.waiting(visitor.who);
    const body = waiting && { body: enrolBody(waiting) };
    return controller.answer(visitor, page, { status: 400, error: WRONG, ...body });
  };

  const disable = async (visitor: Visitor, { code }: Form): Promise<BrowserAnswer> => {
    if (!visitor.isFresh) {
      const verdict = await factors.verifyCode(visitor.who, code ?? '');
      if (verdict.accepted === undefined && verdict.waitMs > 0)
        return controller.answer(visitor, page, {
          status: 429,
          error: `Too many tries. Wait ${formatWait(verdict.waitMs)}.`,
          retryAfterMs: verdict.waitMs,
        });
      if (verdict.accepted === undefined) return controller.answer(visitor, page, { status: 400, error: WRONG });
    }
    await secondFactor.disable(visitor.who);
    return done('second-factor', 'off');
  };

  const change: Change = async (visitor, form) => {
    if (form.do === 'begin') return shown(visitor, enrolBody(await secondFactor.begin(visitor.who)));
    if (form.do === 'confirm') return confirm(visitor, form);
    if (form.do === 'disable') return disable(visitor, form);
    if (form.do === 'renew')
      return shown(
        visitor,
        codesBody(await secondFactor.renewRecoveryCodes(visitor.who), 'The old recovery codes are void.'),
      );
    return controller.answer(visitor, page, { status: 400, error: 'This form is not known. Load the page again.' });
  };

  return { page, change, provesItself: (form: Form): boolean => form.do === 'disable' && form.code !== undefined };
};

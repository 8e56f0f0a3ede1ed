import { html } from '../html.ts';
import { csrfField, errorSummary, invalidAttributes, logo, page, type SiteInfo } from '../page-layout.ts';
import { noticePage } from './notices.ts';

interface ChoosePasswordForm {
  readonly csrf: string;
  readonly username: string;
  readonly error: string | undefined;
}

/** Page to choose a password after an invitation or reset. The name is in the form for password managers. */
export const choosePasswordPage = ({ csrf, username, error }: ChoosePasswordForm, site: SiteInfo): string =>
  page(
    'Choose a password',
    html`<form class="card" method="post" action="/account-link">
${logo}
<div><h1 id="title">Choose a password</h1><p class="soft">For your user name <b>${username}</b>.</p></div>
${errorSummary(error)}
${csrfField(csrf)}<input type="hidden" name="username" autocomplete="username" value="${username}">
<div class="field"><label for="password">New password</label><input class="input" id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="200" required aria-describedby="hint${error === undefined ? '' : ' error'}"${error === undefined ? undefined : html` aria-invalid="true"`} autofocus><p class="small quiet" id="hint">At least 12 characters. Several words are fine.</p></div>
<div class="field"><label for="repeated">The same again</label><input class="input" id="repeated" name="repeated" type="password" autocomplete="new-password" maxlength="200" required${invalidAttributes(error)}></div>
<button class="btn" type="submit">Set password</button>
</form>`,
    site,
  );

/** Page for a link that was used, expired, was replaced or never existed. */
export const expiredLinkPage = (site: SiteInfo): string =>
  noticePage(
    {
      title: 'This link does not work',
      message:
        'It was used already, is too old, or was replaced by a newer one. Ask whoever runs Landfall for you for a new link. If you have set your password already, sign in with it.',
      onward: { to: site.baseUrl, label: 'Go to Landfall' },
    },
    site,
  );

export const passwordSetPage = (username: string, site: SiteInfo): string =>
  noticePage(
    {
      title: 'Your password is set',
      message: `Sign in as ${username} with it from now on.`,
      onward: { to: site.baseUrl, label: 'Go to Landfall' },
    },
    site,
  );

import { html } from '../html.ts';
import { csrfField, logo, page, type SiteInfo } from '../page-layout.ts';

/** Page for a request without a valid redirect address. */
export const refusalPage = (reason: string, site: SiteInfo): string =>
  page(
    'Cannot sign in',
    html`<div class="card">${logo}<div><h1 id="title">This sign-in cannot go on</h1><p class="soft">${reason}</p></div>
<p class="small quiet">Go back to where you came from and start again. If it happens again, tell whoever runs it.</p></div>`,
    site,
  );

/** Page that asks before a session ends, since any site can link here. */
export const signOutPage = (
  { csrf, action }: { readonly csrf: string; readonly action: string },
  site: SiteInfo,
): string =>
  page(
    'Sign out',
    html`<form class="card" method="post" action="${action}">${logo}
<div><h1 id="title">Sign out of Landfall?</h1><p class="soft">The next sign-in will ask for the password again.</p></div>
${csrfField(csrf)}
<button class="btn" type="submit">Sign out</button></form>`,
    site,
  );

/** Outcome of an action and the next step. */
interface Notice {
  readonly title: string;
  readonly message: string;
  readonly onward?: { readonly to: string; readonly label: string };
}

export const noticePage = (notice: Notice, site: SiteInfo): string =>
  page(
    notice.title,
    html`<div class="card">${logo}<div><h1 id="title">${notice.title}</h1><p class="soft">${notice.message}</p></div>${
      notice.onward && html`<a class="btn" href="${notice.onward.to}">${notice.onward.label}</a>`
    }</div>`,
    site,
  );

export const signedOutPage = (site: SiteInfo): string =>
  noticePage({ title: 'You are signed out', message: 'You may close this window.' }, site);

/** Page that leads to an address which no form may post to (CSP 3, 6.4.1): by refresh, or by its link. */
export const externalRedirectPage = (to: string, name: string, site: SiteInfo): string =>
  page(
    'Going on',
    html`<div class="card">${logo}<div><h1 id="title">You go on to ${name}</h1><p class="soft">Your browser takes you there by itself.</p></div>
<a class="btn" href="${to}">Go on now</a></div>`,
    site,
    html`<meta http-equiv="refresh" content="0;url=${to}">`,
  );

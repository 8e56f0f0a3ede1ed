import { type Html, html } from './html.ts';
import { STYLE } from './style.ts';

export interface SignInForm {
  /** Where the form posts to: the request it belongs to is in the query. */
  readonly action: string;
  readonly csrf: string;
  /** What the person was about to use. */
  readonly clientName: string;
  readonly username: string;
  /** Why the last try failed. */
  readonly error: string | undefined;
}

export interface Place {
  readonly issuer: string;
  readonly version: string;
}

/** The horizon of the console's look: a line's height, where its gap for the light begins and ends, its opacity. */
const SEA: readonly (readonly [y: number, from: number, to: number, opacity: number])[] = [
  [430, 374, 426, 0.62],
  [432.6, 335, 465, 0.59],
  [438.6, 340, 460, 0.57],
  [447.2, 345, 455, 0.54],
  [458.2, 350, 450, 0.52],
  [471.4, 355, 445, 0.49],
  [486.7, 360, 440, 0.46],
  [503.9, 365, 435, 0.44],
  [523, 370, 430, 0.41],
  [543.8, 375, 425, 0.39],
  [566.4, 380, 420, 0.36],
  [590.8, 385, 415, 0.33],
  [616.7, 390, 410, 0.31],
  [644.3, 395, 405, 0.28],
  [673.4, 400, 400, 0.26],
  [704.1, 400, 400, 0.23],
  [736.2, 400, 400, 0.2],
];

const sea: Html = {
  html: `<svg class="sea" viewBox="0 0 800 900" preserveAspectRatio="xMidYMid slice" aria-hidden="true"><g fill="none" stroke="currentColor">${SEA.map(
    ([y, from, to, opacity]) => `<path d="M0 ${y}H${from}M${to} ${y}H800" opacity="${opacity}"/>`,
  ).join('')}<path d="M400 120V396" stroke-width="2"/></g><circle cx="400" cy="430" r="11" fill="currentColor"/></svg>`,
};

const logo = html`<svg class="logo" width="28" height="28" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1v6M1 11.5h3.2M11.8 11.5H15" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/><circle cx="8" cy="11.5" r="2.6" fill="currentColor"/></svg>`;

const style: Html = { html: STYLE };

const page = (title: string, card: Html, { issuer, version }: Place): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Landfall</title>
<style>${style}</style>
</head>
<body>
<div class="door">
<main aria-labelledby="title">${card}</main>
<aside aria-label="About this place">${sea}
<p class="lead">What was shipped, where it landed, and the proof of it.</p>
<dl><div><dt>Authority</dt><dd>${new URL(issuer).host}</dd></div><div><dt>Version</dt><dd>${version}</dd></div></dl></aside>
</div>
</body>
</html>
`.html;

/** One message for everything that is wrong with a pair: which half it was is nobody's business. */
const errorOf = (error: string | undefined): Html | undefined =>
  error === undefined ? undefined : html`<p class="err" id="error" role="alert">${error}</p>`;

/** The sign-in page: a plain form, no script. */
export const signInPage = (form: SignInForm, place: Place): string => {
  const state = form.error === undefined ? undefined : html` aria-invalid="true" aria-describedby="error"`;
  const [atName, atPassword] = form.username === '' ? [html` autofocus`, undefined] : [undefined, html` autofocus`];
  return page(
    'Sign in',
    html`<form class="card" method="post" action="${form.action}">
${logo}
<div><h1 id="title">Sign in to Landfall</h1><p class="soft">You go on to <b>${form.clientName}</b>.</p></div>
<input type="hidden" name="csrf" value="${form.csrf}">
<div class="field"><label for="username">User name</label><input class="input" id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="100" required value="${form.username}"${state}${atName}></div>
<div class="field"><label for="password">Password</label><input class="input" id="password" name="password" type="password" autocomplete="current-password" maxlength="200" required${state}${atPassword}>${errorOf(form.error)}</div>
<button class="btn" type="submit">Sign in</button>
<p class="small quiet">Every sign-in is written to the audit trail.</p>
</form>`,
    place,
  );
};

/** A request that cannot be sent back to anybody. */
export const refusalPage = (why: string, place: Place): string =>
  page(
    'Cannot sign in',
    html`<div class="card">${logo}<div><h1 id="title">This sign-in cannot go on</h1><p class="soft">${why}</p></div>
<p class="small quiet">Go back to where you came from and start again. If it happens again, tell whoever runs it.</p></div>`,
    place,
  );

/** Asks before it ends a session, since any site can send somebody here. */
export const signOutPage = ({ csrf, action }: Pick<SignInForm, 'csrf' | 'action'>, place: Place): string =>
  page(
    'Sign out',
    html`<form class="card" method="post" action="${action}">${logo}
<div><h1 id="title">Sign out of Landfall?</h1><p class="soft">The next sign-in will ask for the password again.</p></div>
<input type="hidden" name="csrf" value="${csrf}">
<button class="btn" type="submit">Sign out</button></form>`,
    place,
  );

export const signedOutPage = (place: Place): string =>
  page(
    'Signed out',
    html`<div class="card">${logo}<div><h1 id="title">You are signed out</h1><p class="soft">You may close this window.</p></div></div>`,
    place,
  );

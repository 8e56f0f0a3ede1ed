import { type Html, html } from '../sign-in/html.ts';
import { errorSummary, logo, page, type SiteInfo } from '../sign-in/page-layout.ts';
import type { User } from '../users/users.ts';

/** The pages of the account, in their order. */
const SECTIONS = [
  ['overview', 'Overview', 'Your account'],
  ['password', 'Password', 'Password'],
  ['second-factor', 'Second factor', 'Second factor'],
  ['passkeys', 'Passkeys', 'Passkeys'],
  ['sessions', 'Sign-ins', 'Where you are signed in'],
  ['applications', 'Applications', 'What may act for you'],
] as const;

export type Section = (typeof SECTIONS)[number][0];

export const pathOf = (section: Section): string => (section === 'overview' ? '/account' : `/account/${section}`);

interface AccountPageContent {
  readonly section: Section;
  readonly user: User;
  readonly isFresh: boolean;
  readonly hasScript?: boolean;
  readonly error: string | undefined;
  readonly notice: string | undefined;
  readonly inner: Html;
  /** Path of the sign-in page that leads back here. */
  readonly signIn: string;
}

const tab = (current: Section, [section, label]: (typeof SECTIONS)[number]): Html =>
  html`<li><a href="${pathOf(section)}"${section === current ? html` aria-current="page"` : undefined}>${label}</a></li>`;

const noticeLine = (notice: string | undefined): Html | undefined =>
  notice === undefined ? undefined : html`<p class="done" role="status">${notice}</p>`;

/** Notice of a sign-in too old for changes, shown before anything is typed. */
const staleness = ({ isFresh, section, signIn }: AccountPageContent): Html | undefined =>
  isFresh || section === 'overview'
    ? undefined
    : html`<div class="note"><p>You signed in more than 15 minutes ago. To change something here, sign in again.</p>
<a class="btn plain" href="${signIn}">Sign in again</a></div>`;

export const accountPage = (content: AccountPageContent, site: SiteInfo): string => {
  const { section, user, error, notice, inner, hasScript = false } = content;
  const title = SECTIONS.find(([name]) => name === section)?.[2] ?? '';
  return page(
    title,
    html`<div class="card wide">
${logo}
<div><h1 id="title">${title}</h1><p class="soft">${user.displayName} (${user.username})</p></div>
<nav aria-label="Your account"><ul class="tabs">${SECTIONS.map((one) => tab(section, one))}</ul></nav>
${noticeLine(notice)}${errorSummary(error)}${staleness(content)}
${inner}
<p class="small end facts"><a href="${site.baseUrl}/">Open the console</a><a href="/end-session">Sign out</a></p>
</div>`,
    site,
    hasScript ? html`<script src="/passkey.js" defer></script>` : undefined,
  );
};

const FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** Formats an instant with its time zone. */
export const time = (time: Date): Html =>
  html`<time datetime="${time.toISOString()}">${FORMAT.format(time)} UTC</time>`;

/** Entry of a list, with the actions on it. */
export const item = (name: Html | string, facts: readonly Html[], actions?: Html): Html =>
  html`<li><div><b>${name}</b>${facts.map((fact) => html`<p class="small soft">${fact}</p>`)}</div>${actions}</li>`;

export const items = (all: readonly Html[], label: string): Html =>
  html`<ul class="things" aria-label="${label}">${all}</ul>`;

/** Formats a count with its noun: `1 passkey`, `2 passkeys`. */
export const countLabel = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

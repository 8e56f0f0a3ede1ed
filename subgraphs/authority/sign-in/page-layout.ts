import { type Html, html } from './html.ts';
import { STYLE } from './style.ts';

export interface SiteInfo {
  /** Address of the console. */
  readonly baseUrl: string;
  readonly issuer: string;
  readonly version: string;
}

/** Lines of the horizon: height, gap for the light, opacity. */
const WAVES: readonly (readonly [y: number, from: number, to: number, opacity: number])[] = [
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

const waves: Html = {
  html: `<svg class="sea" viewBox="0 0 800 900" preserveAspectRatio="xMidYMid slice" aria-hidden="true"><g fill="none" stroke="currentColor">${WAVES.map(
    ([y, from, to, opacity]) => `<path d="M0 ${y}H${from}M${to} ${y}H800" opacity="${opacity}"/>`,
  ).join('')}<path d="M400 120V396" stroke-width="2"/></g><circle cx="400" cy="430" r="11" fill="currentColor"/></svg>`,
};

export const logo = html`<svg class="logo" width="28" height="28" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1v6M1 11.5h3.2M11.8 11.5H15" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/><circle cx="8" cy="11.5" r="2.6" fill="currentColor"/></svg>`;

const style: Html = { html: STYLE };

/** Renders a page: the content in a card on the left, facts on the installation on the right. */
export const page = (title: string, card: Html, { issuer, version }: SiteInfo, head?: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Landfall</title>
<style>${style}</style>${head}
</head>
<body>
<div class="door">
<main aria-labelledby="title">${card}</main>
<aside aria-label="About this place">${waves}
<p class="lead">What was shipped, where it landed, and the proof of it.</p>
<dl><div><dt>Authority</dt><dd>${new URL(issuer).host}</dd></div><div><dt>Version</dt><dd>${version}</dd></div></dl></aside>
</div>
</body>
</html>
`.html;

/** Error above the fields, announced by screen readers. */
export const errorSummary = (error: string | undefined): Html | undefined =>
  error === undefined ? undefined : html`<p class="err" id="error" role="alert">${error}</p>`;

/** Attributes of an invalid field. */
export const invalidAttributes = (error: string | undefined): Html | undefined =>
  error === undefined ? undefined : html` aria-invalid="true" aria-describedby="error"`;

export const csrfField = (csrf: string): Html => html`<input type="hidden" name="csrf" value="${csrf}">`;

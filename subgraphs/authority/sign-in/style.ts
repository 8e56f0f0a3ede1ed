import { createHash } from 'node:crypto';

/** Design tokens and styles of the authority's pages, inlined. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --canvas: light-dark(#f4f6f9, #0a0d11); --page: light-dark(#fdfdfe, #0f1318); --hover: light-dark(#eff2f6, #171d25);
  --hair: light-dark(#e3e7ed, #1f262f); --edge: light-dark(#7b8594, #6c7889);
  --ink: light-dark(#11151b, #eef1f6); --ink-2: light-dark(#434c59, #b2bbc8); --ink-3: light-dark(#5e6876, #8f9aaa);
  --accent: light-dark(#2440d0, #98aaff); --accent-fill: light-dark(#2440d0, #3f58e6);
  --accent-fill-hover: light-dark(#1b33b3, #4c65f2); --on-accent: #ffffff; --bad: light-dark(#bd1f2b, #ff7d78);
  --s1: 4px; --s3: 12px; --s4: 16px; --s6: 32px; --s7: 48px;
  --sans: system-ui, -apple-system, "Segoe UI Variable Text", "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --t-title: 600 28px/36px var(--sans); --t-lead: 500 17px/26px var(--sans); --t-body: 400 13px/20px var(--sans);
  --t-small: 400 12px/16px var(--sans); --r1: 3px; --r2: 6px; --fast: 90ms cubic-bezier(.2, 0, 0, 1);
}
*, ::before, ::after { box-sizing: border-box; }
body, h1, p, dl, dd, ul { margin: 0; padding: 0; }
body {
  font: var(--t-body); font-variant-numeric: tabular-nums; color: var(--ink); background: var(--page);
  -webkit-text-size-adjust: 100%;
}
button, input { font: inherit; color: inherit; letter-spacing: inherit; }
svg { display: block; flex: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: var(--r1); }
h1 { font: var(--t-title); letter-spacing: -.022em; text-wrap: balance; }
p { text-wrap: pretty; }
.lead { font: var(--t-lead); letter-spacing: -.008em; }
.quiet { color: var(--ink-3); }
.soft { color: var(--ink-2); margin-top: var(--s1); }
.small { font: var(--t-small); }
.logo { color: var(--accent); }
.btn {
  display: inline-flex; align-items: center; justify-content: center; width: 100%; min-height: 38px;
  padding: 0 var(--s3); border: 1px solid transparent; border-radius: var(--r2); font-weight: 500; cursor: pointer;
  background: var(--accent-fill); color: var(--on-accent); transition: background var(--fast);
}
.btn:hover { background: var(--accent-fill-hover); }
.btn.plain { background: transparent; border-color: var(--edge); color: var(--ink); text-decoration: none; }
.btn.plain:hover { background: var(--hover); }
a.btn { text-decoration: none; }
[hidden] { display: none !important; }
a { color: var(--accent); display: inline-block; min-height: 24px; line-height: 24px; }
.others { display: grid; gap: var(--s3); padding-top: var(--s4); border-top: 1px solid var(--hair); }
.or { font: var(--t-small); color: var(--ink-3); text-align: center; }
.scopes { margin: 0; padding: 0; list-style: none; border-block: 1px solid var(--hair); }
.scopes li { padding: var(--s3) 0; border-top: 1px solid var(--hair); overflow-wrap: anywhere; }
.scopes li:first-child { border-top: 0; }
.scopes code { display: block; font: 400 12px/16px ui-monospace, "SF Mono", Menlo, Consolas, monospace; color: var(--ink-3); }
.facts { display: flex; flex-wrap: wrap; gap: var(--s4) var(--s6); }
.facts dt { font: var(--t-small); color: var(--ink-3); }
.facts dd, .input.code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; letter-spacing: .06em; }
.warn { padding: var(--s3); border: 1px solid var(--edge); border-inline-start: 3px solid var(--bad); border-radius: var(--r2); }
.card.wide { width: min(520px, 100%); }
.door > main:has(> .wide) { align-content: start; }
.stack { display: grid; gap: var(--s3); }
.tabs { display: flex; flex-wrap: wrap; gap: 0 var(--s3); margin: 0; padding: 0; list-style: none; border-bottom: 1px solid var(--hair); }
.tabs a { padding-block: var(--s1); color: var(--ink-2); text-decoration: none; border-bottom: 2px solid transparent; }
.tabs a:hover { color: var(--ink); }
.tabs a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent); }
.things { margin: 0; padding: 0; list-style: none; border-block: 1px solid var(--hair); }
.things > li { display: flex; flex-wrap: wrap; gap: var(--s3); align-items: center; justify-content: space-between; padding: var(--s3) 0; border-top: 1px solid var(--hair); }
.things > li:first-child { border-top: 0; }
.things > li > div { flex: 1 1 200px; min-width: 0; overflow-wrap: anywhere; }
.things .btn { width: auto; }
.things details[open] { flex: 1 0 100%; }
.things details > form { padding-top: var(--s3); }
summary { min-height: 24px; line-height: 24px; color: var(--accent); cursor: pointer; }
.done, .note { padding: var(--s3); border: 1px solid var(--edge); border-inline-start: 3px solid var(--accent); border-radius: var(--r2); }
.note { display: grid; gap: var(--s3); overflow-wrap: anywhere; }
.qr { width: min(220px, 100%); height: auto; border-radius: var(--r2); }
.secret, .codes { font: 400 15px/24px ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.codes { margin: 0; padding: var(--s3); list-style: none; border: 1px solid var(--edge); border-radius: var(--r2); }
.end { padding-top: var(--s3); border-top: 1px solid var(--hair); }
.field { display: grid; gap: var(--s1); }
.field label { font: 500 13px/20px var(--sans); }
.err { font: var(--t-small); color: var(--bad); }
.input {
  height: 32px; width: 100%; padding-inline: 10px; border: 1px solid var(--edge); border-radius: var(--r2);
  background: var(--page);
}
.input:hover { border-color: var(--ink-3); }
.input[aria-invalid="true"] { border-color: var(--bad); }
.door { display: grid; grid-template-columns: minmax(420px, 1fr) 1.25fr; min-height: 100vh; }
.door > main { display: grid; align-content: center; justify-items: center; padding: var(--s6); }
.card, .rows { display: grid; gap: var(--s4); }
.card { width: min(320px, 100%); }
.door > aside {
  position: relative; background: var(--canvas); border-inline-start: 1px solid var(--hair); overflow: hidden;
  display: grid; align-content: end; padding: var(--s7);
}
.sea { position: absolute; inset: 0; width: 100%; height: 100%; color: var(--accent); }
aside .lead { position: relative; max-width: 44ch; }
aside dl { position: relative; display: flex; gap: var(--s6); margin-top: var(--s4); }
aside dt { font: var(--t-small); color: var(--ink-3); }
@media (max-width: 720px) {
  :root { --t-title: 600 24px/32px var(--sans); }
  .door { grid-template-columns: minmax(0, 1fr); }
  .door > aside { display: none; }
  .input, .btn { min-height: 44px; }
}
@media (prefers-contrast: more) { :root { --hair: var(--edge); --ink-3: var(--ink-2); } }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
@media (forced-colors: active) { .btn { border-color: ButtonText; } }
`;

/** CSP source that allows exactly this style (CSP 3, 2.3.1). */
export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

import { readFileSync } from 'node:fs';
import type { BrowserAnswer } from '../sign-in/browser-answers.ts';

/** Script of the authority's pages, read from its file; browsers revalidate it after an hour. */
export const passkeyScript = (): BrowserAnswer => ({
  status: 200,
  headers: {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=3600',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  },
  body: readFileSync(new URL('./passkey.js', import.meta.url), 'utf8'),
});

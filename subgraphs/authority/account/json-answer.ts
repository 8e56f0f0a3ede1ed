import type { BrowserAnswer } from '../sign-in/browser-answers.ts';

/** JSON answer to a page's own script; never cached. */
export const jsonAnswer = (status: number, body: object): BrowserAnswer => ({
  status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  },
  body: JSON.stringify(body),
});

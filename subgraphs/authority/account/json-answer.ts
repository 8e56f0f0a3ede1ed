import type { BrowserAnswer } from '../sign-in/browser-answers.ts';

/** What a page's script asks for: for it alone, and not for keeping. */
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

import { escaped, HTML_HEADERS, htmlPage } from '../http/html.ts';

/** Page for a failed sign-in: cookies are off, it took too long, or it was refused. */
export const errorPage = {
  headers: HTML_HEADERS,
  body: (back: string): string =>
    htmlPage(
      'Sign-in did not work',
      `<main><h1>Sign-in did not work</h1>
<p>It took too long, was refused, or this browser keeps no cookies for this address.</p>
<p><a href="/session/sign-in?return=${escaped(encodeURIComponent(back))}">Sign in again</a></p></main>`,
    ),
};

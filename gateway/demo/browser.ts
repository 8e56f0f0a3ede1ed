import { setTimeout as pause } from 'node:timers/promises';
import type { GraphSession } from '@landfall/kernel/demo/chapter';
import Type, { type Static } from 'typebox';
import { Parse } from 'typebox/value';

export interface Person {
  readonly username: string;
  readonly password: string;
}

const answer = Type.Object({
  data: Type.Optional(Type.Unknown()),
  errors: Type.Optional(
    Type.Array(
      Type.Object({
        message: Type.String(),
        extensions: Type.Optional(Type.Object({ code: Type.Optional(Type.String()) })),
      }),
    ),
  ),
});

const MAX_HOPS = 10;

/** Creates a browser that keeps cookies, follows redirects, and submits forms. */
export const createBrowser = () => {
  const cookies = new Map<string, string>();

  const send = async (url: URL, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) cookies.set(name, value);
    }
    return response;
  };

  const open = async (url: URL, init: RequestInit = {}, hops = MAX_HOPS): Promise<{ url: URL; text: string }> => {
    const response = await send(url, init);
    const location = response.headers.get('location');
    const text = await response.text();
    if (location === null) return { url, text };
    if (hops === 0) throw new Error(`${url.origin} redirects without end.`);
    return open(new URL(location, url), {}, hops - 1);
  };

  return { send, open };
};

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\b${name}="([^"]*)"`)
    .exec(tag)?.[1]
    ?.replace(/&([a-z]+|#39);/g, (match, entity: string) => ENTITIES[entity] ?? match);

/** Hidden fields of a page’s forms. */
export const hiddenFields = (page: string): URLSearchParams =>
  new URLSearchParams(
    [...page.matchAll(/<input type="hidden"[^>]*>/g)].map(([tag]): [string, string] => [
      attribute(tag, 'name') ?? '',
      attribute(tag, 'value') ?? '',
    ]),
  );

/** Browser with a person's console session. */
export interface Visit {
  /** Sends a request with the browser's cookies. */
  send(url: URL, init: RequestInit): Promise<Response>;
  /** CSRF header of requests that change something. */
  readonly csrf: string;
}

/** Signs a person in on the sign-in page, as a browser would. */
export const visit = async (baseUrl: string, { username, password }: Person): Promise<Visit> => {
  const browser = createBrowser();
  const page = await browser.open(new URL('/session/sign-in?return=/session', baseUrl));
  const action = attribute(/<form[^>]*>/.exec(page.text)?.[0] ?? '', 'action');
  if (action === undefined) throw new Error(`${page.url.origin} showed no sign-in form.`);
  const body = hiddenFields(page.text);
  body.set('username', username);
  body.set('password', password);
  const finished = await browser.open(new URL(action, page.url), { method: 'POST', body });
  if (finished.url.origin !== new URL(baseUrl).origin) throw new Error(`${username} could not sign in.`);
  const { csrf } = Parse(Type.Object({ csrf: Type.String() }), JSON.parse(finished.text));
  return { send: browser.send, csrf };
};

/** Longest time for which a product that is at capacity is asked again, in milliseconds. */
const PATIENCE_MS = 60_000;
/** Pause before the next try where the answer names none, in milliseconds. */
const PAUSE_MS = 1_000;

type Answer = Static<typeof answer>;

const isOverloaded = ({ errors = [] }: Answer): boolean =>
  errors.length > 0 && errors.every(({ extensions }) => extensions?.code === 'SYS_OVERLOADED');

/**
 * Opens the graph to a person who is signed in. A product that is at capacity has done nothing of the request, which is
 * sent again after the time that its answer names (Retry-After, RFC 9110 10.2.3).
 */
export const openGraph = (baseUrl: string, { send, csrf }: Visit): GraphSession => {
  const request = async (body: string, end: number): Promise<Answer> => {
    const response = await send(new URL('/graphql', baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', 'x-landfall-csrf': csrf },
      body,
    });
    const answered = Parse(answer, await response.json());
    if (!isOverloaded(answered) || performance.now() > end) return answered;
    await pause(Number(response.headers.get('retry-after') ?? PAUSE_MS / 1_000) * 1_000);
    return request(body, end);
  };
  return {
    async ask(document, variables, shape) {
      const body = JSON.stringify({ query: document, variables });
      const { data, errors = [] } = await request(body, performance.now() + PATIENCE_MS);
      if (errors.length > 0)
        throw new Error(errors.map(({ message, extensions }) => `${extensions?.code}: ${message}`).join(' '));
      return Parse(shape, data);
    },
  };
};

export const signIn = async (baseUrl: string, person: Person): Promise<GraphSession> =>
  openGraph(baseUrl, await visit(baseUrl, person));

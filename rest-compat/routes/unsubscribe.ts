import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { type Answer, one, protocolRoute, type Route } from '@landfall/kernel/routes/route';
import type { Notifier } from '@landfall/notifier';
import Type from 'typebox';

type Subscription = NonNullable<Awaited<ReturnType<Notifier['unsubscribe']['find']>>>;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

const WORDS = {
  en: {
    title: 'Notifications by mail',
    ask: 'Send no more notifications of the kind {kind} to {address}? Critical ones still come.',
    verb: 'Unsubscribe',
    done: 'No more notifications of the kind {kind} are sent to {address}. Critical ones still come. You can undo it under My notifications.',
    unknown: 'The link is not valid, or the address was removed. Change what you get under My notifications.',
  },
  de: {
    title: 'Benachrichtigungen per Mail',
    ask: 'Keine Benachrichtigungen der Art {kind} mehr an {address} senden? Kritische kommen weiterhin.',
    verb: 'Abbestellen',
    done: 'Benachrichtigungen der Art {kind} werden nicht mehr an {address} gesendet. Kritische kommen weiterhin. Unter „My notifications“ lässt sich das ändern.',
    unknown: 'Der Link ist ungültig, oder die Adresse wurde entfernt.',
  },
} as const;

const pageOf = (status: number, language: keyof typeof WORDS, body: string): Answer => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    // The address of the page is a right: it goes to no other site and no cache.
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    'x-content-type-options': 'nosniff',
  },
  body: `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${WORDS[language].title}</title><main><h1>${WORDS[language].title}</h1>${body}</main></html>`,
});

const unknownPage = (): Answer => pageOf(404, 'en', `<p>${WORDS.en.unknown}</p>`);

const languageOf = ({ locale }: Subscription): keyof typeof WORDS => (locale.startsWith('de') ? 'de' : 'en');

const sentence = (text: string, { kind, address }: Subscription): string =>
  `<p>${escaped(text.replace('{kind}', () => kind).replace('{address}', () => address))}</p>`;

const common = {
  module: 'notifier',
  dialect: envelope,
  isPublic: true,
  path: '/api/v1/notify/unsubscribe',
  schemas: {
    query: Type.Object({ token: Type.Optional(Type.String()) }),
    response: { 200: Type.String({ description: 'HTML page.' }), 404: Type.String({ description: 'HTML page.' }) },
  },
} as const;

/** Routes of the links in mails to people. Programs that follow links read the first, which changes nothing. */
export const unsubscribeRoutes = ({ unsubscribe }: Notifier): readonly Route[] => [
  protocolRoute({
    ...common,
    method: 'GET',
    summary: 'Page that asks whether to end mails of a kind.',
    async handle({ query: { token } }) {
      const found = await unsubscribe.find(one(token) ?? '');
      if (!found) return unknownPage();
      const language = languageOf(found);
      const { ask, verb, done } = WORDS[language];
      if (found.isMuted) return pageOf(200, language, sentence(done, found));
      return pageOf(200, language, `${sentence(ask, found)}<form method="post"><button>${verb}</button></form>`);
    },
  }),
  protocolRoute({
    ...common,
    method: 'POST',
    // Mail clients send List-Unsubscribe=One-Click as a form of either type (RFC 8058 3.2); the link says it all.
    accepts: 'text',
    bodyLimit: 16 * 1024,
    summary: 'Ends mails of a kind at an address, by one click (RFC 8058).',
    schemas: { ...common.schemas, body: Type.String() },
    async handle({ query: { token } }) {
      const ended = await unsubscribe.end(one(token) ?? '');
      if (!ended) return unknownPage();
      const language = languageOf(ended);
      return pageOf(200, language, sentence(WORDS[language].done, ended));
    },
  }),
];

import type { Authority } from '@landfall/authority';
import type { Route } from '@landfall/kernel/routes/route';
import Type, { type TProperties } from 'typebox';
import { browserRoute, type Page } from './authority-pages.ts';

const text = Type.String();
const optional = Type.Optional(text);

const form = { csrf: text, do: optional };
/** Confirmation that a page shows. */
const query = { done: optional };

type Section = keyof Authority['account']['sections'];

const SECTIONS: readonly (readonly [section: Section, what: string, body: TProperties])[] = [
  ['password', 'the password', { csrf: text, present: text, next: text, again: text }],
  ['second-factor', 'the second factor and its recovery codes', { ...form, code: optional }],
  ['passkeys', 'the passkeys', { ...form, id: optional, name: optional, passkey: optional, passkey_ticket: optional }],
  ['sessions', 'where they are signed in', { ...form, id: optional }],
  ['applications', 'what may act for them', { ...form, client: optional }],
];

const sectionPages = ({ sections }: Authority['account']): Page[] =>
  SECTIONS.flatMap(([section, name, body]): Page[] => [
    {
      method: 'GET',
      path: `/account/${section}`,
      summary: `Shows somebody ${name}.`,
      query,
      answer: sections[section].show,
    },
    {
      method: 'POST',
      path: `/account/${section}`,
      summary: `Changes ${name}; the sign-in may be 15 minutes old at most.`,
      body,
      answer: sections[section].submit,
    },
  ]);

const otherPages = (account: Authority['account']): Page[] => [
  {
    method: 'GET',
    path: '/',
    summary: 'The authority’s address alone: leads to the account.',
    answer: account.entrance,
  },
  {
    method: 'GET',
    path: '/account',
    summary: 'The caller’s own account: how they sign in, and where they are signed in.',
    query,
    answer: account.overview,
  },
  {
    method: 'GET',
    path: '/account/passkeys/options',
    summary: 'Options for the registration of a passkey, as JSON (WebAuthn 3, 5.4).',
    query: { name: text },
    answer: account.registrationOptions,
  },
  {
    method: 'GET',
    path: '/passkey/options',
    summary: 'Options for a sign-in with a passkey, as JSON (WebAuthn 3, 5.5).',
    answer: account.signInOptions,
  },
  {
    method: 'GET',
    path: '/passkey.js',
    summary: 'The one script of the authority’s pages: passkeys need it.',
    answer: async () => account.script,
  },
];

/** Pages on which people manage their own sign-in methods. */
export const accountPages = ({ account }: Authority): Route[] =>
  [...otherPages(account), ...sectionPages(account)].map(browserRoute);

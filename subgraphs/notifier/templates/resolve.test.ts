import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isKnownLocale, localeChain } from './locales.ts';
import { resolveTemplate } from './resolve.ts';

const template = (tenantId: string, locale: string, more: object = {}) => ({
  tenantId,
  locale,
  key: 'deployment.failed',
  channelType: 'slack',
  ...more,
});

const request = (locale: string, defaultLocale?: string) => ({
  ...template('acme', locale),
  ...(defaultLocale === undefined ? {} : { defaultLocale }),
});

const found = (candidates: ReturnType<typeof template>[], ...args: Parameters<typeof request>) => {
  const template = resolveTemplate(candidates, request(...args));
  return template && `${template.tenantId} ${template.locale}`;
};

// spec: 2.3/platform-tenant
test('each step of the resolution is taken when the ones before it have no template', () => {
  const chain = [
    template('acme', 'pt-BR'),
    template('acme', 'pt'),
    template('acme', 'de-AT'),
    template('acme', 'de'),
    template('_system', 'pt-BR'),
    template('_system', 'pt'),
    template('_system', 'de-AT'),
    template('_system', 'de'),
    template('_system', 'en'),
  ];
  for (let first = 0; first < chain.length; first++) {
    const { tenantId, locale } = chain[first] ?? template('', '');
    // The order of candidates has no say.
    assert.equal(found(chain.slice(first).toReversed(), 'pt-BR', 'de-AT'), `${tenantId} ${locale}`);
  }
  assert.equal(found([], 'pt-BR', 'de-AT'), undefined);
});

test('another tenant, key or channel is no candidate', () => {
  const others = [
    template('other', 'en'),
    template('acme', 'en', { key: 'deployment.landed' }),
    template('acme', 'en', { channelType: 'teams' }),
  ];
  assert.equal(found(others, 'en'), undefined);
});

test('a locale is compared in its canonical spelling', () => {
  assert.equal(found([template('acme', 'pt-br')], 'PT-BR'), 'acme pt-br');
});

test('parents of a tag leave out a lone letter', () => {
  assert.deepEqual(localeChain('zh-Hant-TW'), ['zh-Hant-TW', 'zh-Hant', 'zh']);
  assert.deepEqual(localeChain('de-u-co-phonebk'), ['de-u-co-phonebk', 'de-u-co', 'de']);
});

test('a locale is known when its language and region exist', () => {
  for (const tag of ['en', 'en-US', 'pt-br', 'zh-Hant-TW', 'es-419', 'ar']) assert.ok(isKnownLocale(tag), tag);
  for (const tag of ['', 'english', 'xx', 'en-XQ', 'en_US', 'q', 'de-']) assert.ok(!isKnownLocale(tag), tag);
});

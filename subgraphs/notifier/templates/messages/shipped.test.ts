import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkTemplate } from '../check.ts';
import { compileTemplate } from '../compile.ts';
import { createContext, type Notification, REASONS } from '../context.ts';
import { CHANNEL_TYPES } from '../document.ts';
import { type RenderedMessage, renderTemplate } from '../render.ts';
import { event } from '../testing/sample.ts';
import { SHIPPED_TEMPLATES } from './shipped.ts';

// Bytes of every shipped message. Recorded again by `LANDFALL_RECORD=1 node --test <this file>`.
const isRecording = process.env.LANDFALL_RECORD === '1';
const folder = join(import.meta.dirname, 'golden');

const PAYLOADS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'approval.needed': { approvalsGiven: 1, approvalsNeeded: 2 },
  'deployment.failed': {
    failureAnatomy: {
      plainReason: 'The new version started but never passed its health check.',
      action: 'Read its log and mend the release; the version before it still serves.',
    },
  },
  'drift.seen': { observed: [{ component: 'web', digest: `sha256:${'b'.repeat(64)}` }] },
  'alertmanager.alert': { summary: 'db-1 has been down for 5 minutes.' },
  generic: { summary: 'The certificate of registry.example expires in 7 days.' },
  'contact.suppressed': { reason: 'The mail server answered 550: no such user' },
  'contact.code': { code: '123456', minutes: 15 },
  'api.deprecation.announced': {
    api: 'POST /oauth/token',
    sunset: '2026-05-01T00:00:00Z',
    successor: 'POST /token',
  },
};

const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'drift.seen': { environment: 'production', target: 'web-1' },
  'alertmanager.alert': { alertname: 'InstanceDown', instance: 'db-1:9100', severity: 'critical' },
};

const sampleOf = (kind: string) => {
  const attributes = ATTRIBUTES[kind];
  return event({ kind, payload: PAYLOADS[kind] ?? {}, ...(attributes && { attributes }) });
};

const digestMembers = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    event({ eventId: `e${index}`, at: new Date(Date.UTC(2026, 10, 22, 9, index)) }),
  );

const render = (template: (typeof SHIPPED_TEMPLATES)[number], facts: Partial<Notification> = {}): RenderedMessage => {
  const compiled = compileTemplate(template);
  const links = { self: 'https://landfall.example/things/7', acknowledge: 'https://landfall.example/ack/t?a=1&b=2' };
  const members = template.key === 'digest' ? digestMembers(12) : undefined;
  const context = createContext({
    event: sampleOf(template.key),
    reason: 'first',
    links,
    members,
    tenant: { id: 'acme', name: 'Acme' },
    ...facts,
    template: compiled,
  });
  return renderTemplate(compiled, context);
};

const printed = ({ subject, contentType, body, text }: RenderedMessage): string =>
  [subject === undefined ? [] : `subject: ${subject}`, contentType, body, text ?? []].flat().join('\n');

const messages = Map.groupBy(SHIPPED_TEMPLATES, ({ key, locale }) => `${key}.${locale}`);

for (const [name, templates] of messages)
  test(`${name} has exactly the recorded bytes`, () => {
    const actual = templates.map((template) => `== ${template.channelType}\n${printed(render(template))}\n`).join('\n');
    const path = join(folder, `${name}.txt`);
    if (isRecording) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, actual);
    }
    assert.equal(actual, readFileSync(path, 'utf8'));
  });

test('every shipped template is valid, without warnings, and has an id of its own', () => {
  for (const template of SHIPPED_TEMPLATES) {
    const { errors, warnings } = checkTemplate(template);
    assert.deepEqual([errors, warnings], [[], []], template.templateId);
  }
  assert.equal(new Set(SHIPPED_TEMPLATES.map(({ templateId }) => templateId)).size, SHIPPED_TEMPLATES.length);
});

test('the same keys are shipped in every language, for every channel that their schema has', () => {
  const keys = [...new Set(SHIPPED_TEMPLATES.map(({ key }) => key))];
  for (const key of keys) {
    const channels = CHANNEL_TYPES.filter((channel) => key !== 'api.deprecation.announced' || channel !== 'pagerduty');
    for (const locale of ['en', 'de']) {
      const found = SHIPPED_TEMPLATES.filter((template) => template.key === key && template.locale === locale);
      assert.deepEqual(
        found.map(({ channelType }) => channelType),
        channels,
        `${key} ${locale}`,
      );
    }
  }
});

test('every message but that of a code tells its reason in words, and opens the thing itself', () => {
  for (const template of SHIPPED_TEMPLATES.filter(({ key }) => key !== 'contact.code')) {
    for (const reason of REASONS) {
      const { body, text } = render(template, { reason });
      const words = createContext({
        event: event(),
        reason,
        links: {},
        tenant: { id: 'a', name: 'A' },
        template,
      }).reason.text;
      for (const part of [body, text ?? body]) {
        assert.ok(part.includes(words), `${template.templateId} ${reason}`);
        assert.ok(part.includes('https://landfall.example/things/7'), `${template.templateId} ${part}`);
      }
    }
  }
});

test('a message without links, actor and payload has no empty button, line or label', () => {
  for (const template of SHIPPED_TEMPLATES) {
    const bare = event({ kind: template.key, actor: null, attributes: {}, payload: {} });
    const { body, text = '' } = render(template, { event: bare, links: {} });
    assert.doesNotMatch(text, /: *$|null|undefined|\n\n\n/m, template.templateId);
    if (template.channelType === 'slack' || template.channelType === 'teams')
      assert.doesNotMatch(body, /"(?:text|url|title)":"\s*"|null,"url"|undefined/, template.templateId);
  }
});

test('a resolved event says so in its title', () => {
  for (const template of SHIPPED_TEMPLATES) {
    const resolved = { ...sampleOf(template.key), status: 'resolved' as const };
    const { body } = render(template, { event: resolved, reason: 'resolved', members: [resolved] });
    assert.match(body, /Resolved: |Erledigt: /, template.templateId);
    if (template.channelType === 'pagerduty') assert.match(body, /"event_action":"resolve"/);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject } from '@landfall/kernel/core/json';
import { readPublicData } from '@landfall/kernel/testing/public-data';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { checkTemplate } from '../check.ts';
import { compileTemplate } from '../compile.ts';
import type { ChannelType } from '../document.ts';
import { previewTemplate } from '../preview.ts';
import { renderTemplate } from '../render.ts';
import { cardMistakes } from '../testing/adaptive-cards.ts';
import { card, contextOf, event } from '../testing/sample.ts';
import { SHIPPED_TEMPLATES } from './shipped.ts';

const closed = { additionalProperties: false };
const text = (max: number) => Type.String({ minLength: 1, maxLength: max });
const plain = (max: number) =>
  Type.Object({ type: Type.Literal('plain_text'), text: text(max), emoji: Type.Boolean() }, closed);
const mrkdwn = (max: number) => Type.Object({ type: Type.Literal('mrkdwn'), text: text(max) }, closed);
const button = Type.Object(
  {
    type: Type.Literal('button'),
    action_id: text(255),
    text: plain(75),
    url: Type.String({ pattern: '^https?://', maxLength: 3_000 }),
  },
  closed,
);

/** Blocks of Slack that the shipped messages have, with Slack's limits. */
const slackMessage = Compile(
  Type.Object(
    {
      text: text(4_000),
      blocks: Type.Array(
        Type.Union([
          Type.Object({ type: Type.Literal('header'), text: plain(150) }, closed),
          Type.Object({ type: Type.Literal('section'), text: mrkdwn(3_000) }, closed),
          Type.Object(
            { type: Type.Literal('context'), elements: Type.Array(mrkdwn(3_000), { minItems: 1, maxItems: 10 }) },
            closed,
          ),
          Type.Object(
            { type: Type.Literal('actions'), elements: Type.Array(button, { minItems: 1, maxItems: 25 }) },
            closed,
          ),
        ]),
        { minItems: 1, maxItems: 50 },
      ),
    },
    closed,
  ),
);

/** PD-CEF: payload of the Events API v2, but for the routing and deduplication keys that the sender adds. */
const pagerdutyEvent = Compile(
  Type.Object(
    {
      event_action: Type.Enum(['trigger', 'acknowledge', 'resolve']),
      client: Type.String(),
      client_url: Type.Optional(Type.String({ pattern: '^https?://' })),
      links: Type.Optional(Type.Array(Type.Object({ href: Type.String(), text: Type.String() }, closed))),
      payload: Type.Object(
        {
          summary: text(1_024),
          source: text(255),
          severity: Type.Enum(['critical', 'error', 'warning', 'info']),
          timestamp: Type.String(),
          component: Type.Optional(Type.String()),
          group: Type.Optional(Type.String()),
          class: Type.Optional(Type.String()),
          custom_details: Type.Object({}),
        },
        closed,
      ),
    },
    closed,
  ),
);

/** Facts of very different sizes. */
const EVENTS = [
  {},
  { event: event({ actor: null, attributes: {}, payload: {} }), links: {} },
  {
    event: event({
      actor: 'x'.repeat(9_000),
      attributes: Object.fromEntries(
        ['product', 'release', 'environment', 'component', 'target'].map((name) => [name, '漢 & <b>'.repeat(1_000)]),
      ),
      payload: {
        summary: '"\\'.repeat(9_000),
        failureReason: 'x '.repeat(9_000),
        api: 'a'.repeat(5_000),
        advice: '] ('.repeat(9_000),
      },
    }),
  },
];

const bodiesOf = (channel: ChannelType) =>
  SHIPPED_TEMPLATES.filter(({ channelType }) => channelType === channel).flatMap((template) =>
    EVENTS.map((facts) => ({
      id: template.templateId,
      body: JSON.parse(previewTemplate(template, facts).message.body),
    })),
  );

test('every Slack message is made of blocks that Slack takes', () => {
  for (const { id, body } of bodiesOf('slack')) assert.deepEqual(slackMessage.Errors(body), [], id);
});

test('every PagerDuty message is an event of its API', () => {
  for (const { id, body } of bodiesOf('pagerduty')) assert.deepEqual(pagerdutyEvent.Errors(body), [], id);
});

test('every Teams message is one valid Adaptive Card', () => {
  for (const { id, body } of bodiesOf('teams')) {
    assert.equal(body.attachments.length, 1);
    assert.deepEqual(cardMistakes(body.attachments[0].content), [], id);
  }
});

test('the validator of cards finds mistakes', () => {
  const wrong = {
    type: 'AdaptiveCard',
    version: '1.5',
    body: [{ type: 'TextBlok' }],
    actions: [{ type: 'Action.OpenUrl' }],
  };
  assert.equal(cardMistakes(wrong).length, 2);
});

test('public cards are bodies that are sent as they are', (t) => {
  const files = readPublicData('notifier');
  if (!files) return t.skip('the public documents are not beside the repository');
  const cards = [...files].filter(([path]) => /AdaptiveCards\/samples\/.*\.json$/.test(path));
  assert.equal(cards.length, 10);
  for (const [path, content] of cards) {
    const sample: unknown = JSON.parse(content);
    assert.ok(isJsonObject(sample));
    const template = card(sample);
    assert.deepEqual(checkTemplate(template).errors, [], path);
    const compiled = compileTemplate(template);
    const { body, truncated } = renderTemplate(compiled, contextOf(compiled));
    assert.deepEqual([JSON.parse(body).attachments[0].content, truncated], [sample, false], path);
  }
});

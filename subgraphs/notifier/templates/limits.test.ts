import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import type { EventTemplate } from './document.ts';
import {
  card,
  document,
  event,
  htmlMail,
  pagerduty,
  plainMail,
  render,
  slackBlocks,
  webhook,
} from './testing/sample.ts';

const long = (length: number, unit = 'word ') =>
  event({ payload: { text: unit.repeat(Math.ceil(length / unit.length)).slice(0, length) } });
const section = { type: 'section', text: { type: 'mrkdwn', text: '{{ event.payload.text }}' } };

const limitOf = (template: EventTemplate, payload: Record<string, unknown> = {}) => {
  try {
    render(template, { event: event({ payload }) });
  } catch (error) {
    assert.ok(error instanceof Fault);
    return error.details;
  }
  return undefined;
};

test('loops that write end at the limit of writes or output, with the reason', () => {
  const nested = '{% for i in (1..1000) %}{% for j in (1..1000) %}x{% endfor %}{% endfor %}';
  assert.deepEqual(limitOf(plainMail(nested)), { reason: 'template_limit', limit: 'writes' });
  const wide = `{% for i in (1..1000) %}${'x'.repeat(2_000)}{% endfor %}`;
  assert.deepEqual(limitOf(plainMail(wide)), { reason: 'template_limit', limit: 'output' });
  assert.deepEqual(limitOf(slackBlocks({ text: nested })), { reason: 'template_limit', limit: 'writes' });
});

test('ranges and texts that double end at the limit of memory', () => {
  assert.deepEqual(limitOf(plainMail('{% for i in (1..100000000) %}{% endfor %}')), {
    reason: 'template_limit',
    limit: 'memory',
  });
  const doubling = "{% assign a = 'xxxxxxxx' %}{% for i in (1..40) %}{% assign a = a | append: a %}{% endfor %}";
  assert.deepEqual(limitOf(plainMail(doubling)), { reason: 'template_limit', limit: 'memory' });
});

test('a huge value written over and over ends at the limit of output', () => {
  const text = 'x'.repeat(100_000);
  assert.deepEqual(limitOf(plainMail('{% for i in (1..100) %}{{ event.payload.text }}{% endfor %}'), { text }), {
    reason: 'template_limit',
    limit: 'output',
  });
});

test('Slack: sections, headers and labels are cut to their own limits, with a marker', () => {
  const template = slackBlocks({
    text: '{{ event.payload.text }}',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: '{{ event.payload.text }}' } },
      section,
      { type: 'section', fields: [{ type: 'mrkdwn', text: '{{ event.payload.text }}' }] },
      {
        type: 'actions',
        elements: [{ type: 'button', text: { type: 'plain_text', text: '{{ event.payload.text }}' } }],
      },
    ],
  });
  const { body, truncated } = render(template, { event: long(3_500, 'a & b ') });
  const message = JSON.parse(body);
  const [header, text, fields, actions] = message.blocks;
  const texts: string[] = [
    message.text,
    header.text.text,
    text.text.text,
    fields.fields[0].text,
    actions.elements[0].text.text,
  ];
  for (const [index, most] of [4_000, 150, 3_000, 2_000, 75].entries()) {
    const cut = texts[index] ?? '';
    assert.ok(cut.length <= most && cut.length > most - 20, `${index} ${cut.length}`);
    assert.match(cut, /(?:[\w ]|&amp;)… \(truncated\)$/);
  }
  assert.ok(truncated);
});

test('Slack: a message of many long sections fits into 12,000 bytes', () => {
  for (const unit of ['word ', '漢字', '👩‍👩‍👧‍👦', '"\\', 'שלום ']) {
    const template = slackBlocks({ text: 'x', blocks: Array.from({ length: 12 }, () => section) });
    const { body, truncated } = render(template, { event: long(2_900, unit) });
    assert.ok(Buffer.byteLength(body) <= 12_000, `${unit} ${Buffer.byteLength(body)}`);
    assert.ok(Buffer.byteLength(body) > 6_000, `${unit} ${Buffer.byteLength(body)}`);
    assert.ok(truncated && body.includes('… (truncated)') && body.isWellFormed());
  }
});

test('Slack: blocks beyond the fiftieth are left out, and a last block says so', () => {
  const template = slackBlocks({ text: 'x', blocks: Array.from({ length: 60 }, () => section) });
  const { blocks } = JSON.parse(render(template, { event: long(5) }).body);
  assert.equal(blocks.length, 50);
  assert.deepEqual(blocks.at(-1), { type: 'context', elements: [{ type: 'mrkdwn', text: '… (truncated)' }] });
});

test('Slack: a text of mrkdwn is cut, and the marker is in the language of the template', () => {
  const { body } = render(document({ locale: 'de-AT', body: '{{ event.payload.text }}' }), { event: long(9_000) });
  assert.match(JSON.parse(body).text, /… \(gekürzt\)$/);
});

test('Teams: a message fits into 28 KB', () => {
  const block = { type: 'TextBlock', text: '{{ event.payload.text }}', wrap: true };
  const template = card({ type: 'AdaptiveCard', version: '1.5', body: [block, block, block] });
  for (const unit of ['word ', '漢字', '"\\']) {
    const { body, truncated } = render(template, { event: long(20_000, unit) });
    assert.ok(truncated && Buffer.byteLength(body) <= 28 * 1024 && body.includes('(truncated)'));
  }
});

test('Teams: short elements beyond the limit are left out at the end', () => {
  const body = Array.from({ length: 700 }, () => ({ type: 'TextBlock', text: '{{ event.kind }}', wrap: true }));
  const message = render(card({ type: 'AdaptiveCard', version: '1.5', body }));
  const blocks = JSON.parse(message.body).attachments[0].content.body;
  assert.ok(message.truncated && Buffer.byteLength(message.body) <= 28 * 1024 && blocks.length > 300);
  assert.equal(blocks.at(-1).text, '… (truncated)');
});

test('a webhook that is too large becomes thin: ids, the size of its group, and the address of the rest', () => {
  const message = render(webhook({ event: '{{ event | value }}' }), { event: long(30_000) });
  assert.deepEqual(JSON.parse(message.body), {
    truncated: true,
    eventId: event().eventId,
    kind: 'deployment.failed',
    at: '2026-11-22T14:03:00.000Z',
    group: { count: 1, open: 1 },
    url: 'https://landfall.example/deployments/7',
  });
  assert.ok(message.truncated);
});

test('PagerDuty: the summary is cut to 1,024 characters, details of half a megabyte are left out', () => {
  const template = pagerduty({
    payload: { summary: '{{ event.payload.text }}', source: 's', custom_details: { event: '{{ event | value }}' } },
  });
  const { payload } = JSON.parse(render(template, { event: long(600_000) }).body);
  assert.ok(payload.summary.length <= 1_024 && payload.summary.endsWith('… (truncated)'));
  assert.deepEqual(payload.custom_details, { truncated: true });
});

test('a subject has at most 998 bytes', () => {
  const { subject = '', truncated } = render(htmlMail('x'), {
    event: event({ attributes: { product: '漢字👩‍👩‍👧‍👦'.repeat(300) } }),
  });
  assert.ok(
    truncated && Buffer.byteLength(subject) <= 998 && subject.endsWith('… (truncated)') && subject.isWellFormed(),
  );
});

test('a message within its limits is not marked', () => {
  const message = render(slackBlocks({ text: 'x', blocks: [section] }), { event: long(2_999) });
  assert.ok(!message.truncated && !message.body.includes('truncated'));
});

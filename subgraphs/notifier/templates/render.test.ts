import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import { compiledTemplate, compileTemplate } from './compile.ts';
import { previewTemplate } from './preview.ts';
import { renderTemplate } from './render.ts';
import {
  card,
  contextOf,
  document,
  event,
  htmlMail,
  pagerduty,
  plainMail,
  render,
  slackBlocks,
  webhook,
} from './testing/sample.ts';

test('a compiled template is JSON that renders the same after it was stored', () => {
  for (const template of [
    slackBlocks({ text: '{{ event.kind }}' }),
    htmlMail('<p>{{ event.kind }}</p>'),
    plainMail('x'),
  ]) {
    const compiled = compileTemplate(template);
    const stored: unknown = JSON.parse(JSON.stringify(compiled));
    assert.ok(Check(compiledTemplate, stored));
    assert.deepEqual(stored, compiled);
    assert.deepEqual(renderTemplate({ ...compiled }, contextOf(compiled)), render(template));
  }
});

test('the digest follows the content', () => {
  const digestOf = (body: string) => compileTemplate(document({ body })).digest;
  assert.equal(digestOf('a'), digestOf('a'));
  assert.notEqual(digestOf('a'), digestOf('b'));
  const optional = { placeholders: [{ name: 'event.kind', description: '', required: false }] };
  assert.equal(compileTemplate(document(optional)).digest, compileTemplate(document()).digest);
});

test('required placeholders without a value are named', () => {
  const names = ['event.payload.a', 'event.payload.b.c', 'event.attributes.product', 'event.actor'];
  const placeholders = [
    ...names.map((name) => ({ name, description: '' })),
    { name: 'event.payload.z', description: '', required: false },
  ];
  const { missing } = render(document({ placeholders }), {
    event: event({ actor: null, payload: { a: '', b: { c: 0 } } }),
  });
  assert.deepEqual(missing, ['event.payload.a', 'event.actor']);
});

test('MJML keeps Liquid with quotes, comparisons and loops', () => {
  const body = `<mjml><mj-body><mj-section><mj-column>
    <mj-text>{% if group.count < 2 %}{{ event.kind | append: " & 'more' <i>" }}{% endif %}</mj-text>
    <mj-raw>{% for m in group.members %}</mj-raw><mj-text>{{ m.actor }}</mj-text><mj-raw>{% endfor %}</mj-raw>
    <mj-button href="{{ links.self }}">Open</mj-button>
  </mj-column></mj-section></mj-body></mjml>`;
  const message = render(htmlMail(body));
  assert.ok(message.body.includes('deployment.failed &amp; &#39;more&#39; &lt;i&gt;'));
  assert.ok(message.body.includes('href="https://landfall.example/deployments/7"'));
  assert.doesNotMatch(message.body, /fonts\.googleapis|liquid\d/);
  assert.equal(
    message.text,
    "deployment.failed & 'more' <i>\n\nMira Okafor\n\nOpen: https://landfall.example/deployments/7",
  );
});

test('the text part of HTML has its links, lists and entities', () => {
  const body =
    '<style>p { color: red }</style><h1>A&nbsp;&amp;&#32;B</h1><ul><li>one</li><li>two</li></ul><p>See <a href="https://a.example/x">the page</a>.<br>End</p>';
  const { text } = render(htmlMail(body));
  assert.equal(text, 'A & B\n\none\ntwo\n\nSee the page: https://a.example/x.\nEnd');
});

test('each channel has its content type and the form that it takes', () => {
  const forms = [
    [document({ body: '*{{ event.kind }}*' }), '{"text":"*deployment.failed*","mrkdwn":true}'],
    [
      webhook({ n: 1, kind: '{{ event.kind }}', none: '{{ event.payload.x }}' }),
      '{"n":1,"kind":"deployment.failed","none":""}',
    ],
    [pagerduty({ payload: { summary: 'x', component: '{{ event.payload.x }}' } }), '{"payload":{"summary":"x"}}'],
  ] as const;
  for (const [template, body] of forms)
    assert.deepEqual(render(template), { body, contentType: 'application/json', truncated: false, missing: [] });
  assert.equal(render(plainMail('x')).contentType, 'text/plain; charset=utf-8');
  assert.equal(render(htmlMail('x')).contentType, 'text/html; charset=utf-8');
  const { attachments } = JSON.parse(
    render(document({ channelType: 'teams', format: 'teams', renderMode: 'plainText' })).body,
  );
  assert.deepEqual(attachments[0].content.body, [{ type: 'TextBlock', text: 'deployment.failed', wrap: true }]);
});

test('a value keeps its structure in data, and is refused nowhere else', () => {
  const template = webhook({ attributes: '{{ event.attributes | value }}', none: '{{ event.payload.x | value }}' });
  assert.equal(
    render(template, { event: event({ attributes: { a: '1' } }) }).body,
    '{"attributes":{"a":"1"},"none":null}',
  );
  assert.throws(() => compileTemplate(slackBlocks({ text: '{{ event | value }}' })), /undefined filter: value/);
});

test('what has no text in Slack or Teams is left out with the item that it belongs to', () => {
  const none = '{{ event.payload.none }}';
  const section = { type: 'section', text: { type: 'mrkdwn', text: none } };
  const kept = { type: 'section', text: { type: 'mrkdwn', text: 'x' }, accessory: { type: 'button', url: none } };
  const context = { type: 'context', elements: [{ type: 'mrkdwn', text: none }] };
  assert.equal(
    render(slackBlocks({ text: 'x', blocks: [section, kept, context] })).body,
    '{"text":"x","blocks":[{"type":"section","text":{"type":"mrkdwn","text":"x"}}]}',
  );
  const facts = {
    type: 'FactSet',
    facts: [
      { title: 'Kind', value: '{{ event.kind }}' },
      { title: 'None', value: none },
    ],
  };
  const { attachments } = JSON.parse(render(card({ type: 'AdaptiveCard', version: '1.5', body: [facts] })).body);
  assert.deepEqual(attachments[0].content.body[0].facts, [{ title: 'Kind', value: 'deployment.failed' }]);
});

test('functions of cards are no Liquid', () => {
  const text =
    "On {{DATE({{ event.at | date: '%Y-%m-%dT%H:%M:%SZ' }}, SHORT)}} at {{TIME(2026-11-22T14:03:00Z)}}: {{ event.kind }}";
  const { attachments } = JSON.parse(
    render(card({ type: 'AdaptiveCard', version: '1.5', body: [{ type: 'TextBlock', text }] })).body,
  );
  assert.equal(
    attachments[0].content.body[0].text,
    'On {{DATE(2026-11-22T14:03:00Z, SHORT)}} at {{TIME(2026-11-22T14:03:00Z)}}: deployment.failed',
  );
});

test('times are in the zone of the recipient', () => {
  const timeIn = (timeZone: string) => render(plainMail('{{ event.at | time }}'), { recipient: { timeZone } }).body;
  assert.equal(timeIn('Europe/Berlin'), '2026-11-22 15:03 UTC+01:00');
  assert.equal(timeIn('America/St_Johns'), '2026-11-22 10:33 UTC-03:30');
  assert.equal(timeIn('UTC'), '2026-11-22 14:03 UTC');
  assert.equal(timeIn('Nowhere/Town'), '2026-11-22 14:03 UTC');
  assert.equal(render(plainMail("{{ 'soon' | time }}")).body, 'soon');
});

test('a preview has the examples of the placeholders, what is missing, and the limits that it takes', () => {
  const { message, limits } = previewTemplate(
    slackBlocksWith('{{ event.payload.cause.text }}: {{ event.attributes.product }}', [
      { name: 'event.payload.cause.text', description: '', example: 'Disk full' },
      { name: 'event.attributes.product', description: '', example: 'shop' },
      { name: 'event.payload.none', description: '' },
    ]),
  );
  assert.equal(message.body, '{"text":"Disk full: shop"}');
  assert.deepEqual(message.missing, ['event.payload.none']);
  assert.deepEqual(
    limits.map(({ name, used }) => `${name} ${used}`),
    ['blocks 0', 'characters of a section 0', 'characters of a header 0', 'characters of the text 15', 'bytes 26'],
  );
  const mail = previewTemplate(htmlMail('x'), { event: event() });
  assert.deepEqual(
    [mail.message.subject, mail.limits],
    ['shop', [{ name: 'bytes of the subject', used: 4, most: 998 }]],
  );
});

const slackBlocksWith = (text: string, placeholders: { name: string; description: string; example?: string }[]) => ({
  ...slackBlocks({ text }),
  placeholders,
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
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

const NASTY = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='x",
  'a\r\nBcc: eve@example.com',
  '\u2028x\u0000\u0007\u001b[31m',
  '","type":"button","x":"',
  '\\","evil":"',
  '<https://evil.example|Open>',
  '<!channel> <@U1>',
  '[Open](https://evil.example)',
  '](https://evil.example)',
  '{{ event.payload.secret }}',
  '{% for i in (1..9) %}x{% endfor %}',
  '</mj-text><mj-raw>',
  '&lt;b&gt;',
  '\ud800 half',
];
const value = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.array(fc.constantFrom(...NASTY, ' ', 'x'), { maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
);
const withProduct = (product: string) => ({ event: event({ attributes: { product } }) });
const runs = { numRuns: 500 };

test('HTML: a value makes neither an element nor an attribute', () => {
  const template = htmlMail('<p title="{{ event.attributes.product }}">{{ event.attributes.product }}</p>');
  fc.assert(
    fc.property(value, (product) => {
      const { body } = render(template, withProduct(product));
      return /^<p title="[^"<>]*">[^"<>]*<\/p>$/.test(body) && body.isWellFormed();
    }),
    runs,
  );
});

test('a subject is one line, whatever the value', () => {
  fc.assert(
    fc.property(value, (product) => {
      const { subject = '' } = render(htmlMail('x'), withProduct(product));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be in a header
      return !/[\0-\x1f\x7f\u2028\u2029]/.test(subject) && subject.isWellFormed();
    }),
    runs,
  );
});

test('plain text has no control characters but line ends and tabs', () => {
  fc.assert(
    fc.property(value, (product) => {
      const { body } = render(plainMail('{{ event.attributes.product }}'), withProduct(product));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be in a text
      return !/[\0-\x08\x0b-\x1f\x7f-\x9f]/.test(body);
    }),
    runs,
  );
});

const jsonCases = {
  slack: slackBlocks({ text: '{{ event.attributes.product }}.', blocks: [{ type: 'divider' }] }),
  card: card({
    type: 'AdaptiveCard',
    version: '1.5',
    body: [{ type: 'TextBlock', text: '{{ event.attributes.product }}.' }],
  }),
  webhook: webhook({ a: '{{ event.attributes.product }}', b: { c: 1 } }),
  pagerduty: pagerduty({ payload: { summary: '{{ event.attributes.product }}.', source: 's', severity: 'info' } }),
};

const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
};

for (const [name, template] of Object.entries(jsonCases))
  test(`${name}: a value changes no structure of the JSON`, () => {
    const shape = shapeOf(JSON.parse(render(template, withProduct('x')).body));
    fc.assert(
      fc.property(value, (product) => {
        const { body } = render(template, withProduct(product));
        assert.deepEqual(shapeOf(JSON.parse(body)), shape);
      }),
      runs,
    );
  });

test('Slack: a value makes no link, mention or entity of its own', () => {
  fc.assert(
    fc.property(value, (product) => {
      const { text }: { text: string } = JSON.parse(render(jsonCases.slack, withProduct(product)).body);
      return !/[<>]|&(?!amp;|lt;|gt;)/.test(text);
    }),
    runs,
  );
});

test('Teams: a value makes no link', () => {
  fc.assert(
    fc.property(value, (product) => !render(jsonCases.card, withProduct(product)).body.includes('](')),
    runs,
  );
});

test('a webhook carries values as they are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (product) => {
      const { a }: { a: string } = JSON.parse(render(jsonCases.webhook, withProduct(product)).body);
      assert.equal(a, product.trim());
    }),
    runs,
  );
});

test('Liquid in a value is text', () => {
  const { body } = render(plainMail('{{ event.attributes.product }}'), withProduct('{{ event.kind }}{% raw %}'));
  assert.equal(body, '{{ event.kind }}{% raw %}');
});

test('names of prototypes have no value', () => {
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'constructor.name', '__proto__.polluted'];
  for (const root of ['event', 'event.attributes', 'event.payload', 'event.kind', 'group.members'])
    for (const name of names) {
      const { body } = render(plainMail(`[{{ ${root}.${name} }}]`));
      assert.equal(body, '[]', `${root}.${name}`);
    }
  assert.equal(Reflect.get({}, 'polluted'), undefined);
});

test('a payload that is named like a prototype stays data', () => {
  const payload = JSON.parse('{"__proto__": {"polluted": "yes"}, "constructor": {"name": "x"}}');
  const { body } = render(webhook({ payload: '{{ event.payload | value }}' }), { event: event({ payload }) });
  assert.equal(body, '{"payload":{"__proto__":{"polluted":"yes"},"constructor":{"name":"x"}}}');
  assert.equal(Reflect.get({}, 'polluted'), undefined);
});

test('a link that programs may not open leaves no button', () => {
  const blocks = {
    blocks: [{ type: 'actions', elements: [{ type: 'button', url: '{{ event.payload.url }}' }] }],
    text: 'x',
  };
  for (const url of [
    'javascript:alert(1)',
    'data:text/html,x',
    'x',
    '',
    '//evil',
    ' jAvascript:x',
    'file:///etc/passwd',
  ])
    assert.equal(render(slackBlocks(blocks), { event: event({ payload: { url } }) }).body, '{"text":"x"}', url);
  const { body } = render(slackBlocks(blocks), { event: event({ payload: { url: 'https://a.example/?q=<b>|"' } }) });
  assert.ok(body.includes('https://a.example/?q=%3Cb%3E%7C%22'));
});

test('links of the context are http, https or mailto, or absent', () => {
  const template = document({ body: '[{{ links.self }}]' });
  for (const self of ['javascript:alert(1)', '/relative', 'https://'])
    assert.match(render(template, { links: { self } }).body, /"text":"\[\]"/, self);
});

test('an object as a value is JSON text, and is no structure of a Slack message', () => {
  const { body } = render(slackBlocks({ text: '{{ event.payload.x }}' }), {
    event: event({ payload: { x: { type: 'header' } } }),
  });
  assert.equal(body, '{"text":"{\\"type\\":\\"header\\"}"}');
});

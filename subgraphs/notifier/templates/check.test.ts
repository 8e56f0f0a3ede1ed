import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkTemplate } from './check.ts';
import { DEPRECATION_SCHEMA } from './document.ts';
import { card, document, htmlMail, plainMail, slackBlocks, webhook } from './testing/sample.ts';

const deprecation = (fields: object = {}) => ({
  ...document({ key: 'api.deprecation.announced' }),
  schemaVersion: DEPRECATION_SCHEMA,
  templateId: 'api-deprecation-slack',
  ...fields,
});

const errorsOf = (input: unknown) => checkTemplate(input).errors.map(({ field, code }) => `${field} ${code}`);
const messageOf = (input: unknown) => checkTemplate(input).errors[0]?.message ?? '';
const without = (input: object, name: string) =>
  Object.fromEntries(Object.entries(input).filter(([member]) => member !== name));

// spec: 2.3/required-fields
test('a deprecation template has every required field of the specification', () => {
  assert.deepEqual(errorsOf(deprecation()), []);
  const required = [
    'templateId',
    'tenantId',
    'channelType',
    'key',
    'locale',
    'body',
    'renderMode',
    'format',
    'createdAt',
    'updatedAt',
  ];
  for (const name of required)
    assert.deepEqual(errorsOf(without(deprecation(), name)), [`${name} VAL_REQUIRED_FIELD`], name);
  assert.deepEqual(
    errorsOf(without(deprecation(), 'schemaVersion')).includes('schemaVersion VAL_REQUIRED_FIELD'),
    true,
  );
});

// spec: 2.3/closed, 2.3/constants, 2.3/template-id, 2.3/enumerations, 2.3/placeholders
test('each rule of the deprecation template is kept', () => {
  const cases: readonly (readonly [object, string])[] = [
    [{ templateId: 'deprecation-slack' }, 'templateId VAL_INVALID_FORMAT'],
    [{ templateId: 'api-deprecation-' }, 'templateId VAL_INVALID_FORMAT'],
    [{ templateId: 'api-deprecation-Slack' }, 'templateId VAL_INVALID_FORMAT'],
    [{ templateId: 'api-deprecation-7-slack' }, 'templateId VAL_INVALID_FORMAT'],
    [{ channelType: 'pagerduty' }, 'channelType VAL_INVALID_VALUE'],
    [{ key: 'api.deprecation.ended' }, 'key VAL_INVALID_VALUE'],
    [{ renderMode: 'xml' }, 'renderMode VAL_INVALID_VALUE'],
    [{ format: 'pagerduty' }, 'format VAL_INVALID_VALUE'],
    [{ metadata: { priority: 'highest' } }, 'metadata.priority VAL_INVALID_VALUE'],
    [{ metadata: { category: 'other' } }, 'metadata.category VAL_INVALID_VALUE'],
    [{ metadata: { tags: ['a', 7] } }, 'metadata.tags.1 VAL_SCHEMA_MISMATCH'],
    [{ metadata: { owner: 7 } }, 'metadata.owner VAL_SCHEMA_MISMATCH'],
    [{ placeholders: [{ name: 'event.kind' }] }, 'placeholders.0.description VAL_REQUIRED_FIELD'],
    [{ placeholders: [{ name: 'event.kind', description: '', type: 'x' }] }, 'placeholders.0.type VAL_SCHEMA_MISMATCH'],
    [{ createdAt: '2026-13-01T00:00:00Z' }, 'createdAt VAL_INVALID_FORMAT'],
    [{ updatedAt: 7 }, 'updatedAt VAL_SCHEMA_MISMATCH'],
    [{ version: 3 }, 'version VAL_SCHEMA_MISMATCH'],
    [{ status: null }, 'status VAL_SCHEMA_MISMATCH'],
  ];
  for (const [fields, expected] of cases) assert.deepEqual(errorsOf(deprecation(fields)), [expected]);
});

// spec: 2.3/metadata, 2.3/timestamps
test('a deprecation template may have every optional field', () => {
  const metadata = { priority: 'urgent', category: 'api-governance', tags: ['api'], owner: 'platform' };
  const placeholders = [{ name: 'event.kind', description: 'Kind', example: 'x', required: false }];
  const fields = { metadata, placeholders, description: 'd', createdBy: 'mira', updatedBy: 'mira' };
  assert.deepEqual(checkTemplate(deprecation(fields)).document, deprecation(fields));
});

test('an unknown field is refused with its name, in templates of every kind', () => {
  assert.deepEqual(errorsOf({ ...document(), extra: 1 }), ['extra VAL_SCHEMA_MISMATCH']);
  assert.deepEqual(errorsOf({ ...document(), __proto__: null, constructor: 1 }), ['constructor VAL_SCHEMA_MISMATCH']);
});

test('a document of an unknown schema version is refused', () => {
  assert.deepEqual(errorsOf({ ...document(), schemaVersion: 'notify.template.event@2' }), [
    'schemaVersion VAL_INVALID_VALUE',
  ]);
  for (const input of [undefined, null, 7, 'x', []]) assert.ok(errorsOf(input).length > 0);
});

test('the key of deprecations has its own schema', () => {
  assert.deepEqual(errorsOf(document({ key: 'api.deprecation.announced' })), ['schemaVersion VAL_INVALID_VALUE']);
});

test('every mistake of a channel is reported at once', () => {
  const mixed = document({ channelType: 'webhook', renderMode: 'html', format: 'slack', subject: 'x', locale: 'xx' });
  assert.deepEqual(errorsOf(mixed), [
    'renderMode VAL_INVALID_VALUE',
    'format VAL_INVALID_VALUE',
    'subject VAL_INVALID_VALUE',
    'locale VAL_INVALID_FORMAT',
  ]);
});

test('a mistake of Liquid is reported with its line', () => {
  assert.equal(messageOf(plainMail('a\nb\n{{ event.kind | nope }}')), 'line 3: undefined filter: nope');
  assert.equal(messageOf(plainMail('a\n{% if x %}')), 'line 2: tag {% if x %} not closed');
  assert.equal(messageOf({ ...plainMail('x'), subject: '{{ x' }), 'line 1: output "{{ x" not closed');
  assert.deepEqual(errorsOf({ ...plainMail('x'), subject: '{{ x' }), ['subject VAL_INVALID_FORMAT']);
  assert.match(
    messageOf(slackBlocks({ text: 'x', blocks: [{ text: '{% nope %}' }] })),
    /^\/blocks\/0\/text: line 1: tag "nope"/,
  );
});

test('includes, unescaped output and expressions in strings are unknown', () => {
  for (const body of ["{% include 'a' %}", "{% render 'a' %}", "{% layout 'a' %}", '{% capture a %}{% endcapture %}'])
    assert.match(messageOf(plainMail(body)), /tag "\w+" not found/, body);
  for (const filter of ['raw', 'json', 'jsonify', 'inspect', "where_exp: 'x', 'y'", 'newline_to_br'])
    assert.match(messageOf(htmlMail(`{{ event.kind | ${filter} }}`)), /undefined filter/, filter);
});

test('a body that is no JSON is refused with where', () => {
  const broken = { ...slackBlocks({}), body: '{"text": "x",\n {% if x %} }' };
  assert.match(messageOf(broken), /^must be JSON, with placeholders inside of strings only: .*position/);
  assert.match(messageOf({ ...slackBlocks({}), body: '[]' }), /must be a JSON object/);
  assert.match(messageOf(webhook({ '{{ event.kind }}': 1 })), /placeholders stand in values/);
  assert.match(messageOf({ ...webhook({}), body: `${'{"a":'.repeat(40)}1${'}'.repeat(40)}` }), /nests deeper/);
});

test('a body beyond 256 KB, in bytes, is refused', () => {
  assert.deepEqual(errorsOf(plainMail('ä'.repeat(128 * 1024))), []);
  assert.deepEqual(errorsOf(plainMail(`${'ä'.repeat(128 * 1024)}x`)), ['body VAL_TOO_LONG']);
});

test('MJML is compiled, and its mistakes are reported', () => {
  assert.deepEqual(errorsOf(htmlMail('<mjml><mj-body><mj-text>x</mj-text></mj-body></mjml>')), []);
  for (const body of ['<mjml><mj-body><mj-text>x</mj-body></mjml>', '<mjml><mj-body><mj-nope /></mj-body></mjml>'])
    assert.deepEqual(errorsOf(htmlMail(body)), ['body VAL_INVALID_FORMAT'], body);
  assert.ok(errorsOf(htmlMail('<mjml><mj-body><mj-include path="/etc/passwd" /></mj-body></mjml>')).length > 0);
});

test('HTML in which a value could become markup is refused', () => {
  const refused = [
    '<script>x</script>',
    '<p onclick="x">',
    '<a href="javascript:x">',
    '<a href="{{ event.payload.url }}">',
    "<img src='{{event.payload.url}}'>",
    '<p title={{ event.kind }}>',
    '<style>a { color: {{ event.kind }} }</style>',
    '<p style="color: {{ event.kind }}">',
    '<!-- {{ event.kind }} -->',
    '<iframe src="x">',
  ];
  for (const body of refused)
    assert.deepEqual([...new Set(errorsOf(htmlMail(body)))], ['body VAL_INVALID_VALUE'], body);
  const fine =
    '<a href="{{ links.self }}" title="{{ event.kind }}">{{ event.kind }}</a><a href="{{ event.payload.u | address }}">x</a>';
  assert.deepEqual(errorsOf(htmlMail(fine)), []);
});

test('a template that is over a limit without any value is refused', () => {
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
  const many = slackBlocks({ text: 'x', blocks: Array.from({ length: 51 }, () => section('x')) });
  assert.match(messageOf(many), /^has 51 blocks; at most 50 are allowed/);
  assert.match(
    messageOf(slackBlocks({ text: 'x', blocks: [section('x'.repeat(3_001))] })),
    /3001 characters of a section/,
  );
  assert.deepEqual(errorsOf(slackBlocks({ text: 'x', blocks: [section(`{{ event.kind }}${'x'.repeat(3_000)}`)] })), []);
  const body = [{ type: 'TextBlock', text: 'x'.repeat(28 * 1024) }];
  assert.match(messageOf(card({ type: 'AdaptiveCard', version: '1.5', body })), /at most 28672/);
  assert.match(messageOf(webhook({ a: 'x'.repeat(20_000) })), /bytes; at most 18432/);
});

test('a card of another type or of a version that Teams does not show is refused', () => {
  assert.match(messageOf(card({ type: 'MessageCard', version: '1.5', body: [] })), /its type is AdaptiveCard/);
  assert.match(messageOf(card({ type: 'AdaptiveCard', version: '1.6', body: [] })), /version up to 1.5/);
});

test('a placeholder that is named twice is refused; undeclared and unused ones are warned about', () => {
  const placeholder = (name: string) => ({ name, description: 'x' });
  const twice = document({ placeholders: [placeholder('event.kind'), placeholder('event.kind')] });
  assert.deepEqual(errorsOf(twice), ['placeholders.1.name VAL_INVALID_VALUE']);
  const body =
    '{{ event.payload.a }} {{ event.attributes.b }} {{ product }} {% for m in group.members %}{{ m.kind }}{% endfor %}';
  const { errors, warnings } = checkTemplate(
    document({ body, placeholders: [placeholder('event.payload'), placeholder('event.payloads.c')] }),
  );
  assert.deepEqual(errors, []);
  assert.deepEqual(
    warnings.map(({ code, message }) => `${code} ${message.split(',')[0]}`),
    [
      'undeclared_placeholder do not declare event.attributes.b',
      'unknown_variable uses product',
      'unused_placeholder declare event.payloads.c',
    ],
  );
});

test('a mail without a subject and blocks without a text are warned about', () => {
  const codes = (input: unknown) => checkTemplate(input).warnings.map(({ code }) => code);
  assert.deepEqual(codes(without(plainMail('x'), 'subject')), ['no_subject']);
  assert.deepEqual(codes(slackBlocks({ blocks: [] })), ['no_text']);
});

test('hostile bodies of the greatest size are answered', () => {
  const fill = (unit: string) => unit.repeat(Math.floor((256 * 1024) / unit.length));
  const units = [
    '{{',
    '{% ',
    '<',
    '<!--',
    '<style',
    '<style>',
    '<a href="',
    ' ',
    'data:',
    '<p on',
    '&',
    '{{x}}',
    '<a>',
    '= ',
    '{{DATE(',
  ];
  for (const unit of units) {
    assert.ok(checkTemplate(htmlMail(fill(unit))));
    assert.ok(checkTemplate(htmlMail(`<mjml>${fill(unit).slice(0, -20)}`)));
    assert.ok(checkTemplate(plainMail(fill(unit))));
    assert.ok(
      checkTemplate(card({ type: 'AdaptiveCard', version: '1.5', body: [{ type: 'TextBlock', text: fill(unit) }] })),
    );
  }
});

test('more than 500 placeholders are refused', () => {
  const placeholders = Array.from({ length: 501 }, (_, index) => ({
    name: `event.payload.a${index}`,
    description: '',
  }));
  assert.deepEqual(errorsOf(document({ placeholders })), ['placeholders VAL_TOO_LONG']);
});

test('names that no index holds are refused', () => {
  const names = { templateId: `api-deprecation-${'a'.repeat(200)}`, locale: `en-x-${'a1-'.repeat(20)}b` };
  const { errors } = checkTemplate(deprecation(names));
  assert.deepEqual(
    errors.map(({ field, code }) => [field, code]),
    [
      ['templateId', 'VAL_TOO_LONG'],
      ['locale', 'VAL_TOO_LONG'],
    ],
  );
});

test('half a character by its number stays as it is written', () => {
  const { compiled } = checkTemplate(htmlMail('<p>a&#xD800;b</p>'));
  assert.match(compiled?.text ?? '', /a&#xD800;b/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTickets, patternProblem, templateProblem, ticketUrl } from './tickets.ts';

const template = 'https://tickets.example/browse/{key}';
const commit = (id: string, message: string) => ({ id, message, author: null, at: null, url: null });
const repository = (...commits: ReturnType<typeof commit>[]) => ({
  commits,
  state: 'added' as const,
  total: commits.length,
});

test('tickets are found in every message, once each, with the commits that name them', () => {
  const repositories = [
    repository(commit('c1', 'SHOP-1: pay by card\n\nSee SHOP-2 and SHOP-1.'), commit('c2', 'Revert SHOP-2')),
    repository(commit('c3', 'chore: nothing')),
  ];
  const rules = [
    { pattern: 'SHOP-\\d+', linkTemplate: template },
    { pattern: '#(\\d+)', linkTemplate: 'https://forge.example/issues/{key}' },
  ];
  assert.deepEqual(findTickets(repositories, rules), {
    tickets: [
      { key: 'SHOP-1', url: 'https://tickets.example/browse/SHOP-1', commits: ['c1'] },
      { key: 'SHOP-2', url: 'https://tickets.example/browse/SHOP-2', commits: ['c1', 'c2'] },
    ],
    isComplete: true,
  });
});

test('what a message says never leaves the address of the template', () => {
  for (const key of ['../../admin', '//evil.example', '?a=b#c', 'javascript:alert(1)', '"><script>', '@evil.example'])
    assert.match(ticketUrl(template, key), /^https:\/\/tickets\.example\/browse\/[^/?#"<>]+$/);
  const { tickets } = findTickets(
    [repository(commit('c', 'see [<img src=x onerror=alert(1)>]'))],
    [{ pattern: '\\[(.+)\\]', linkTemplate: template }],
  );
  assert.equal(tickets[0]?.key, '<img src=x onerror=alert(1)>', 'a message stays text');
  assert.equal(new URL(tickets[0]?.url ?? '').host, 'tickets.example');
});

test('a long key is cut between characters, and half a character has an address', () => {
  const long = `${'a'.repeat(99)}😀${'b'.repeat(200)}`;
  const rules = [{ pattern: '\\[(.+)\\]', linkTemplate: template }];
  const { tickets } = findTickets([repository(commit('c1', `[${long}]`), commit('c2', '[\ud83d]'))], rules);
  assert.deepEqual(
    tickets.map(({ key }) => key),
    [`${'a'.repeat(99)}😀`, '\ufffd'],
  );
  assert.equal(ticketUrl(template, '\ud83d'), 'https://tickets.example/browse/%EF%BF%BD');
});

test('a key of one or two dots, which would climb out of the path, is no ticket', () => {
  const rules = [{ pattern: '\\[(.+)\\]', linkTemplate: template }];
  const { tickets, isComplete } = findTickets([repository(commit('c', '[.]\n[..]\n[...]\n[%2e%2E]'))], rules);
  assert.deepEqual(
    tickets.map(({ url }) => new URL(url).pathname),
    ['/browse/...', '/browse/%252e%252E'],
  );
  assert.equal(isComplete, true);
});

test('a link template that a URL parser would rewrite is refused', () => {
  for (const wrong of ['\\', '\t', '\n', ' ', '\u00a0', '\0', '\u007f', '\ud83d'])
    assert.match(templateProblem(`https://tickets.example/${wrong}browse/{key}`) ?? '', /no backslash/);
  assert.match(templateProblem('\thttps://tickets.example/{key}') ?? '', /no backslash/);
  for (const wrong of ['https:tickets.example/{key}', 'https:/tickets.example/{key}', 'https:///tickets.example/{key}'])
    assert.match(templateProblem(wrong) ?? '', /https address/, wrong);
});

test('a link template is an https address with its key after the host', () => {
  assert.equal(templateProblem(template), undefined);
  const wrong = [
    'https://tickets.example/',
    'http://tickets.example/{key}',
    'https://{key}.example/',
    'https://u:p@t.example/{key}',
    'javascript:{key}',
    '{key}',
  ];
  for (const each of wrong) assert.ok(templateProblem(each), each);
  assert.match(patternProblem('(a') ?? '', /missing closing \)/);
});

test('a saved rule whose pattern is no longer accepted is left out, and the tickets are not complete', () => {
  const rules = [
    { pattern: '(?=SHOP)\\w+', linkTemplate: template },
    { pattern: 'SHOP-\\d+', linkTemplate: template },
  ];
  const { tickets, isComplete } = findTickets([repository(commit('c1', 'SHOP-1: pay by card'))], rules);
  assert.deepEqual(
    tickets.map(({ key }) => key),
    ['SHOP-1'],
  );
  assert.equal(isComplete, false);
});

test('unknown commits, commits that were left out and searches that end early are not complete', () => {
  const rules = [{ pattern: '(?:a+)+b', linkTemplate: template }];
  const known = repository(commit('c', 'ab'));
  assert.equal(findTickets([known], rules).isComplete, true);
  assert.equal(findTickets([{ ...known, state: 'unknown' }], rules).isComplete, false);
  assert.equal(findTickets([{ ...known, total: 2 }], rules).isComplete, false);
  const many = repository(...Array.from({ length: 250 }, (_, index) => commit(`c${index}`, 'a'.repeat(10_000))));
  assert.equal(findTickets([many, many], rules).isComplete, false);
});

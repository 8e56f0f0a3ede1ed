import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResourceIndicators } from './resource-indicators.ts';

const { allowsResource, resourcesOf, audienceOf } = createResourceIndicators({
  audience: 'landfall',
  baseUrl: 'https://landfall.example',
});
const client = { resources: ['https://scans.example/api', 'urn:example:evidence'] };
const invalid = { code: 'invalid_target' };

test('the platform is everybody’s target and means its audience, with a slash or without', () => {
  for (const url of ['https://landfall.example', 'https://landfall.example/']) {
    assert.equal(allowsResource({ resources: [] }, url), true);
    assert.equal(audienceOf([url]), 'landfall');
  }
  assert.equal(audienceOf([]), 'landfall');
});

test('one target is a text, several are a list', () => {
  assert.equal(audienceOf(['urn:example:evidence']), 'urn:example:evidence');
  assert.deepEqual(audienceOf(['https://landfall.example', 'urn:example:evidence', 'https://landfall.example/']), [
    'landfall',
    'urn:example:evidence',
  ]);
});

test('what is no absolute address without a fragment, or not the client’s, is refused', () => {
  const hostile = [
    '',
    '/path',
    'scans.example',
    'https://scans.example/api#x',
    'https://other.example',
    'https://scans.example/api/../',
  ];
  for (const resource of [
    ...hostile,
    `https://${'a'.repeat(3_000)}.example`,
    'https://scans.example/api x',
    'javascript:\u0000',
  ])
    assert.throws(() => resourcesOf(client, [resource]), invalid, resource.slice(0, 40));
  assert.throws(
    () =>
      resourcesOf(
        client,
        Array.from({ length: 21 }, (_, i) => `urn:example:${i}`),
      ),
    invalid,
  );
});

test('a later request asks for some of what was granted, and without a word for all of it', () => {
  const [scans = '', evidence = ''] = client.resources;
  assert.deepEqual(resourcesOf(client, [], [scans, evidence]), [scans, evidence]);
  assert.deepEqual(resourcesOf(client, [scans], [scans, evidence]), [scans]);
  assert.throws(() => resourcesOf(client, [evidence], [scans]), invalid);
  assert.throws(() => resourcesOf(client, [scans], []), invalid, 'nothing granted is the platform alone');
  assert.deepEqual(resourcesOf(client, ['https://landfall.example'], []), ['https://landfall.example']);
});

test('as many resources as make a token too long to be read are refused, by their sum', () => {
  const long = (length: number, n: number) => `urn:example:${String(n)}`.padEnd(length, 'x');
  assert.throws(() => audienceOf([long(1_001, 1), long(1_000, 2)]), invalid);
  assert.throws(() => audienceOf(Array.from({ length: 20 }, (_, n) => long(101, n))), invalid);
  assert.equal(audienceOf([long(1_000, 1), long(1_000, 2)]).length, 2);
});

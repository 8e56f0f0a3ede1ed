import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseChallenge, tokenUrl } from './challenge.ts';

test('a bearer challenge says where to ask for what', () => {
  const challenge = parseChallenge(
    'Bearer realm="https://auth.example/token",service="registry.example",scope="repository:shop/web:pull"',
  );
  assert.equal(challenge.scheme, 'bearer');
  assert.equal(
    tokenUrl(challenge, 'repository:other:pull'),
    'https://auth.example/token?service=registry.example&scope=repository%3Ashop%2Fweb%3Apull',
  );
});

test('names and schemes are read in any case, values also without quotes', () => {
  const challenge = parseChallenge('BEARER Realm=https://auth.example/token?x=1, Service="a"');
  assert.equal(
    tokenUrl(challenge, 'repository:web:pull'),
    'https://auth.example/token?x=1&service=a&scope=repository%3Aweb%3Apull',
  );
});

test('a challenge without an address leads nowhere', () => {
  assert.equal(tokenUrl(parseChallenge('Bearer service="a"'), undefined), undefined);
  assert.equal(tokenUrl(parseChallenge('Bearer realm="not an address"'), undefined), undefined);
  assert.equal(parseChallenge('Basic realm="x"').scheme, 'basic');
  assert.equal(parseChallenge('').scheme, '');
});

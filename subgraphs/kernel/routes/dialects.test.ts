import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, invalid } from '../core/fault.ts';
import { deprecationHeaders } from './deprecation.ts';
import { envelope } from './dialects/envelope.ts';
import { oauth } from './dialects/oauth.ts';
import { plain } from './dialects/plain.ts';
import { problem } from './dialects/problem.ts';
import { scim } from './dialects/scim.ts';
import type { Dialect } from './route.ts';

const now = new Date('2026-01-15T09:00:00.000Z');

/** Answer as sent over the network. */
const bytes = (dialect: Dialect, fault: Fault): string => {
  const { status, headers = {}, body } = dialect.answer(fault, 'req-1', now);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [String(status), ...lines, '', String(body)].join('\n');
};

const missing = new Fault('RES_RELEASE_NOT_FOUND', 'No release x.');
const wrong = invalid([
  { field: 'name', message: 'is required', code: 'VAL_REQUIRED_FIELD' },
  { field: 'items.0', message: 'must be string', code: 'VAL_SCHEMA_MISMATCH' },
]);
const unavailable = new Fault('SYS_SERVICE_UNAVAILABLE', 'Try again.');
const limited = new Fault('SYS_OVERLOADED', 'Try again.', { retryAfter: 30 });
const denied = new Fault('PERM_SCOPE_DENIED', 'Missing required scope: search:read', { anyOf: ['search:read'] });

// spec: 2.11/envelope, 2.11/validation-errors, 2.11/optional-parts
test('envelope: success false, the error, the request (spec 2.11)', () => {
  assert.equal(
    bytes(envelope, missing),
    `404
content-type: application/json; charset=utf-8

{"success":false,"error":{"code":"RES_RELEASE_NOT_FOUND","message":"No release x."},"meta":{"requestId":"req-1","timestamp":"2026-01-15T09:00:00.000Z"}}`,
  );
  assert.equal(
    bytes(envelope, wrong),
    `400
content-type: application/json; charset=utf-8

{"success":false,"error":{"code":"VAL_REQUIRED_FIELD","message":"is required","validationErrors":[{"field":"name","message":"is required","code":"VAL_REQUIRED_FIELD"},{"field":"items.0","message":"must be string","code":"VAL_SCHEMA_MISMATCH"}]},"meta":{"requestId":"req-1","timestamp":"2026-01-15T09:00:00.000Z"}}`,
  );
  assert.equal(
    bytes(envelope, denied),
    `403
content-type: application/json; charset=utf-8
www-authenticate: Bearer realm="landfall", error="insufficient_scope", error_description="Missing required scope: search:read", scope="search:read"

{"success":false,"error":{"code":"PERM_SCOPE_DENIED","message":"Missing required scope: search:read","details":{"anyOf":["search:read"]}},"meta":{"requestId":"req-1","timestamp":"2026-01-15T09:00:00.000Z"}}`,
  );
});

test('a system fault that passes by itself says when to ask again', () => {
  assert.match(bytes(envelope, unavailable), /^500\ncontent-type: [^\n]+\nretry-after: 5\n/);
  for (const dialect of [envelope, oauth, problem, plain])
    assert.match(bytes(dialect, limited), /\nretry-after: 30\n/, dialect.name);
  for (const dialect of [envelope, oauth, problem, plain])
    assert.doesNotMatch(bytes(dialect, missing), /retry-after/, dialect.name);
});

test('oauth: an error of RFC 6749 5.2 and its description, never cached', () => {
  assert.equal(
    bytes(oauth, wrong),
    `400
content-type: application/json; charset=utf-8
cache-control: no-store

{"error":"invalid_request","error_description":"is required"}`,
  );
  assert.equal(
    bytes(oauth, new Fault('AUTH_TOKEN_INVALID', 'Unknown client.')),
    `401
content-type: application/json; charset=utf-8
cache-control: no-store
www-authenticate: Basic realm="landfall"

{"error":"invalid_client","error_description":"Unknown client."}`,
  );
  assert.match(bytes(oauth, new Fault('introspection_denied', 'No.')), /^401\n[\s\S]*\{"error":"unauthorized_client"/);
  assert.match(bytes(oauth, unavailable), /^500\n[\s\S]*\{"error":"server_error"/);
  assert.match(
    bytes(oauth, new Fault('invalid_grant', 'Used.')),
    /\{"error":"invalid_grant","error_description":"Used\."\}$/,
  );
});

const BOTH = 'Bearer realm="landfall", DPoP algs="ES256 ES384 EdDSA Ed25519 PS256 RS256"';

test('a refused token is challenged in every family: without an error where none came, for a proof where it is bound', () => {
  const cases: readonly [Fault, string][] = [
    [new Fault('AUTH_TOKEN_MISSING', 'No token.'), BOTH],
    [
      new Fault('AUTH_TOKEN_INVALID', 'Not “ours”.'),
      'Bearer realm="landfall", error="invalid_token", error_description="Not ?ours?."',
    ],
    [
      new Fault('AUTH_TOKEN_EXPIRED', 'Old.'),
      'Bearer realm="landfall", error="invalid_token", error_description="Old."',
    ],
    [
      new Fault('AUTH_TOKEN_REVOKED', 'Gone.', { binding: 'dpop' }),
      'DPoP realm="landfall", error="invalid_token", error_description="Gone.", algs="ES256 ES384 EdDSA Ed25519 PS256 RS256"',
    ],
    [
      denied,
      'Bearer realm="landfall", error="insufficient_scope", error_description="Missing required scope: search:read", scope="search:read"',
    ],
  ];
  for (const [fault, expected] of cases)
    for (const dialect of [envelope, problem, plain, scim])
      assert.equal(
        dialect.answer(fault, 'req-1', now).headers?.['www-authenticate'],
        expected,
        `${dialect.name} ${fault.code}`,
      );
  for (const dialect of [envelope, problem, plain])
    assert.equal(dialect.answer(missing, 'req-1', now).headers?.['www-authenticate'], undefined, dialect.name);
});

test('problem: RFC 9457', () => {
  assert.equal(
    bytes(problem, missing),
    `404
content-type: application/problem+json

{"type":"about:blank","title":"Not Found","status":404,"detail":"No release x.","code":"RES_RELEASE_NOT_FOUND","requestId":"req-1"}`,
  );
  assert.match(
    bytes(problem, wrong),
    /"errors":\[\{"field":"name","message":"is required","code":"VAL_REQUIRED_FIELD"\},\{"field":"items\.0","message":"must be string","code":"VAL_SCHEMA_MISMATCH"\}\]\}$/,
  );
});

test('plain: exactly one member', () => {
  assert.equal(
    bytes(plain, missing),
    `404
content-type: application/json; charset=utf-8

{"error":"RES_RELEASE_NOT_FOUND"}`,
  );
  assert.match(bytes(plain, denied), /\n\{"error":"Missing required scope: search:read"\}$/);
});

test('a retired route says so in four headers, one that is not in none', () => {
  assert.deepEqual(deprecationHeaders({}), {});
  assert.deepEqual(deprecationHeaders({ sunset: 'Thu, 30 Apr 2026 00:00:00 GMT', successor: '/v2/things' }), {
    deprecation: 'true',
    sunset: 'Thu, 30 Apr 2026 00:00:00 GMT',
    link: '</v2/things>; rel="successor-version"',
    warning: '299 - "Deprecated API: use /v2/things"',
  });
  assert.deepEqual(deprecationHeaders({ sunset: '2026-05-01' }), { deprecation: 'true', sunset: '2026-05-01' });
});

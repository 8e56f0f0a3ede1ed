import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { formatTotpSecret, isTotpCode, newTotpSecret, stepOfCode, totpUri } from './totp.ts';

/** The secret and the SHA-1 codes of RFC 6238, appendix B, in six digits. */
const RFC_SECRET = Buffer.from('12345678901234567890');
const RFC_CODES: readonly (readonly [seconds: number, code: string])[] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
];

test('codes are those of RFC 6238, and tell their step', () => {
  for (const [seconds, code] of RFC_CODES)
    assert.equal(stepOfCode(RFC_SECRET, code, new Date(seconds * 1000)), Math.floor(seconds / 30), code);
});

test('the code before and the one after fit, and no others', () => {
  const [, code] = RFC_CODES[1] ?? [0, ''];
  const step = Math.floor(1_111_111_109 / 30);
  const at = (steps: number) => stepOfCode(RFC_SECRET, code, new Date((step + steps) * 30_000));
  assert.deepEqual([-2, -1, 0, 1, 2].map(at), [undefined, step, step, step, undefined]);
});

test('six digits are a code however they are spaced, and nothing else is', () => {
  assert.deepEqual(['287082', ' 287 082 '].map(isTotpCode), [true, true]);
  assert.deepEqual(['28708', '2870822', '28708a', '', '٢٨٧٠٨٢'].map(isTotpCode), [false, false, false, false, false]);
  assert.equal(stepOfCode(RFC_SECRET, '287 082', new Date(59_000)), 1);
});

test('the address that apps read says what they assume anyway', () => {
  const secret = newTotpSecret();
  assert.equal(secret.length, 20);
  const uri = new URL(totpUri(secret, 'ada@example.com'));
  assert.equal(uri.protocol, 'otpauth:');
  assert.equal(decodeURIComponent(uri.pathname), '/Landfall:ada@example.com');
  assert.deepEqual(Object.fromEntries(uri.searchParams), {
    issuer: 'Landfall',
    secret: formatTotpSecret(secret).replaceAll(' ', ''),
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});

test('recovery codes are ten, all different, and read however they are typed', () => {
  const codes = newRecoveryCodes();
  assert.equal(new Set(codes).size, 10);
  for (const code of codes) {
    assert.match(code, /^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
    const typed = ` ${code.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l')} `;
    assert.deepEqual(hashOfRecoveryCode(typed), hashOfRecoveryCode(code));
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRedirectUri } from './redirect-uris.ts';

test('https anywhere and http on loopback are addresses to send people back to', () => {
  for (const uri of ['https://app.example/cb?x=1', 'http://127.0.0.1:4000/cb', 'http://[::1]/', 'http://localhost:1/'])
    assert.equal(isRedirectUri(uri), true, uri);
});

test('anything that could leak a code is not', () => {
  for (const uri of [
    '',
    '/callback',
    'http://app.example/cb',
    'http://127.0.0.1.evil.example/',
    'https://*.example/',
    'https://app.example/#fragment',
    'https://user@app.example/',
    'https://user:word@app.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'app.example://cb',
  ])
    assert.equal(isRedirectUri(uri), false, uri);
});

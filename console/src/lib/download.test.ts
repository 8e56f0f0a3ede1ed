import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csv, fileName } from './download.ts';

test('rows end in CRLF, and cells with commas, quotes or line ends are quoted', () => {
  assert.equal(csv(['a', 'b'], [['x,y', 'say "hi"\nbye']]), 'a,b\r\n"x,y","say ""hi""\nbye"\r\n');
});

test('a cell that a spreadsheet would run is text', () => {
  assert.equal(csv(['a'], [['=1+1'], ['@x'], ['-2']]), "a\r\n'=1+1\r\n'@x\r\n'-2\r\n");
});

test('a file keeps the name that the server gives it, and no path', () => {
  assert.equal(fileName('attachment; filename="custody-shop-1.0.0.tar"'), 'custody-shop-1.0.0.tar');
  assert.equal(fileName('attachment; filename=trust.json'), 'trust.json');
  assert.equal(fileName('attachment; filename="../etc/passwd"'), undefined);
  assert.equal(fileName(null), undefined);
});

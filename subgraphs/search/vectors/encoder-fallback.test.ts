import assert from 'node:assert/strict';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Encoder } from './encoder.ts';
import { createFallbackEncoder, type FallbackOptions } from './encoder-fallback.ts';
import { hashEncoder } from './hash-encoder.ts';
import { modelDirectory } from './testing/onnx-model.ts';

const cosine = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  a && b ? a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0) : Number.NaN;

const open = (options: Partial<FallbackOptions>) =>
  createFallbackEncoder({ encoder: 'hash', limitMs: 60_000, ...options });

const failing: Encoder = { dimensions: 256, encode: async () => Promise.reject(new Error('broken')) };

// spec: 2.8/legacy-diagnostics
test('hash: feature hashing is asked for and works; a word misspelt is nearer than another word', async () => {
  const encoding = await open({});
  assert.equal(encoding.active(), 'hash');
  const [right, wrong, other] = (await encoding.encode(['prototype pollution', 'protoytpe polution', 'secrets'])) ?? [];
  assert.ok(cosine(right, wrong) > 0.4 && cosine(right, wrong) > cosine(right, other) + 0.3);
});

test('a hashed vector has the length one, or is nothing; the same text has the same one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      const [one, repeated] = await hashEncoder.encode([text, text]);
      assert.deepEqual(one, repeated);
      const length = Math.hypot(...(one ?? []));
      assert.ok(Math.abs(length - 1) < 1e-5 || !/[\p{L}\p{N}]/u.test(text.normalize('NFKC')) || length === 0);
    }),
  );
});

test('onnx: the model is really run; words of one meaning are near, whatever their letters', async () => {
  await using model = await modelDirectory();
  const encoding = await open({ encoder: 'onnx', modelPath: model.modelPath });
  assert.equal(encoding.reason(), undefined);
  assert.equal(encoding.active(), 'onnx');
  assert.equal(encoding.dimensions(), 5);
  const vectors = await encoding.encode(['Prototype pollution', 'object injection!', 'denial of service', 'it hangs']);
  const [pollution, injection, denial, hangs] = vectors ?? [];
  assert.ok(cosine(pollution, injection) > 0.99);
  assert.ok(cosine(denial, hangs) > 0.9);
  assert.ok(cosine(pollution, denial) < 0.2);
});

test('onnx: a batch gives each text the vector that it has alone', async () => {
  await using model = await modelDirectory();
  const encoding = await open({ encoder: 'onnx', modelPath: model.modelPath });
  const texts = ['path', 'path traversal in a directory that nobody knows', '', 'secret leak'];
  const together = (await encoding.encode(texts)) ?? [];
  for (const [at, text] of texts.entries()) {
    const [alone] = (await encoding.encode([text])) ?? [];
    assert.ok(Math.abs(cosine(alone, together[at]) - 1) < 1e-5, text);
  }
});

test('onnx-fallback: without a model, with a broken one or without its vocabulary, hashing stands in and says why', async () => {
  await using model = await modelDirectory();
  const expect = async (reason: RegExp, modelPath: string | undefined) => {
    const encoding = await open({ encoder: 'onnx', modelPath });
    assert.equal(encoding.active(), 'onnx-fallback');
    assert.match(encoding.reason() ?? '', reason);
    assert.equal((await encoding.encode(['it works']))?.length, 1);
    assert.equal(encoding.dimensions(), hashEncoder.dimensions);
  };
  await expect(/no model is set/, undefined);
  await expect(/./, join(model.directory, 'absent.onnx'));
  await truncate(model.modelPath, 40);
  await expect(/./, model.modelPath);
  await writeFile(join(model.directory, 'vocab.txt'), 'one\ntwo\n');
  await expect(/the vocabulary has no \[CLS\]/, model.modelPath);
  await rm(join(model.directory, 'vocab.txt'));
  await expect(/ENOENT/, model.modelPath);
});

test('hash-fallback: where hashing fails too, nothing makes vectors, and nobody is thrown at', async () => {
  const encoding = await open({ hash: failing });
  assert.equal(encoding.active(), 'hash-fallback');
  assert.equal(await encoding.encode(['anything']), undefined);
  const model = await open({ encoder: 'onnx', hash: failing });
  assert.equal(model.active(), 'hash-fallback');
});

test('an encoder that fails later, gives no numbers or hangs is left; its vectors are of another generation', async () => {
  let answer: Encoder['encode'] = hashEncoder.encode;
  const encoding = await open({ hash: { dimensions: 256, encode: (texts) => answer(texts) }, limitMs: 50 });
  assert.equal(encoding.active(), 'hash');
  const before = encoding.generation();
  answer = async () => [new Float32Array(256).fill(Number.NaN)];
  assert.equal(await encoding.encode(['x']), undefined);
  assert.equal(encoding.active(), 'hash-fallback');
  assert.notEqual(encoding.generation(), before);

  const hanging = await open({ hash: { dimensions: 256, encode: () => new Promise(() => {}) }, limitMs: 10 });
  assert.equal(hanging.active(), 'hash-fallback');
  assert.match(hanging.reason() ?? '', /more than 10 ms/);
});

/** Encoder stub whose behaviour a test can switch. */
const flaky = async () => {
  const mood: { encode: Encoder['encode']; time: number } = { encode: hashEncoder.encode, time: 0 };
  const model: Encoder = { dimensions: 256, encode: (texts) => mood.encode(texts) };
  const encoding = await open({
    encoder: 'onnx',
    modelPath: 'm',
    open: async () => model,
    now: () => mood.time,
    limitMs: 20,
  });
  return { mood, encoding };
};

const never: Encoder['encode'] = () => new Promise(() => {});

test('a model that is slow once stays; after three times in a row hashing stands in, and it is tried again in a minute', async () => {
  const { mood, encoding } = await flaky();
  mood.encode = never;
  for (let times = 0; times < 2; times++) assert.equal(await encoding.encode(['a', 'b']), undefined);
  mood.encode = hashEncoder.encode;
  assert.equal((await encoding.encode(['a', 'b']))?.length, 2);
  assert.deepEqual([encoding.active(), encoding.generation()], ['onnx', 1]);

  mood.encode = never;
  for (let times = 0; times < 2; times++) assert.equal(await encoding.encode(['a']), undefined);
  assert.equal((await encoding.encode(['a']))?.length, 1);
  assert.deepEqual([encoding.active(), encoding.generation()], ['onnx-fallback', 2]);
  mood.encode = hashEncoder.encode;
  mood.time += 59_999;
  await encoding.encode(['a']);
  assert.equal(encoding.active(), 'onnx-fallback');
  mood.time += 1;
  await encoding.encode(['a']);
  assert.deepEqual([encoding.active(), encoding.generation(), encoding.reason()], ['onnx', 3, undefined]);
});

test('a text that makes a model fail has no vector; the others of its batch have theirs, and the model stays', async () => {
  const { mood, encoding } = await flaky();
  mood.encode = async (texts) => {
    if (texts.includes('poison')) throw new Error('it cannot be read');
    return hashEncoder.encode(texts);
  };
  for (let times = 0; times < 5; times++) {
    const [one, poison, other] = (await encoding.encode(['one', 'poison', 'other'])) ?? [];
    assert.ok(one?.some((value) => value !== 0) && other?.some((value) => value !== 0));
    assert.ok(poison?.every((value) => value === 0));
  }
  assert.equal(encoding.active(), 'onnx');
});

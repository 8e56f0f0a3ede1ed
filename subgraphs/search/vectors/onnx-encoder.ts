import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Encoder, normalised } from './encoder.ts';
import { createTokenizer, type Tokenizer } from './wordpiece.ts';

const MAX_TOKENS = 256;

interface Batch {
  readonly rows: number;
  readonly length: number;
  readonly ids: BigInt64Array;
  readonly mask: BigInt64Array;
}

/** Texts of several lengths as one rectangle of numbers. */
const batchOf = (tokens: readonly (readonly number[])[], padding: number): Batch => {
  const length = Math.max(...tokens.map((each) => each.length));
  const ids = new BigInt64Array(tokens.length * length).fill(BigInt(padding));
  const mask = new BigInt64Array(tokens.length * length);
  tokens.forEach((each, row) => {
    each.forEach((token, index) => {
      ids[row * length + index] = BigInt(token);
      mask[row * length + index] = 1n;
    });
  });
  return { rows: tokens.length, length, ids, mask };
};

/** The mean of the vectors of a text's own tokens. */
const pooled = (data: Float32Array, { length, mask }: Batch, row: number, dimensions: number): Float32Array => {
  const sum = new Float32Array(dimensions);
  let count = 0;
  for (let index = 0; index < length; index++) {
    if (mask[row * length + index] !== 1n) continue;
    count += 1;
    const from = (row * length + index) * dimensions;
    for (let d = 0; d < dimensions; d++) sum[d] = (sum[d] ?? 0) + (data[from + d] ?? 0);
  }
  return normalised(sum.map((value) => value / count));
};

interface Output {
  readonly data: unknown;
  readonly dims: readonly number[];
}

/** Extracts one vector per text, for models that return token vectors and for models that pool. */
const vectorsOf = ({ data, dims }: Output, batch: Batch): Float32Array[] => {
  const dimensions = dims.at(-1) ?? 0;
  const isPooled = dims.length === 2;
  const expected = batch.rows * (isPooled ? 1 : batch.length) * dimensions;
  if (!(data instanceof Float32Array) || dims[0] !== batch.rows || dimensions === 0 || data.length !== expected)
    throw new Error(`the model’s answer has the shape [${dims.join(', ')}]`);
  return Array.from({ length: batch.rows }, (_, row) =>
    isPooled ? normalised(data.slice(row * dimensions, (row + 1) * dimensions)) : pooled(data, batch, row, dimensions),
  );
};

/** The package is the operator's to install (docs): it is asked for only where a model is set. */
const loadRuntime = () => import('onnxruntime-node');

const createSession = async (modelPath: string, tokenizer: Tokenizer) => {
  const { InferenceSession, Tensor } = await loadRuntime();
  const session = await InferenceSession.create(modelPath, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  const known = new Set(['input_ids', 'attention_mask', 'token_type_ids']);
  const unknown = session.inputNames.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`the model wants ${unknown.join(', ')}`);
  return async (texts: readonly string[]): Promise<Float32Array[]> => {
    const batch = batchOf(
      texts.map((text) => tokenizer.encode(text, MAX_TOKENS)),
      tokenizer.padding,
    );
    const shape = [batch.rows, batch.length];
    const tensors: Readonly<Record<string, BigInt64Array>> = {
      input_ids: batch.ids,
      attention_mask: batch.mask,
      token_type_ids: new BigInt64Array(batch.ids.length),
    };
    const feeds = Object.fromEntries(
      session.inputNames.map((name) => [name, new Tensor('int64', tensors[name] ?? new BigInt64Array(0), shape)]),
    );
    const outputs = await session.run(feeds);
    const [first] = session.outputNames;
    const output = outputs.sentence_embedding ?? outputs.last_hidden_state ?? outputs[first ?? ''];
    if (!output) throw new Error('the model gives no answer');
    return vectorsOf(output, batch);
  };
};

/** Opens an ONNX sentence model with a BERT `vocab.txt` beside it. Throws if package or files are missing or broken. */
export const openOnnxEncoder = async (modelPath: string): Promise<Encoder> => {
  const tokenizer = createTokenizer(await readFile(join(dirname(modelPath), 'vocab.txt'), 'utf8'));
  const encode = await createSession(modelPath, tokenizer);
  const [probe] = await encode(['probe']);
  if (!probe) throw new Error('the model gives no vector');
  return { dimensions: probe.length, encode: async (texts) => (texts.length === 0 ? [] : encode(texts)) };
};

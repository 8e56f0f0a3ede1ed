import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A model in the ONNX format, written byte by byte (onnx.proto3): it gives each token the vector of its row in a table. */

const FLOAT = 1;
const INT64 = 7;
const IR_VERSION = 8;
const OPSET = 13;

const varint = (value: number): number[] => {
  const bytes: number[] = [];
  let remaining = value;
  for (; remaining > 0x7f; remaining = Math.floor(remaining / 0x80)) bytes.push((remaining % 0x80) | 0x80);
  return [...bytes, remaining];
};

type Field = readonly [number, number | string | Buffer];

/** A message of fields in their order: numbers as varints, texts and messages with their length. */
const message = (...fields: readonly Field[]): Buffer =>
  Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === 'number') return Buffer.from([...varint(number << 3), ...varint(value)]);
      const bytes = Buffer.from(value);
      return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
    }),
  );

const tensorType = (element: number, dimensions: readonly (string | number)[]): Buffer => {
  const shape = dimensions.map(
    (dimension): Field => [1, typeof dimension === 'number' ? message([1, dimension]) : message([2, dimension])],
  );
  return message([1, message([1, element], [2, message(...shape)])]);
};

const value = (name: string, type: Buffer): Buffer => message([1, name], [2, type]);

/** @param table a vector of one length for each token of the vocabulary */
const onnxModel = (table: readonly (readonly number[])[]): Buffer => {
  const width = table[0]?.length ?? 0;
  const weights = Buffer.from(Float32Array.from(table.flat()).buffer);
  const initializer = message([1, table.length], [1, width], [2, FLOAT], [8, 'table'], [9, weights]);
  const gather = message([1, 'table'], [1, 'input_ids'], [2, 'last_hidden_state'], [3, 'look'], [4, 'Gather']);
  const graph = message(
    [1, gather],
    [2, 'tiny'],
    [5, initializer],
    [11, value('input_ids', tensorType(INT64, ['batch', 'length']))],
    [11, value('attention_mask', tensorType(INT64, ['batch', 'length']))],
    [12, value('last_hidden_state', tensorType(FLOAT, ['batch', 'length', width]))],
  );
  return message([1, IR_VERSION], [8, message([1, ''], [2, OPSET])], [7, graph]);
};

/** Words of a small world: those of one line mean the same, and so have one direction. */
const MEANINGS = [
  ['[PAD]', '[UNK]', '[CLS]', '[SEP]'],
  ['prototype', 'pollution', 'inject', '##ion', 'object'],
  ['denial', 'service', 'hang', '##s', 'freeze'],
  ['leak', 'disclosure', 'secret', 'expose'],
  ['traversal', 'path', 'directory', 'escape'],
];

/** A directory with `model.onnx` and `vocab.txt`, in which words of one meaning are near each other. */
export const modelDirectory = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-onnx-'));
  const words = MEANINGS.flatMap((group, meaning) => group.map((word) => ({ word, meaning })));
  const table = words.map(({ meaning }) =>
    MEANINGS.map((_, index) => (index === meaning ? (meaning === 0 ? 0.05 : 1) : 0)),
  );
  const modelPath = join(directory, 'model.onnx');
  await writeFile(modelPath, onnxModel(table));
  await writeFile(join(directory, 'vocab.txt'), words.map(({ word }) => word).join('\n'));
  return {
    directory,
    modelPath,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
};

import type { JsonHandler } from './json-tokenizer.ts';
import type { ObjectShape, SbomRecord, Shape, TextShape } from './record-shape.ts';
import { refuseNul, SbomError, type SbomErrorReason, type SbomPosition } from './sbom-error.ts';

interface ObjectFrame {
  readonly shape: ObjectShape;
  readonly record: SbomRecord;
  key: string;
}

interface ListFrame {
  readonly items: Shape;
  readonly values: (string | SbomRecord)[];
  index: number;
}

// Limit of lists that are read as a whole; components and relations have limits of their own.
const MAX_ITEMS = 500_000;

type Frame = ObjectFrame | ListFrame;

const isObject = (frame: Frame): frame is ObjectFrame => 'record' in frame;

const article: Readonly<Record<Shape['kind'], string>> = {
  object: 'an object',
  list: 'a list',
  text: 'a text',
  stream: 'a text',
};

/** Builds the records of a shape from the tokens of a document, and refuses what the shape does not allow. */
export class RecordBuilder implements JsonHandler {
  readonly #root: Shape;
  readonly #line: () => number;
  readonly #frames: Frame[] = [];
  // Levels below a value that is not read.
  #skipped = 0;

  constructor(root: Shape, line: () => number) {
    this.#root = root;
    this.#line = line;
  }

  /** Shape of the next value; undefined if it is not read. */
  get expected(): Shape | undefined {
    if (this.#skipped > 0) return undefined;
    const frame = this.#frames.at(-1);
    if (frame === undefined) return this.#root;
    return isObject(frame) ? frame.shape.members.get(frame.key) : frame.items;
  }

  get position(): SbomPosition {
    const field = this.#frames
      .map((frame) => (isObject(frame) ? `.${frame.key}` : `[${frame.index}]`))
      .join('')
      .replace(/^\./, '');
    return { line: this.#line(), ...(field === '' ? {} : { field }) };
  }

  begin(kind: 'object' | 'list'): void {
    const shape = this.#next();
    if (shape === undefined) this.#skipped += 1;
    else if (shape.kind === 'list' && kind === 'list') this.#frames.push({ items: shape.items, values: [], index: -1 });
    else if (shape.kind === 'object' && kind === 'object') {
      this.#frames.push({ shape, record: {}, key: '' });
      shape.begin?.();
    } else throw this.#wrongType(shape, kind);
  }

  end(): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    if (isObject(frame)) this.#endObject(frame);
    else {
      this.#frames.pop();
      this.#attach(frame.values);
    }
  }

  key(name: string): void {
    const frame = this.#frames.at(-1);
    if (this.#skipped === 0 && frame && isObject(frame)) frame.key = name;
  }

  textMode(): 'none' | 'whole' | 'pieces' {
    const kind = this.expected?.kind;
    if (kind === undefined) return 'none';
    return kind === 'stream' ? 'pieces' : 'whole';
  }

  piece(text: string): void {
    const shape = this.expected;
    if (shape?.kind === 'stream') shape.piece(text);
  }

  text(value: string): void {
    const shape = this.#next();
    if (shape === undefined) return;
    if (shape.kind === 'stream') shape.end();
    else if (shape.kind === 'text') this.#attach(this.#checked(value, shape));
    else throw this.#wrongType(shape, 'text');
  }

  scalar(kind: 'number' | 'boolean' | 'null'): void {
    const shape = this.#next();
    // Generators write null for what they do not know.
    if (shape !== undefined && (kind !== 'null' || this.#frames.length === 0)) throw this.#wrongType(shape, kind);
  }

  refusal(reason: SbomErrorReason, message: string): SbomError {
    return new SbomError(reason, message, this.position);
  }

  #next(): Shape | undefined {
    if (this.#skipped > 0) return undefined;
    const frame = this.#frames.at(-1);
    if (frame && !isObject(frame)) frame.index += 1;
    return this.expected;
  }

  #wrongType(shape: Shape, kind: string): SbomError {
    return this.#frames.length === 0
      ? this.refusal('not_an_sbom', `The document is ${kind === 'list' ? 'a bare list' : `a bare ${kind}`}`)
      : this.refusal('wrong_type', `A value is of type ${kind} and must be ${article[shape.kind]}`);
  }

  #checked(value: string, { values, pattern }: TextShape): string {
    const text = value.trim();
    refuseNul(text, () => this.position);
    if (values?.has(text) === false || pattern?.test(text) === false)
      throw this.refusal('invalid_value', `${JSON.stringify(text.slice(0, 80))} is not allowed here`);
    return value;
  }

  #endObject({ shape, record }: ObjectFrame): void {
    const missing = shape.required?.find((name) => record[name] === undefined);
    const exclusive = shape.exclusive?.filter((name) => record[name] !== undefined) ?? [];
    this.#frames.pop();
    if (missing !== undefined) throw this.refusal('missing_field', `An object has no '${missing}'`);
    if (exclusive.length > 1) throw this.refusal('invalid_value', `An object has both ${exclusive.join(' and ')}`);
    if (shape.end === undefined) {
      this.#attach(record, shape.isRepeated);
      return;
    }
    try {
      shape.end(record);
    } catch (error) {
      if (error instanceof SbomError && error.position.line === undefined)
        throw this.refusal(error.reason, error.message);
      throw error;
    }
  }

  #attach(value: string | SbomRecord | (string | SbomRecord)[], isRepeated = false): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    if (!isObject(frame)) {
      if (frame.values.length === MAX_ITEMS) throw this.refusal('too_many', `A list has more than ${MAX_ITEMS} items`);
      if (!Array.isArray(value)) frame.values.push(value);
      return;
    }
    const { record, key } = frame;
    const present = record[key];
    if (isRepeated) this.#repeat(frame, value);
    else if (present === undefined) record[key] = value;
    else throw this.refusal('duplicate_key', `An object has '${key}' twice`);
  }

  /** Adds a value to a member that is a list; a copy of the list for each value would take time by its square. */
  #repeat({ record, key }: ObjectFrame, value: string | SbomRecord | (string | SbomRecord)[]): void {
    const values = Array.isArray(value) ? value : [value];
    const present: unknown = record[key];
    if (!Array.isArray(present)) {
      record[key] = [...values];
      return;
    }
    if (present.length + values.length > MAX_ITEMS)
      throw this.refusal('too_many', `'${key}' occurs more than ${MAX_ITEMS} times`);
    for (const each of values) present.push(each);
  }
}

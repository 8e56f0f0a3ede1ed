/** Text of a record; with `values` or `pattern` any other text is refused. */
export interface TextShape {
  readonly kind: 'text';
  readonly values?: ReadonlySet<string>;
  readonly pattern?: RegExp;
}

/** Text that is handed on in pieces, because it may be as long as the document. */
export interface StreamShape {
  readonly kind: 'stream';
  readonly piece: (text: string) => void;
  readonly end: () => void;
}

interface ListShape {
  readonly kind: 'list';
  readonly items: Shape;
  /** In XML, an item is an object whose one member is named after the element: `licenses`. */
  readonly isChoice?: boolean;
}

export interface ObjectShape {
  readonly kind: 'object';
  /** Members that are read; every other is skipped. */
  readonly members: Map<string, Shape>;
  readonly required?: readonly string[];
  /** At most one of these may be present. */
  readonly exclusive?: readonly string[];
  /** In XML, an element that may occur several times; its values form a list. */
  readonly isRepeated?: boolean;
  readonly begin?: () => void;
  /** Receives the record, which is then not a part of its parent: memory is bounded by one record. */
  readonly end?: (record: SbomRecord) => void;
}

/** Expected structure of a JSON value or XML element: what is read of it, and what makes it invalid. */
export type Shape = TextShape | StreamShape | ListShape | ObjectShape;

type RecordValue = string | readonly RecordValue[] | SbomRecord;

/** Members of an object that its shape names. */
export interface SbomRecord {
  [name: string]: RecordValue | undefined;
}

export const TEXT: TextShape = { kind: 'text' };
export const NON_EMPTY: TextShape = { kind: 'text', pattern: /\S/ };

export const textMatching = (pattern: RegExp): TextShape => ({ kind: 'text', pattern });
export const textAmong = (...values: readonly string[]): TextShape => ({ kind: 'text', values: new Set(values) });
export const listOf = (items: Shape, options: Pick<ListShape, 'isChoice'> = {}): ListShape => ({
  kind: 'list',
  items,
  ...options,
});

/** Shape of an object with these members. */
export const objectOf = (
  members: Readonly<Record<string, Shape>>,
  options: Omit<ObjectShape, 'kind' | 'members'> = {},
): ObjectShape => ({ kind: 'object', members: new Map(Object.entries(members)), ...options });

/** Trimmed text of a member; null if it is absent or blank. */
export const textOf = (record: SbomRecord | undefined, name: string): string | null => {
  const value = record?.[name];
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? null : text;
};

const isRecord = (value: RecordValue | undefined): value is SbomRecord =>
  typeof value === 'object' && !Array.isArray(value);

/** Member that is an object; undefined if it is absent. */
export const recordOf = (record: SbomRecord | undefined, name: string): SbomRecord | undefined => {
  const value = record?.[name];
  return isRecord(value) ? value : undefined;
};

const listAt = (record: SbomRecord | undefined, name: string): readonly RecordValue[] => {
  const value = record?.[name];
  return Array.isArray(value) ? value : [];
};

/** Objects of a member that is a list. */
export const recordsOf = (record: SbomRecord | undefined, name: string): readonly SbomRecord[] =>
  listAt(record, name).filter(isRecord);

/** Texts of a member that is a list. */
export const textsOf = (record: SbomRecord | undefined, name: string): readonly string[] =>
  listAt(record, name).filter((item) => typeof item === 'string');

import type { FaultCode } from '@landfall/schema/codes';
import Type, { type Static, type TSchema, type TString } from 'typebox';
import { Compile } from 'typebox/compile';
import Format from 'typebox/format';
import { Settings } from 'typebox/system';
import { type FieldFault, invalid } from '../core/fault.ts';
import { isStorable } from '../core/storable.ts';
import { isDigest } from '../crypto/digest.ts';

/** Upper bound of reported faults. */
const MAX_FAULTS = 200;
Settings.Set({ maxErrors: MAX_FAULTS });

/** SemVer 2.0.0, section 2 to 11. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*))*)?(?:\+[\da-zA-Z-]+(?:\.[\da-zA-Z-]+)*)?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** RFC 3339 5.6, without the leap second that no column can hold. */
const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Whether a text is a valid instant. Date.parse alone accepts 30 February and years beyond PostgreSQL's range. */
const isInstant = (value: string): boolean => {
  const [, year, month, day] = INSTANT.exec(value) ?? [];
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(year) > 0 && Number(day) <= daysInMonth && !Number.isNaN(Date.parse(value));
};

Format.Set('uuid', (value) => UUID.test(value));
Format.Set('digest', isDigest);
Format.Set('semver', (value) => value.length <= 256 && SEMVER.test(value));
Format.Set('instant', isInstant);

interface PatternedOptions {
  readonly minLength?: number;
  readonly maxLength?: number;
}

/**
 * Text of a pattern.
 * @param refusal what a refusal says, since nobody reads patterns: `may have only lower-case letters`
 */
export const patterned = (pattern: string, refusal: string, options: PatternedOptions = {}): TString =>
  Type.String({ ...options, pattern, refusal });

/** Text that a person writes: not blank, at most `max` characters. */
export const freeText = (max: number, min = 1) => Type.String({ minLength: min, maxLength: max, pattern: '\\S' });
export const digest = Type.String({ format: 'digest' });
export const semver = Type.String({ format: 'semver' });
export const instant = Type.String({
  format: 'instant',
  refusal: 'must be a time with its zone, such as 2026-01-31T08:30:00Z',
});

/** One of a fixed set of words; anything else is VAL_INVALID_VALUE. */
export const oneOf = <const Words extends [string, ...string[]]>(...allowed: Words) =>
  Type.Unsafe<Words[number]>(Type.Enum(allowed));

/** Code of each keyword of JSON Schema. One table for REST and GraphQL. */
const KEYWORDS: Readonly<Record<string, FaultCode>> = {
  required: 'VAL_REQUIRED_FIELD',
  // The schema allows no value here: the field is unknown.
  boolean: 'VAL_SCHEMA_MISMATCH',
  type: 'VAL_SCHEMA_MISMATCH',
  minLength: 'VAL_TOO_SHORT',
  minItems: 'VAL_TOO_SHORT',
  maxLength: 'VAL_TOO_LONG',
  maxItems: 'VAL_TOO_LONG',
  maxProperties: 'VAL_TOO_LONG',
  pattern: 'VAL_INVALID_FORMAT',
  enum: 'VAL_INVALID_VALUE',
  const: 'VAL_INVALID_VALUE',
  anyOf: 'VAL_INVALID_VALUE',
  minimum: 'VAL_INVALID_VALUE',
  maximum: 'VAL_INVALID_VALUE',
  exclusiveMinimum: 'VAL_INVALID_VALUE',
  exclusiveMaximum: 'VAL_INVALID_VALUE',
  multipleOf: 'VAL_INVALID_VALUE',
  uniqueItems: 'VAL_INVALID_VALUE',
};

const FORMATS: Readonly<Record<string, FaultCode>> = {
  uuid: 'VAL_INVALID_UUID',
  digest: 'VAL_INVALID_DIGEST',
  semver: 'VAL_INVALID_SEMVER',
};

interface Finding {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

const namesIn = (params: object, key: string): readonly string[] => {
  const names: unknown = Reflect.get(params, key);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
};

const dotted = (path: string, name?: string): string =>
  [
    ...path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
    name,
  ]
    .filter((part) => part !== undefined)
    .join('.');

const valueAt = (input: unknown, path: string): unknown =>
  dotted(path)
    .split('.')
    .reduce<unknown>(
      (value, part) => (typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined),
      input,
    );

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

/** Words of the schema whose pattern or format a text does not fit; the path of a finding leads to that schema. */
const refusalOf = (schema: TSchema, { schemaPath }: Finding, otherwise: string): string => {
  const found = schemaPath
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined), schema);
  const refusal: unknown = typeof found === 'object' && found !== null ? Reflect.get(found, 'refusal') : undefined;
  return typeof refusal === 'string' ? refusal : otherwise;
};

/** Message of a finding with the valid values. */
const worded = (finding: Finding, schema: TSchema): string => {
  const { keyword, message, params } = finding;
  if (keyword === 'pattern') return refusalOf(schema, finding, 'has another form than it must have');
  if (keyword === 'format') return refusalOf(schema, finding, message);
  if (keyword === 'boolean') return 'is not a field here';
  if (keyword === 'anyOf') return 'has none of the shapes that are allowed here';
  const allowed = namesIn(params, 'allowedValues');
  return keyword === 'enum' && allowed.length > 0 ? `must be one of ${allowed.join(', ')}` : message;
};

/** Number of the branch that a finding is of; undefined for a finding outside this union. */
const branchOf = (union: Finding, { schemaPath }: Finding): string | undefined => {
  const branches = `${union.schemaPath}/anyOf/`;
  return schemaPath.startsWith(branches) ? schemaPath.slice(branches.length).split('/')[0] : undefined;
};

/** Finding of null as a branch, where the union has one branch besides it. */
const nullBranch = (union: Finding, findings: readonly Finding[]): Finding | undefined => {
  if (new Set(findings.flatMap((each) => branchOf(union, each) ?? [])).size !== 2) return undefined;
  return findings.find(
    (each) =>
      each.keyword === 'type' &&
      Reflect.get(each.params, 'type') === 'null' &&
      each.instancePath === union.instancePath &&
      each.schemaPath === `${union.schemaPath}/anyOf/${branchOf(union, each)}`,
  );
};

/**
 * Finding of a union instead of those of its branches: the branch that the sender meant is unknown. A value that may
 * also be null is meant as the other branch, so the findings of that branch stay and the one of the union goes.
 */
const withoutBranches = (findings: readonly Finding[]): readonly Finding[] =>
  findings
    .filter(({ keyword }) => keyword === 'anyOf')
    .reduce<readonly Finding[]>((remaining, union) => {
      const other = nullBranch(union, findings);
      return other
        ? remaining.filter((each) => each !== union && each !== other)
        : remaining.filter((each) => branchOf(union, each) === undefined);
    }, findings);

const explain = (finding: Finding, input: unknown, schema: TSchema): FieldFault[] => {
  const { keyword, instancePath, params } = finding;
  if (keyword === 'required')
    return namesIn(params, 'requiredProperties').map((name) => ({
      field: dotted(instancePath, name),
      message: 'is required',
      code: 'VAL_REQUIRED_FIELD',
    }));
  const field = dotted(instancePath);
  if ((keyword === 'pattern' || keyword === 'minLength') && isBlank(valueAt(input, instancePath)))
    return [{ field, message: 'must not be blank', code: 'VAL_REQUIRED_FIELD' }];
  const format: unknown = Reflect.get(params, 'format');
  const code =
    keyword === 'format' && typeof format === 'string' ? (FORMATS[format] ?? 'VAL_INVALID_FORMAT') : KEYWORDS[keyword];
  return code ? [{ field, message: worded(finding, schema), code }] : [];
};

/** Deeper than any input we take, and far from what overflows the stack. */
const MAX_DEPTH = 64;

const unstorable = (field: string): FieldFault => ({
  field,
  message: 'must not hold NUL or half a surrogate pair',
  code: 'VAL_INVALID_FORMAT',
});

/** Whether a value needs no cleaning and no copy, as most do. */
const isClean = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item: unknown) => isClean(item, depth + 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const name of Object.keys(value)) {
    const member: unknown = Reflect.get(value, name);
    if (member === undefined || !isStorable(name) || !isClean(member, depth + 1)) return false;
  }
  return true;
};

interface Cleaning {
  /** Finding for text that no schema refuses and no table can store. */
  readonly faults: FieldFault[];
  readonly preservesNulls: boolean;
}

/** Copies a value without characters that PostgreSQL cannot store, with or without null fields. */
const cleaned = (value: unknown, path: readonly string[], cleaning: Cleaning): unknown => {
  const { faults, preservesNulls } = cleaning;
  const field = path.join('.');
  if (typeof value === 'string' && !isStorable(value)) faults.push(unstorable(field));
  if (typeof value !== 'object' || value === null) return value;
  if (path.length > MAX_DEPTH) {
    faults.push({ field, message: `nests deeper than ${MAX_DEPTH} levels`, code: 'VAL_SCHEMA_MISMATCH' });
    return undefined;
  }
  if (Array.isArray(value)) return value.map((item: unknown, i) => cleaned(item, [...path, String(i)], cleaning));
  const entries = Object.entries(value).filter(([, item]) => item !== undefined && (preservesNulls || item !== null));
  if (!entries.every(([name]) => isStorable(name))) faults.push(unstorable(field));
  return Object.fromEntries(entries.map(([name, item]) => [name, cleaned(item, [...path, name], cleaning)]));
};

type Normalizer = (value: unknown) => unknown;

const isText = (value: unknown): value is string => typeof value === 'string';

const each =
  (normalize: Normalizer): Normalizer =>
  (value) =>
    Array.isArray(value) ? value.map(normalize) : value;

/** Normalizes members of an object; returns the same object when nothing changes. */
const members = (variants: readonly (readonly [name: string, spell: Normalizer])[]): Normalizer => {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const changed = variants.flatMap(([name, normalize]) => {
      if (!Object.hasOwn(value, name)) return [];
      const input: unknown = Reflect.get(value, name);
      const text = normalize(input);
      return text === input ? [] : [[name, text] as const];
    });
    return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
  };
};

/** Allowed word equal to a text except for case (ruling 30). */
const wordOf =
  (allowed: readonly string[]): Normalizer =>
  (value) => {
    if (!isText(value) || allowed.includes(value)) return value;
    const lower = value.toLowerCase();
    return allowed.find((word) => word.toLowerCase() === lower) ?? value;
  };

const lowerUuid: Normalizer = (value) => (isText(value) && UUID.test(value) ? value.toLowerCase() : value);

/** Normal spelling of an input's GUIDs (RFC 9562 4) and enum values, so that later code compares one spelling. */
const normalizerOf = (schema: TSchema): Normalizer | undefined => {
  if (Type.IsString(schema) && 'format' in schema && schema.format === 'uuid') return lowerUuid;
  if (Type.IsEnum(schema)) return wordOf(schema.enum.filter(isText));
  if (Type.IsArray(schema)) {
    const items = normalizerOf(schema.items);
    return items && each(items);
  }
  if (Type.IsUnion(schema) || Type.IsIntersect(schema)) {
    const branches = (Type.IsUnion(schema) ? schema.anyOf : schema.allOf).flatMap(
      (branch) => normalizerOf(branch) ?? [],
    );
    return branches.length === 0 ? undefined : (value) => branches.reduce((text, normalize) => normalize(text), value);
  }
  if (!Type.IsObject(schema)) return undefined;
  const variants = Object.entries(schema.properties).flatMap(([name, property]) => {
    const normalize = normalizerOf(property);
    return normalize ? [[name, normalize] as const] : [];
  });
  return variants.length === 0 ? undefined : members(variants);
};

/** Faults of members that are null and no fields of a closed schema: only a field of it may be sent as null. */
const unknownNulls = (schema: TSchema, value: unknown): FieldFault[] => {
  if (!Type.IsObject(schema) || !('additionalProperties' in schema) || schema.additionalProperties !== false) return [];
  const nulls = Object.entries(value ?? {}).filter(([, member]) => member === null);
  return nulls
    .filter(([name]) => !Object.hasOwn(schema.properties, name))
    .map(([field]) => ({ field, message: 'is not a field here', code: 'VAL_SCHEMA_MISMATCH' }));
};

/**
 * Compiles a schema, at its first use, into a parser that reports the faults of all fields at once. A field sent as
 * null counts as not sent, except where the schema itself allows null. GUIDs are returned in lower case, words of a
 * fixed set as the schema spells them.
 * @throws Fault VAL_*: the first field's code on top, all of them in `fields`
 */
export const parser = <S extends TSchema>(schema: S): ((input: unknown) => Static<S>) => {
  const compile = () => {
    const validator = Compile(schema);
    const fits = (value: unknown): value is Static<S> => validator.Check(value);
    return { validator, fits, spell: normalizerOf(schema) };
  };
  let compiled: ReturnType<typeof compile> | undefined;
  return (values) => {
    compiled ??= compile();
    const { validator, fits, spell: normalize = (value: unknown) => value } = compiled;
    const input = normalize(values);
    if (isClean(input) && fits(input)) return input;
    const faults: FieldFault[] = [];
    const complete = cleaned(input ?? {}, [], { faults, preservesNulls: true });
    if (faults.length === 0 && fits(complete)) return complete;
    faults.push(...unknownNulls(schema, complete));
    const value = cleaned(complete, [], { faults: [], preservesNulls: false });
    if (faults.length === 0 && fits(value)) return value;
    faults.push(...withoutBranches(validator.Errors(value)).flatMap((finding) => explain(finding, value, schema)));
    const byField = new Map(faults.toReversed().map((fault) => [fault.field, fault]));
    const [first, ...others] = faults.filter((fault) => byField.get(fault.field) === fault).slice(0, MAX_FAULTS);
    const other: FieldFault = { field: '', message: 'does not fit its schema', code: 'VAL_SCHEMA_MISMATCH' };
    throw invalid([first ?? other, ...others]);
  };
};

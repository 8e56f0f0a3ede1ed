import { isJsonObject, type JsonObject } from '@landfall/kernel/core/json';
import { findAttribute, ownAttributes } from './attribute-paths.ts';
import type { Attribute, ResourceType } from './attributes.ts';
import type { Value } from './filter.ts';
import { scimFault } from './scim-fault.ts';
import { searchable } from './sql-json-path.ts';

/** Resource or part of one, under canonical names; extension attributes are in an object under its URN. */
export type Resource = JsonObject;

const MAX_TEXT = 2_000;
const MAX_VALUES = 100;

const refuse = (path: string, name: string) => scimFault('invalidValue', `${path} ${name}.`);

/** Microsoft Entra sends `"False"` where it means false. */
const readBoolean = (value: unknown, path: string): boolean => {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  throw refuse(path, 'is true or false');
};

const readText = (value: unknown, path: string): string => {
  if (typeof value !== 'string') throw refuse(path, 'is a text');
  if (value.length > MAX_TEXT) throw refuse(path, `is longer than ${MAX_TEXT} characters`);
  if (!value.isWellFormed() || value.includes('\0')) throw refuse(path, 'holds what no text holds');
  return value;
};

const readParts = (attribute: Attribute, value: unknown, path: string): Resource | undefined => {
  // A directory that knows only the manager's id sends the id; a value without parts is its `value`.
  const input = typeof value === 'string' && findAttribute(attribute.sub ?? [], 'value') ? { value } : value;
  if (!isJsonObject(input)) throw refuse(path, 'has parts');
  return readAttributes(attribute.sub ?? [], input, `${path}.`);
};

const readOne = (attribute: Attribute, value: unknown, path: string): unknown => {
  if (attribute.type === 'complex') return readParts(attribute, value, path);
  return attribute.type === 'boolean' ? readBoolean(value, path) : readText(value, path);
};

/** RFC 7643 2.4: `primary` is true no more than once. */
const refuseSecondPrimary = (values: readonly unknown[], path: string): void => {
  if (values.filter((value) => isJsonObject(value) && value.primary === true).length > 1)
    throw refuse(path, 'has several primary values');
};

const readMany = (attribute: Attribute, value: unknown, path: string, most: number): unknown => {
  const values = Array.isArray(value) ? value : [value];
  if (values.length > most) throw refuse(path, `has more than ${most} values`);
  const read = values.map((each) => readOne(attribute, each, path)).filter((each) => each !== undefined);
  refuseSecondPrimary(read, path);
  return read.length === 0 ? undefined : read;
};

/** Limit of values: a group's members may be a whole company. */
const mostOf = ({ name }: Attribute): number => (name === 'members' ? 10_000 : MAX_VALUES);

/** Reads a value; undefined when unassigned (RFC 7643 2.5: null or an empty list). */
export const readValue = (attribute: Attribute, value: unknown, path = attribute.name): unknown => {
  if (value === null || value === undefined) return undefined;
  return attribute.isMulti ? readMany(attribute, value, path, mostOf(attribute)) : readOne(attribute, value, path);
};

/** Reads known, writable attributes by canonical name (RFC 7644 3.5.1); throws scimType invalidValue. */
const readAttributes = (attributes: readonly Attribute[], input: Resource, prefix = ''): Resource | undefined => {
  const entries = Object.entries(input).flatMap(([name, value]) => {
    const attribute = findAttribute(attributes, name);
    if (!attribute || attribute.isReadOnly) return [];
    const read = readValue(attribute, value, prefix + attribute.name);
    return read === undefined ? [] : [[attribute.name, read] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
};

/** Checks that `schemas`, if present, names the expected one; throws scimType invalidSyntax or invalidValue. */
export const requireSchema = (
  schemas: unknown,
  expected: string,
  missing: 'invalidSyntax' | 'invalidValue' = 'invalidValue',
): void => {
  if (schemas === undefined || schemas === null) return;
  if (!Array.isArray(schemas)) throw scimFault('invalidSyntax', 'schemas is a list of texts.');
  const urns = schemas.map((urn) => readText(urn, 'schemas').toLowerCase());
  if (!urns.includes(expected.toLowerCase())) throw scimFault(missing, `schemas does not name ${expected}.`);
};

/** Reads the resource of a POST or PUT. @throws Fault with scimType invalidSyntax or invalidValue */
export const readResource = (type: ResourceType, body: unknown): Resource => {
  if (!isJsonObject(body)) throw scimFault('invalidSyntax', 'The body is a resource: a JSON object.');
  requireSchema(body.schemas, type.core.id);
  const extensions = type.extensions.flatMap(({ id, attributes }) => {
    const input = Object.entries(body).find(([name]) => name.toLowerCase() === id.toLowerCase())?.[1];
    if (input === undefined || input === null) return [];
    if (!isJsonObject(input)) throw scimFault('invalidValue', `${id} is an object of attributes.`);
    const read = readAttributes(attributes, input, `${id}:`);
    return read ? [[id, read] as const] : [];
  });
  const { schemas: _schemas, ...own } = readAttributes(ownAttributes(type), body) ?? {};
  return { ...own, ...Object.fromEntries(extensions) };
};

const isScalar = (value: unknown): value is Value =>
  typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number';

const searchValue = (attribute: Attribute, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((each) => searchValue(attribute, each));
  if (isJsonObject(value)) return searchDocument(attribute.sub ?? [], value);
  return isScalar(value) ? searchable(attribute, value) : value;
};

/** Search document: names in lower case, values in search form. */
const searchDocument = (attributes: readonly Attribute[], resource: Resource): Resource =>
  Object.fromEntries(
    Object.entries(resource).flatMap(([name, value]) => {
      const attribute = findAttribute(attributes, name);
      return attribute ? [[name.toLowerCase(), searchValue(attribute, value)]] : [];
    }),
  );

/** Search document of the attributes stored beside a resource's own columns. */
export const searchOf = (type: ResourceType, resource: Resource): Resource => ({
  ...searchDocument(type.core.attributes, resource),
  ...Object.fromEntries(
    type.extensions.flatMap(({ id, attributes }) => {
      const extension = resource[id];
      return isJsonObject(extension) ? [[id.toLowerCase(), searchDocument(attributes, extension)]] : [];
    }),
  ),
});

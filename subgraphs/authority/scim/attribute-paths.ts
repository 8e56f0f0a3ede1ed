import { type Attribute, COMMON, type ResourceType, type Schema } from './attributes.ts';
export interface AttributePath {
  /** Schema extension of the attribute; its values are nested under the extension's URN. */
  readonly extension: Schema | undefined;
  readonly attribute: Attribute;
  readonly sub: Attribute | undefined;
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Finds an attribute by its name, without regard to case (RFC 7643 2.1). */
export const findAttribute = (attributes: readonly Attribute[], name: string): Attribute | undefined =>
  attributes.find((attribute) => same(attribute.name, name));

/** Attributes of a resource's core schema, without its extensions. */
export const ownAttributes = ({ core }: ResourceType): readonly Attribute[] => [...COMMON, ...core.attributes];

/** The schema whose URN a path begins with, and the rest of the path. */
const splitUrn = (type: ResourceType, path: string): { schema: Schema | undefined; rest: string } | undefined => {
  if (!/^urn:/i.test(path)) return { schema: undefined, rest: path };
  const schema = [type.core, ...type.extensions].find(({ id }) => path.toLowerCase().startsWith(id.toLowerCase()));
  if (!schema) return undefined;
  const rest = path.slice(schema.id.length);
  if (rest !== '' && !rest.startsWith(':')) return undefined;
  return { schema, rest: rest.slice(1) };
};

/** The extension that a path names whole: `urn:…:enterprise:2.0:User`. */
export const findExtension = (type: ResourceType, path: string): Schema | undefined =>
  type.extensions.find(({ id }) => same(id, path));

/** Finds the attribute that a path names, with or without its schema's URN (RFC 7644 3.10). */
export const findAttributePath = (type: ResourceType, path: string): AttributePath | undefined => {
  const split = splitUrn(type, path);
  if (!split) return undefined;
  const extension = type.extensions.find(({ id }) => id === split.schema?.id);
  const [name = '', subName, ...rest] = split.rest.split('.');
  const attribute = findAttribute(extension ? extension.attributes : ownAttributes(type), name);
  if (!attribute || rest.length > 0) return undefined;
  const sub = subName === undefined ? undefined : findAttribute(attribute.sub ?? [], subName);
  if (subName !== undefined && !sub) return undefined;
  return { extension, attribute, sub };
};

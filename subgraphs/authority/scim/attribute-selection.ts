import { isJsonObject } from '@landfall/kernel/core/json';
import { type AttributePath, findAttributePath, findExtension } from './attribute-paths.ts';
import type { ResourceType } from './attributes.ts';
import type { Resource } from './resource.ts';

/** Requested attributes of an answer (RFC 7644 3.9). */
export interface Projection {
  readonly attributes: readonly string[];
  readonly excludedAttributes: readonly string[];
}

/** RFC 7643 2.4 `returned: always`. */
const ALWAYS = ['schemas', 'id'];

const part = (value: unknown, keep: (name: string) => boolean): unknown => {
  if (Array.isArray(value)) return value.map((each) => part(each, keep));
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => keep(name))) : value;
};

const holderOf = (resource: Resource, { extension }: AttributePath): Resource | undefined => {
  const holder = extension ? resource[extension.id] : resource;
  return isJsonObject(holder) ? holder : undefined;
};

const only = (type: ResourceType, resource: Resource, names: readonly string[]): Resource => {
  const attributePaths = names
    .map((name) => findAttributePath(type, name))
    .filter((attributePath) => attributePath !== undefined);
  const complete = names.flatMap((name) => findExtension(type, name)?.id ?? []);
  const selectedAttributes = new Map<string, unknown>(
    [...ALWAYS, ...complete].flatMap((name) => (resource[name] === undefined ? [] : [[name, resource[name]] as const])),
  );
  for (const attributePath of attributePaths) {
    const { extension, attribute } = attributePath;
    const value = holderOf(resource, attributePath)?.[attribute.name];
    if (value === undefined || complete.includes(extension?.id ?? '')) continue;
    const parts = new Set(
      attributePaths.filter((other) => other.attribute === attribute).map(({ sub }) => sub?.name ?? ''),
    );
    const visible = parts.has('') ? value : part(value, (name) => parts.has(name));
    if (!extension) selectedAttributes.set(attribute.name, visible);
    else
      selectedAttributes.set(extension.id, {
        ...Object(selectedAttributes.get(extension.id)),
        [attribute.name]: visible,
      });
  }
  return Object.fromEntries(selectedAttributes);
};

const without = (resource: Resource, { extension, attribute, sub }: AttributePath): Resource => {
  if (!extension && ALWAYS.includes(attribute.name)) return resource;
  if (extension) {
    const inner = resource[extension.id];
    return isJsonObject(inner)
      ? { ...resource, [extension.id]: without(inner, { extension: undefined, attribute, sub }) }
      : resource;
  }
  if (sub) return { ...resource, [attribute.name]: part(resource[attribute.name], (name) => name !== sub.name) };
  const { [attribute.name]: _left, ...rest } = resource;
  return rest;
};

/** Projects a resource to the requested attributes; unknown names are ignored. */
export const projected = (type: ResourceType, resource: Resource, requested: Projection): Resource => {
  if (requested.attributes.length > 0) return only(type, resource, requested.attributes);
  const extensions = new Set(requested.excludedAttributes.flatMap((name) => findExtension(type, name)?.id ?? []));
  const rest = Object.fromEntries(Object.entries(resource).filter(([name]) => !extensions.has(name)));
  return requested.excludedAttributes.reduce((remaining, name) => {
    const attributePath = findAttributePath(type, name);
    return attributePath ? without(remaining, attributePath) : remaining;
  }, rest);
};

/** Whether an answer includes an attribute, so that costly ones are read only then. */
export const includesAttribute = ({ attributes, excludedAttributes }: Projection, name: string): boolean => {
  const names = (list: readonly string[]) =>
    list.map((each) =>
      (
        each
          .toLowerCase()
          .replace(/^urn:.*:/, '')
          .split('.')[0] ?? ''
      ).toLowerCase(),
    );
  if (attributes.length > 0) return names(attributes).includes(name.toLowerCase());
  return !excludedAttributes.some((each) => each.toLowerCase().replace(/^urn:.*:/, '') === name.toLowerCase());
};

import { isJsonObject } from '@landfall/kernel/core/json';
import { type AttributePath, findAttribute, findAttributePath, findExtension } from './attribute-paths.ts';
import type { Attribute, ResourceType } from './attributes.ts';
import { type Filter, readValueFilter } from './filter.ts';
import { matchesFilter } from './filter-evaluation.ts';
import { type Resource, readValue, requireSchema } from './resource.ts';
import { scimFault } from './scim-fault.ts';

/** Operation of a PATCH (RFC 7644 3.5.2). */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: string | undefined;
  readonly value: unknown;
}

/** Target of a path: an attribute, a sub-attribute, or the values that a filter selects. */
interface Target extends AttributePath {
  readonly filter: Filter | undefined;
}

type Entries = readonly Resource[];

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const MAX_OPERATIONS = 1_000;

const isOp = (op: string): op is PatchOperation['op'] => op === 'add' || op === 'remove' || op === 'replace';

const readOperation = (input: unknown): PatchOperation => {
  if (!isJsonObject(input)) throw scimFault('invalidSyntax', 'Each of Operations is a JSON object.');
  // Entra writes `Add` and `Replace`.
  const op = typeof input.op === 'string' ? input.op.toLowerCase() : '';
  if (!isOp(op)) throw scimFault('invalidSyntax', 'op is add, remove or replace.');
  const { path, value } = input;
  if (path !== undefined && path !== null && typeof path !== 'string')
    throw scimFault('invalidPath', 'path is a text.');
  return { op, path: path === '' || path === null ? undefined : path, value };
};

/** Reads the operations of a PATCH body. @throws Fault with scimType invalidSyntax */
export const readOperations = (body: unknown): readonly PatchOperation[] => {
  if (!isJsonObject(body)) throw scimFault('invalidSyntax', 'The body is a JSON object.');
  requireSchema(body.schemas, PATCH_OP, 'invalidSyntax');
  const operations = Object.entries(body).find(([name]) => name.toLowerCase() === 'operations')?.[1];
  if (!Array.isArray(operations) || operations.length === 0)
    throw scimFault('invalidSyntax', 'Operations is a list with at least one operation.');
  if (operations.length > MAX_OPERATIONS)
    throw scimFault('invalidValue', `A PATCH has at most ${MAX_OPERATIONS} operations.`);
  return operations.map(readOperation);
};

const noPath = (path: string) => scimFault('invalidPath', `${path.slice(0, 200)} is no path of this resource.`);

/** Resolves `attrPath` or `valuePath [subAttr]` (RFC 7644 3.5.2, figure 7). */
const targetOf = (type: ResourceType, path: string): Target => {
  if (path.length > 2_000) throw scimFault('invalidPath', 'The path is too long.');
  const open = path.indexOf('[');
  if (open < 0) {
    const attributePath = findAttributePath(type, path);
    if (!attributePath) throw noPath(path);
    return { ...attributePath, filter: undefined };
  }
  const close = path.lastIndexOf(']');
  const tail = path.slice(close + 1);
  const attributePath = findAttributePath(type, path.slice(0, open));
  if (close < open || !attributePath?.attribute.isMulti || attributePath.sub || !/^(\.[\w$-]+)?$/.test(tail))
    throw noPath(path);
  const sub = tail === '' ? undefined : findAttribute(attributePath.attribute.sub ?? [], tail.slice(1));
  if (tail !== '' && !sub) throw noPath(path);
  return { ...attributePath, sub, filter: readValueFilter(attributePath.attribute, path.slice(open + 1, close)) };
};

const refuseReadOnly = ({ attribute, sub }: AttributePath): void => {
  if (attribute.isReadOnly || sub?.isReadOnly)
    throw scimFault('mutability', `${[attribute.name, sub?.name].filter(Boolean).join('.')} is read-only.`);
};

const set = (resource: Resource, name: string, value: unknown): Resource => {
  const { [name]: _before, ...rest } = resource;
  const isUnassigned = value === undefined || (Array.isArray(value) && value.length === 0);
  const isEmptyObject = isJsonObject(value) && Object.keys(value).length === 0;
  return isUnassigned || isEmptyObject ? rest : { ...rest, [name]: value };
};

const entriesOf = (value: unknown): Entries => (Array.isArray(value) ? value.filter(isJsonObject) : []);

const sameEntry = (a: Resource, b: Resource): boolean =>
  Object.keys({ ...a, ...b }).every((name) => a[name] === b[name]);

/** Keeps one primary value: a new one replaces the former (RFC 7644 3.5.2). */
const withOnePrimary = (entries: Entries, touched: ReadonlySet<Resource>): Entries =>
  [...touched].some((entry) => entry.primary === true)
    ? entries.map((entry) => (entry.primary === true && !touched.has(entry) ? { ...entry, primary: false } : entry))
    : entries;

const appended = (attribute: Attribute, before: unknown, added: Entries): Entries => {
  const known = entriesOf(before);
  // Members are compared by id alone.
  const isSame = (a: Resource, b: Resource): boolean =>
    attribute.name === 'members' ? a.value === b.value : sameEntry(a, b);
  const values = attribute.name === 'members' ? new Set(known.map(({ value }) => value)) : undefined;
  const fresh = added.filter((entry) =>
    values ? !values.has(entry.value) : !known.some((other) => isSame(entry, other)),
  );
  return withOnePrimary([...known, ...fresh], new Set(fresh));
};

/** Value described by a filter of equalities: Entra adds `emails[type eq "work"].value` where there is none. */
const describedBy = (filter: Filter): Resource | undefined => {
  if (filter.op === 'compare' && filter.by === 'eq' && filter.value !== null)
    return { [filter.at.attribute.name]: filter.value };
  if (filter.op !== 'and') return undefined;
  const parts = filter.filters.map(describedBy);
  return parts.every((part) => part !== undefined) ? Object.assign({}, ...parts) : undefined;
};

const changedEntry = ({ attribute, sub }: Target, entry: Resource, { op, value }: PatchOperation): Resource => {
  if (sub) return set(entry, sub.name, readValue(sub, value));
  const [input] = entriesOf(readValue(attribute, value));
  return op === 'replace' ? (input ?? {}) : { ...entry, ...input };
};

const putChosen = (target: Target, before: unknown, operation: PatchOperation, filter: Filter): Entries => {
  const { attribute } = target;
  const entries = entriesOf(before);
  const touched = new Set<Resource>();
  const change = (entry: Resource): Resource => {
    const changed = changedEntry(target, entry, operation);
    touched.add(changed);
    return changed;
  };
  const next = entries.map((entry) => (matchesFilter(entry, filter) ? change(entry) : entry));
  if (touched.size > 0) return withOnePrimary(next, touched);
  const described = operation.op === 'add' ? describedBy(filter) : undefined;
  if (!described) throw scimFault('noTarget', `No value of ${attribute.name} is chosen by the path.`);
  return withOnePrimary([...entries, change(described)], touched);
};

const putWhole = ({ attribute }: Target, before: unknown, { op, value }: PatchOperation): unknown => {
  const input = readValue(attribute, value);
  if (op === 'add' && attribute.isMulti) return appended(attribute, before, entriesOf(input));
  return isJsonObject(before) && isJsonObject(input) && !attribute.isMulti ? { ...before, ...input } : input;
};

/** Changes a sub-attribute, in every value of a multi-valued attribute. */
const putPart = ({ attribute, sub }: Target, before: unknown, { value }: PatchOperation): unknown => {
  if (!sub) return before;
  const input = readValue(sub, value);
  if (attribute.isMulti) return entriesOf(before).map((entry) => set(entry, sub.name, input));
  return set(isJsonObject(before) ? before : {}, sub.name, input);
};

const put = (holder: Resource, target: Target, operation: PatchOperation): Resource => {
  const { attribute, sub, filter } = target;
  const before = holder[attribute.name];
  if (filter) return set(holder, attribute.name, putChosen(target, before, operation, filter));
  return set(holder, attribute.name, (sub ? putPart : putWhole)(target, before, operation));
};

const removedFrom = ({ attribute, sub, filter }: Target, before: unknown, value: unknown): unknown => {
  // Entra removes members by `path: "members"` with the members to remove as `value`.
  const listed = attribute.isMulti && Array.isArray(value) ? entriesOf(readValue(attribute, value)) : undefined;
  if (listed && !filter && !sub) {
    const removed = new Set(listed.map((entry) => entry.value));
    return entriesOf(before).filter((entry) => !removed.has(entry.value));
  }
  if (!filter) {
    if (!sub) return undefined;
    if (attribute.isMulti) return entriesOf(before).map((entry) => set(entry, sub.name, undefined));
    return isJsonObject(before) ? set(before, sub.name, undefined) : undefined;
  }
  if (sub)
    return entriesOf(before).map((entry) => (matchesFilter(entry, filter) ? set(entry, sub.name, undefined) : entry));
  return entriesOf(before).filter((entry) => !matchesFilter(entry, filter));
};

const refuseRequired = ({ attribute, sub }: Target): void => {
  if (attribute.isRequired && !sub) throw scimFault('mutability', `${attribute.name} is required and stays.`);
};

const changeAt = (resource: Resource, target: Target, operation: PatchOperation): Resource => {
  refuseReadOnly(target);
  const { extension, attribute } = target;
  if (operation.op === 'remove') refuseRequired(target);
  const inner = extension ? resource[extension.id] : resource;
  const holder = isJsonObject(inner) ? inner : {};
  const changed =
    operation.op === 'remove'
      ? set(holder, attribute.name, removedFrom(target, holder[attribute.name], operation.value))
      : put(holder, target, operation);
  return extension ? set(resource, extension.id, changed) : changed;
};

/** Whether a name in a whole value is ignored, as in PUT: Okta sends the group's id along. */
const isIgnored = (type: ResourceType, name: string): boolean =>
  findAttributePath(type, name)?.attribute.isReadOnly === true || name.toLowerCase() === 'schemas';

/** Applies an operation without a path; Entra uses paths as names: `{"name.givenName": "Ada"}`. */
const changeMany = (type: ResourceType, resource: Resource, { op, value }: PatchOperation): Resource => {
  if (!isJsonObject(value)) throw scimFault('invalidValue', 'Without a path, value is an object of attributes.');
  return Object.entries(value).reduce((into, [name, input]) => {
    if (isIgnored(type, name)) return into;
    return applied(type, into, { op, path: name, value: input });
  }, resource);
};

const changeExtension = (type: ResourceType, resource: Resource, id: string, operation: PatchOperation): Resource => {
  const { op, value } = operation;
  if (op === 'remove') return set(resource, id, undefined);
  if (!isJsonObject(value)) throw scimFault('invalidValue', `${id} is an object of attributes.`);
  return Object.entries(value).reduce(
    (into, [name, input]) => applied(type, into, { op, path: `${id}:${name}`, value: input }),
    resource,
  );
};

const applied = (type: ResourceType, resource: Resource, operation: PatchOperation): Resource => {
  const { op, path, value } = operation;
  if (path === undefined) {
    if (op === 'remove') throw scimFault('noTarget', 'remove needs a path.');
    return changeMany(type, resource, operation);
  }
  const extension = findExtension(type, path);
  if (extension) return changeExtension(type, resource, extension.id, operation);
  if (op !== 'remove' && value === undefined) throw scimFault('invalidValue', `${op} needs a value.`);
  return changeAt(resource, targetOf(type, path), operation);
};

/** Applies the operations in order; a fault leaves the resource unchanged. */
export const patched = (type: ResourceType, resource: Resource, operations: readonly PatchOperation[]): Resource =>
  operations.reduce((into, operation) => applied(type, into, operation), resource);

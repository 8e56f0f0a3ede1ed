import { isJsonObject } from '@landfall/kernel/core/json';
import { safeAddress } from './address.ts';
import type { Escaping } from './escape.ts';
import { isLiquid, type Parsed, parseLiquid, renderLiquid, valueAt, variablesOf } from './liquid.ts';

/** Members whose text is an address, never markup. */
const ADDRESSES: ReadonlySet<string> = new Set(['url', 'href', 'iconUrl', 'client_url', 'image_url']);
const VALUE = /^\{\{\s*([\w.-]+)\s*\|\s*value\s*\}\}$/;
const MAX_DEPTH = 32;

/** JSON value that the channels' limits may change in place. */
export type JsonTree = string | number | boolean | null | JsonTree[] | { [name: string]: JsonTree };
export type JsonTreeObject = { [name: string]: JsonTree };

/** Whether a value that was read from JSON is an object. */
export const isTreeObject = (value: unknown): value is JsonTreeObject => isJsonObject(value);

/** Compiled JSON template: static values, Liquid in string leaves, and leaves that take a value as it is. */
type Node =
  | { readonly kind: 'static'; readonly value: string | number | boolean | null }
  | { readonly kind: 'text'; readonly parsed: Parsed; readonly escaping: Escaping; readonly isAddress: boolean }
  | { readonly kind: 'value'; readonly path: string }
  | { readonly kind: 'array'; readonly items: readonly Node[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Node])[] };
export type JsonTemplate = Node;

/** Mistake in the JSON of a template. */
export class JsonTemplateError extends Error {
  override readonly name = 'JsonTemplateError';
}

interface Compilation {
  readonly escaping: Escaping;
  /** Whether a leaf may be `{{ path | value }}` and so become the value itself; only where no structure is fixed. */
  readonly takesValues: boolean;
}

/** Functions that cards write in double braces, which are no Liquid; Teams shows them in the reader's time zone. */
const CARD_FUNCTION = /\{\{((?:DATE|TIME)\()((?:[^{}]|\{\{[^{}]*\}\})*)\)\}\}/g;

/** Liquid of a leaf of a card: its functions stay, with what is inside of them rendered. */
const withCardFunctions = (text: string): string =>
  text.replace(CARD_FUNCTION, '{% raw %}{{$1{% endraw %}$2{% raw %})}}{% endraw %}');

const leaf = (text: string, path: string, name: string, { escaping, takesValues }: Compilation): Node => {
  if (!isLiquid(text)) return { kind: 'static', value: text };
  const [, source] = VALUE.exec(text) ?? [];
  if (source !== undefined && takesValues) return { kind: 'value', path: source };
  const isAddress = ADDRESSES.has(name);
  try {
    const used = isAddress ? 'verbatim' : escaping;
    return {
      kind: 'text',
      parsed: parseLiquid(used === 'card' ? withCardFunctions(text) : text, used),
      escaping: used,
      isAddress,
    };
  } catch (error) {
    throw error instanceof Error ? new JsonTemplateError(`${path}: ${error.message}`) : error;
  }
};

const compile = (value: unknown, path: string, name: string, compilation: Compilation): Node => {
  if (path.split('/').length > MAX_DEPTH) throw new JsonTemplateError(`nests deeper than ${MAX_DEPTH} levels`);
  if (typeof value === 'string') return leaf(value, path, name, compilation);
  if (Array.isArray(value))
    return {
      kind: 'array',
      items: value.map((item: unknown, index) => compile(item, `${path}/${index}`, name, compilation)),
    };
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, member]) => {
      if (isLiquid(key)) throw new JsonTemplateError(`${path}/${key}: placeholders stand in values, not in names`);
      return [key, compile(member, `${path}/${key}`, key, compilation)] as const;
    });
    return { kind: 'object', members };
  }
  return { kind: 'static', value: typeof value === 'number' || typeof value === 'boolean' ? value : null };
};

/**
 * Compiles a body that is JSON: placeholders are rendered inside its string leaves only, so every message is JSON.
 * @throws JsonTemplateError for a text that is no JSON object, and for Liquid outside of a string or with a mistake
 */
export const compileJsonTemplate = (body: string, compilation: Compilation): JsonTemplate => {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new JsonTemplateError(`must be JSON, with placeholders inside of strings only: ${why}`);
  }
  if (!isJsonObject(value)) throw new JsonTemplateError('must be a JSON object');
  return compile(value, '', '', compilation);
};

const copied = (value: unknown): JsonTree => {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string')
    return value;
  if (Array.isArray(value)) return value.map(copied);
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copied(item)]))
    : null;
};

/** Stands for a value that has no text and is left out. */
const BLANK = Symbol('blank');
type Rendered = JsonTree | typeof BLANK;

/** Members without which an object shows nothing: a fact without a value, a button without a link. */
const ESSENTIAL: ReadonlySet<string> = new Set(['text', 'value', 'url', 'href', 'elements', 'facts', 'items']);

interface JsonRendering {
  /** Whether what has no text is left out, as Slack refuses empty texts; else it stays an empty text. */
  readonly omitsBlank: boolean;
}

const renderText = (node: Node & { kind: 'text' }, context: object, { omitsBlank }: JsonRendering): Rendered => {
  const text = renderLiquid(node.parsed, context, node.escaping).trim();
  const rendered = node.isAddress ? safeAddress(text) : text;
  return rendered === '' && omitsBlank ? BLANK : rendered;
};

const renderMembers = (node: Node & { kind: 'object' }, context: object, rendering: JsonRendering) => {
  const kept: [string, JsonTree][] = [];
  let isEssentialBlank = false;
  for (const [name, member] of node.members) {
    const value = renderNode(member, context, rendering);
    if (value !== BLANK) kept.push([name, value]);
    else if (ESSENTIAL.has(name)) isEssentialBlank = true;
  }
  return { value: Object.fromEntries(kept), isEssentialBlank };
};

const renderNode = (node: Node, context: object, rendering: JsonRendering): Rendered => {
  switch (node.kind) {
    case 'static':
      return node.value;
    case 'value':
      return copied(valueAt(context, node.path));
    case 'text':
      return renderText(node, context, rendering);
    case 'array': {
      const items: JsonTree[] = [];
      for (const item of node.items) {
        const value = renderNode(item, context, rendering);
        if (value !== BLANK) items.push(value);
      }
      return items.length === 0 && node.items.length > 0 ? BLANK : items;
    }
    case 'object': {
      const { value, isEssentialBlank } = renderMembers(node, context, rendering);
      return isEssentialBlank ? BLANK : value;
    }
  }
};

/** Renders every leaf of a JSON template; each call makes a new tree. */
export const renderJsonTemplate = (
  template: JsonTemplate,
  context: object,
  rendering: JsonRendering,
): JsonTreeObject => (template.kind === 'object' ? renderMembers(template, context, rendering).value : {});

/** Paths of the context that a JSON template reads. */
export const jsonVariables = (node: Node): readonly string[] => {
  switch (node.kind) {
    case 'text':
      return variablesOf(node.parsed);
    case 'value':
      return [node.path];
    case 'array':
      return node.items.flatMap(jsonVariables);
    case 'object':
      return node.members.flatMap(([, member]) => jsonVariables(member));
    default:
      return [];
  }
};

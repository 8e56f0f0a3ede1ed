import { Fault } from '@landfall/kernel/core/fault';
import { isJsonObject } from '@landfall/kernel/core/json';
import { Liquid, type Context as LiquidContext, Context as RenderContext, toValueSync } from 'liquidjs';
import { safeAddress } from './address.ts';
import { ESCAPES, type Escaping, textOf } from './escape.ts';
import { localTime } from './local-time.ts';

/** Most bytes of a template (body, subject). */
export const BODY_BYTES = 256 * 1024;
/** Most characters that one template may write. */
const OUTPUT_CHARACTERS = 1024 * 1024;
/** Most pieces of text that one template may write: each turn of a loop writes some. */
const OUTPUT_WRITES = 10_000;
/** Units of liquidjs' own allowance: characters and items that filters and ranges make. */
const MEMORY_UNITS = 1024 * 1024;
/** Most outputs and tags of one template; parsing takes more than linear time. */
const PIECES = 5_000;
/** Time of one render. The limits above end runaway templates sooner; this one ends loops that write nothing. */
const RENDER_MS = 2_000;

/** Tags that templates may have: no includes, and no captures, whose text would be escaped twice. */
const TAGS: ReadonlySet<string> = new Set('assign for break continue if unless case comment cycle raw #'.split(' '));

/** Filters that templates may not have: unescaped output, expressions in strings, secrets' digests, chance. */
const REFUSED_FILTERS = `raw json jsonify inspect newline_to_br strip_html url_decode base64_decode hmac_sha256 sample
  where_exp reject_exp group_by_exp has_exp find_exp find_index_exp date_to_string date_to_long_string`;

/** A parsed template. */
export type Parsed = ReturnType<Liquid['parse']>;

interface LimitFault {
  readonly reason: 'template_limit';
  readonly limit: string;
}

/** Fault of a template that came to a limit; the reason of its dead letter. */
class LimitError extends Error {
  readonly limit: string;
  constructor(limit: string) {
    super(limit);
    this.limit = limit;
  }
}

const createEngine = (escaping: Escaping): Liquid => {
  const escapeValue = ESCAPES[escaping];
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    relativeReference: false,
    dynamicPartials: false,
    templates: {},
    timezoneOffset: 0,
    locale: 'en-US',
    parseLimit: BODY_BYTES,
    renderLimit: RENDER_MS,
    memoryLimit: MEMORY_UNITS,
    outputEscape(this: unknown, value: unknown) {
      return escapeValue(textOf(value));
    },
  });
  for (const tag of Object.keys(engine.tags)) if (!TAGS.has(tag)) delete engine.tags[tag];
  for (const filter of REFUSED_FILTERS.split(/\s+/)) engine.unregisterFilter(filter);
  // Every value is escaped for its channel, so what authors add by habit must not escape it again.
  for (const name of ['escape', 'escape_once', 'xml_escape']) engine.registerFilter(name, (value: unknown) => value);
  engine.registerFilter('address', (value: unknown) => safeAddress(textOf(value)));
  engine.registerFilter('time', function time(this: { context: LiquidContext }, value: unknown) {
    const zone = this.context.getSync(['recipient', 'timeZone']);
    return localTime(textOf(value), textOf(zone));
  });
  return engine;
};

const engines: Readonly<Record<Escaping, Liquid>> = {
  html: createEngine('html'),
  mrkdwn: createEngine('mrkdwn'),
  card: createEngine('card'),
  text: createEngine('text'),
  header: createEngine('header'),
  verbatim: createEngine('verbatim'),
};

/** Mistake in the Liquid of a template; the message names its line. */
export class LiquidSyntaxError extends Error {
  override readonly name = 'LiquidSyntaxError';
}

/** Whether a text has Liquid in it. */
export const isLiquid = (text: string): boolean => /\{\{|\{%/.test(text);

const worded = (error: Error): string => {
  const [, what = error.message, line] =
    /^(.*?)(?:, line:(\d+), col:\d+)?$/s.exec(error.message.split('\n')[0] ?? '') ?? [];
  return line === undefined ? what : `line ${line}: ${what}`;
};

/**
 * Refuses a template of more outputs and tags than are parsed.
 * @throws LiquidSyntaxError
 */
export const checkPieces = (text: string): void => {
  const pieces = text.match(/\{[{%]/g)?.length ?? 0;
  if (pieces > PIECES)
    throw new LiquidSyntaxError(`has ${pieces} placeholders and tags; at most ${PIECES} are allowed`);
};

/**
 * Parses Liquid for one context of output.
 * @throws LiquidSyntaxError for a syntax error, an unknown tag or filter
 */
export const parseLiquid = (text: string, escaping: Escaping): Parsed => {
  try {
    return engines[escaping].parse(text);
  } catch (error) {
    throw error instanceof Error ? new LiquidSyntaxError(worded(error)) : error;
  }
};

/** Paths of the context that a template reads: `event.attributes.product`; a computed step ends the path. */
export const variablesOf = (parsed: Parsed): readonly string[] =>
  engines.text.globalVariableSegmentsSync(parsed).map((segments) => {
    const computed = segments.findIndex((segment) => typeof segment === 'object');
    return (computed === -1 ? segments : segments.slice(0, computed)).join('.');
  });

/** Collects output up to the limits of one template. */
const createEmitter = () => {
  let writes = 0;
  return {
    buffer: '',
    write(text: unknown) {
      this.buffer += textOf(text);
      writes += 1;
      if (this.buffer.length > OUTPUT_CHARACTERS) throw new LimitError('output');
      if (writes > OUTPUT_WRITES) throw new LimitError('writes');
    },
  };
};

const limitOf = (error: Error): string | undefined => {
  const cause: unknown = Reflect.get(error, 'originalError');
  if (cause instanceof LimitError) return cause.limit;
  if (error.message.includes('memory alloc limit exceeded')) return 'memory';
  return error.message.includes('template render limit exceeded') ? 'time' : undefined;
};

/**
 * Renders a parsed template.
 * @throws Fault VAL_INVALID_VALUE, details `{reason: 'template_limit', limit}` for one that comes to a limit, and
 * `{reason: 'template_failed'}` for a filter that cannot work on its value
 */
export const renderLiquid = (parsed: Parsed, context: object, escaping: Escaping): string => {
  const engine = engines[escaping];
  const scope = new RenderContext(context, engine.options, { sync: true }, { liquid: engine });
  const emitter = createEmitter();
  try {
    toValueSync(engine.renderer.renderTemplates(parsed, scope, emitter));
    return emitter.buffer;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const limit = limitOf(error);
    if (limit === undefined)
      throw new Fault('VAL_INVALID_VALUE', `The template cannot be rendered: ${worded(error)}.`, {
        reason: 'template_failed',
      });
    const details: LimitFault = { reason: 'template_limit', limit };
    throw new Fault('VAL_INVALID_VALUE', `The template came to the limit of its ${limit}. Shorten its loops.`, {
      ...details,
    });
  }
};

/** Own value at a path of the context, as Liquid reads it; undefined where a step is missing. */
export const valueAt = (context: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return /^\d+$/.test(step) ? value[Number(step)] : undefined;
    return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, context);

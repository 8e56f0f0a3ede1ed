import { Fault, type FieldFault } from '@landfall/kernel/core/fault';
import { isJsonObject, parseJson } from '@landfall/kernel/core/json';
import { parser } from '@landfall/kernel/operation/input';
import { type CompiledTemplate, compileTemplate } from './compile.ts';
import { CONTEXT_ROOTS } from './context.ts';
import {
  CHANNEL_RULES,
  DEPRECATION_KEY,
  DEPRECATION_SCHEMA,
  deprecationTemplate,
  EVENT_SCHEMA,
  eventTemplate,
  type TemplateDocument,
} from './document.ts';
import { htmlMistakes } from './html-safety.ts';
import { isTreeObject, type JsonTree } from './json-template.ts';
import { BODY_BYTES } from './liquid.ts';
import { withoutLiquid } from './liquid-marks.ts';
import { isKnownLocale } from './locales.ts';
import { parseProgram, programVariables } from './program.ts';
import { cardMistake, textCard } from './teams-message.ts';
import { limitUsage } from './usage.ts';

/** Remark on a template that may be published nevertheless. */
interface TemplateWarning {
  readonly field: string;
  readonly message: string;
  readonly code: 'undeclared_placeholder' | 'unused_placeholder' | 'unknown_variable' | 'no_subject' | 'no_text';
}

/** Findings about a document; it is valid, and has its compiled form, when there are no errors. */
interface TemplateCheck {
  readonly document?: TemplateDocument;
  readonly compiled?: CompiledTemplate;
  readonly errors: readonly FieldFault[];
  readonly warnings: readonly TemplateWarning[];
}

const MOST_PLACEHOLDERS = 500;
/** Characters of the names that templates are found by: an index holds no longer ones. */
const MOST_CHARACTERS = { templateId: 200, locale: 35 } as const;

const parseDeprecation = parser(deprecationTemplate);
const parseEvent = parser(eventTemplate);

const fault = (field: string, message: string, code: FieldFault['code'] = 'VAL_INVALID_VALUE'): FieldFault => ({
  field,
  message,
  code,
});

/** Runs a step that may refuse a document; returns the faults of its fields. */
const faultsOf = <T>(run: () => T): { readonly value?: T; readonly errors: readonly FieldFault[] } => {
  try {
    return { value: run(), errors: [] };
  } catch (error) {
    if (error instanceof Fault) return { errors: error.fields };
    throw error;
  }
};

const parseDocument = (input: unknown): TemplateDocument => {
  const schema: unknown = isJsonObject(input) ? input.schemaVersion : undefined;
  return schema === DEPRECATION_SCHEMA ? parseDeprecation(input) : parseEvent(input);
};

const channelFaults = ({ channelType, renderMode, format, subject }: TemplateDocument): FieldFault[] => {
  const { modes, formats } = CHANNEL_RULES[channelType];
  const faults: FieldFault[] = [];
  if (!modes.includes(renderMode)) faults.push(fault('renderMode', `must be ${modes.join(', ')} for ${channelType}`));
  if (!formats.includes(format)) faults.push(fault('format', `must be ${formats.join(' or ')} for ${channelType}`));
  if (subject !== undefined && channelType !== 'email') faults.push(fault('subject', 'is for the channel email only'));
  return faults;
};

const sizeFaults = (field: string, text: string): FieldFault[] => {
  const bytes = Buffer.byteLength(text);
  return bytes > BODY_BYTES
    ? [fault(field, `has ${bytes} bytes; at most ${BODY_BYTES} are allowed`, 'VAL_TOO_LONG')]
    : [];
};

const lengthFaults = (document: TemplateDocument): FieldFault[] =>
  (['templateId', 'locale'] as const)
    .filter((field) => document[field].length > MOST_CHARACTERS[field])
    .map((field) => fault(field, `must not be longer than ${MOST_CHARACTERS[field]} characters`, 'VAL_TOO_LONG'));

const placeholderFaults = ({ placeholders = [] }: TemplateDocument): FieldFault[] => {
  if (placeholders.length > MOST_PLACEHOLDERS)
    return [fault('placeholders', `are more than ${MOST_PLACEHOLDERS}`, 'VAL_TOO_LONG')];
  const seen = new Set<string>();
  return placeholders.flatMap(({ name }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [fault(`placeholders.${index}.name`, `names ${name} a second time`)];
  });
};

const ruleFaults = (document: TemplateDocument): FieldFault[] => {
  const faults = [
    ...lengthFaults(document),
    ...channelFaults(document),
    ...sizeFaults('body', document.body),
    ...placeholderFaults(document),
  ];
  if (document.subject !== undefined) faults.push(...sizeFaults('subject', document.subject));
  if (!isKnownLocale(document.locale))
    faults.push(fault('locale', `is no language that exists (BCP 47): ${document.locale}`, 'VAL_INVALID_FORMAT'));
  if (document.schemaVersion === EVENT_SCHEMA && document.key === DEPRECATION_KEY)
    faults.push(fault('schemaVersion', `must be ${DEPRECATION_SCHEMA} for the key ${DEPRECATION_KEY}`));
  if (document.renderMode === 'html')
    faults.push(...htmlMistakes(document.body).map((message) => fault('body', message)));
  return faults;
};

const staticPart = (value: unknown): JsonTree => {
  if (typeof value === 'string') return withoutLiquid(value);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(staticPart);
  if (!isJsonObject(value)) return null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, staticPart(member)]));
};

/** Faults of the part that every message has: a limit that no value can mend. */
const limitFaults = ({ channelType, body, renderMode }: TemplateDocument): FieldFault[] => {
  const isTree = renderMode === 'json' || renderMode === 'adaptiveCard';
  const tree = staticPart(isTree ? parseJson(body) : channelType === 'teams' ? textCard(body) : { text: body });
  if (!isTreeObject(tree)) return [];
  const faults = limitUsage(channelType, tree)
    .filter(({ used, most }) => used > most)
    .map(({ name, used, most }) => fault('body', `has ${used} ${name}; at most ${most} are allowed`, 'VAL_TOO_LONG'));
  const mistake = renderMode === 'adaptiveCard' ? cardMistake(tree) : undefined;
  return mistake === undefined ? faults : [...faults, fault('body', mistake)];
};

const covers = (declared: string, path: string): boolean => path === declared || path.startsWith(`${declared}.`);

const placeholderWarnings = (document: TemplateDocument, used: readonly string[]): TemplateWarning[] => {
  const declared = (document.placeholders ?? []).map(({ name }) => name);
  const ofEvent = used.filter((path) => /^event\.(?:attributes|payload)\./.test(path));
  const unknown = used.filter((path) => !CONTEXT_ROOTS.has(path.split('.')[0] ?? ''));
  return [
    ...ofEvent
      .filter((path) => !declared.some((name) => covers(name, path)))
      .map((path) => ({
        field: 'placeholders',
        message: `do not declare ${path}, which the template uses`,
        code: 'undeclared_placeholder' as const,
      })),
    ...unknown.map((path) => ({
      field: 'body',
      message: `uses ${path}, which is no part of the context: ${[...CONTEXT_ROOTS].join(', ')}`,
      code: 'unknown_variable' as const,
    })),
    ...declared
      .filter((name) => !used.some((path) => covers(name, path) || covers(path, name)))
      .map((name) => ({
        field: 'placeholders',
        message: `declare ${name}, which the template does not use`,
        code: 'unused_placeholder' as const,
      })),
  ];
};

const channelWarnings = ({ channelType, subject, renderMode, body }: TemplateDocument): TemplateWarning[] => {
  if (channelType === 'email' && subject === undefined)
    return [{ field: 'subject', message: 'is absent; the mail has the kind of the event instead', code: 'no_subject' }];
  const tree = channelType === 'slack' && renderMode === 'json' ? parseJson(body) : undefined;
  return isJsonObject(tree) && tree.text === undefined
    ? [{ field: 'body', message: 'has no text, which notifications and screen readers show', code: 'no_text' }]
    : [];
};

/**
 * Checks a template document: its schema, the rules of its channel, and that it compiles. All mistakes are reported
 * at once, except that the rules are checked only for a document that fits its schema.
 */
export const checkTemplate = (input: unknown): TemplateCheck => {
  const { value: document, errors } = faultsOf(() => parseDocument(input));
  if (!document) return { errors, warnings: [] };
  const { value: compiled, errors: mistakes } = faultsOf(() => compileTemplate(document));
  const found = [...ruleFaults(document), ...mistakes, ...(compiled ? limitFaults(document) : [])];
  if (!compiled || found.length > 0) return { document, errors: found, warnings: [] };
  const used = programVariables(parseProgram(compiled));
  const warnings = [...placeholderWarnings(document, used), ...channelWarnings(document)];
  return { document, compiled, errors: [], warnings };
};

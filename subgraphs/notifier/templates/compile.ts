import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { CHANNEL_TYPES, type TemplateDocument } from './document.ts';
import { JsonTemplateError } from './json-template.ts';
import { checkPieces, LiquidSyntaxError } from './liquid.ts';
import { compileMjml, isMjml, MjmlError } from './mjml.ts';
import { plainTextOf } from './plain-text.ts';
import { type ProgramSource, parseProgram } from './program.ts';

/** Compiled template: JSON that is stored beside the published document and is all that rendering needs. */
export const compiledTemplate = Type.Object({
  /** SHA-256 of the other members: the key under which its parsed form is cached. */
  digest: Type.String({ format: 'digest' }),
  templateId: Type.String(),
  key: Type.String(),
  channelType: oneOf(...CHANNEL_TYPES),
  locale: Type.String(),
  /** Form of the body: `json` has Liquid in string leaves, `html` and `text` are Liquid as a whole. */
  kind: oneOf('json', 'html', 'text'),
  body: Type.String(),
  /** Plain-text part of an HTML mail. */
  text: Type.Optional(Type.String()),
  subject: Type.Optional(Type.String()),
  /** Paths that must have a value. */
  required: Type.Array(Type.String()),
});
export type CompiledTemplate = Static<typeof compiledTemplate>;

const kindOf = ({ renderMode }: TemplateDocument): CompiledTemplate['kind'] => {
  if (renderMode === 'json' || renderMode === 'adaptiveCard') return 'json';
  return renderMode === 'html' ? 'html' : 'text';
};

/** Runs one step of compilation; its mistakes become faults of a field. */
const step = <T>(field: string, run: () => T): T => {
  try {
    return run();
  } catch (error) {
    const isMistake =
      error instanceof LiquidSyntaxError || error instanceof MjmlError || error instanceof JsonTemplateError;
    if (!isMistake) throw error;
    const fault: FieldFault = { field, message: error.message, code: 'VAL_INVALID_FORMAT' };
    throw invalid([fault]);
  }
};

/**
 * Compiles a checked document: MJML becomes HTML, and a mail gets its plain-text part.
 * @throws Fault VAL_INVALID_FORMAT with the field, and the line of a Liquid mistake
 */
export const compileTemplate = (document: TemplateDocument): CompiledTemplate => {
  const { templateId, key, channelType, locale, body, subject } = document;
  const kind = kindOf(document);
  step('body', () => checkPieces(body));
  if (subject !== undefined) step('subject', () => checkPieces(subject));
  const compiledBody = step('body', () => (kind === 'html' && isMjml(body) ? compileMjml(body) : body));
  const source: ProgramSource = {
    channelType,
    kind,
    body: compiledBody,
    ...(kind === 'html' ? { text: plainTextOf(body) } : {}),
  };
  step('body', () => parseProgram(source));
  if (subject !== undefined) step('subject', () => parseProgram({ ...source, kind: 'text', body: '', subject }));
  const required = (document.placeholders ?? []).filter((each) => each.required ?? true).map(({ name }) => name);
  const content = { templateId, key, locale, ...source, ...(subject === undefined ? {} : { subject }), required };
  return { digest: sha256(canonicalJson(content)), ...content };
};

import { createLru } from '@landfall/kernel/core/lru';
import type { CompiledTemplate } from './compile.ts';
import type { TemplateContext } from './context.ts';
import { cutBytes } from './cut-text.ts';
import { fitPagerduty, fitWebhook } from './data-message.ts';
import { cleanHeader } from './escape.ts';
import { type JsonTreeObject, renderJsonTemplate } from './json-template.ts';
import { renderLiquid, valueAt } from './liquid.ts';
import { tidyText } from './plain-text.ts';
import { type Program, parseProgram } from './program.ts';
import { type Cutter, createCutter } from './shrink.ts';
import { fitSlack, slackText } from './slack-message.ts';
import { fitTeams, textCard } from './teams-message.ts';

/** Bytes of a mail's subject: one unfolded line (RFC 5322 2.1.1). */
export const SUBJECT_BYTES = 998;

/** Message of one channel, ready to be sent. */
export interface RenderedMessage {
  /** Subject of a mail: one line. */
  readonly subject?: string;
  /** Bytes of the message as text: JSON of the channel, HTML or plain text of a mail, the data of a webhook. */
  readonly body: string;
  /** Plain-text part of an HTML mail. */
  readonly text?: string;
  readonly contentType: 'application/json' | 'text/html; charset=utf-8' | 'text/plain; charset=utf-8';
  /** Whether the message was shortened to fit its channel; it says so itself. */
  readonly truncated: boolean;
  /** Required placeholders that have no value. */
  readonly missing: readonly string[];
}

const PROGRAMS = 500;
const programs = createLru<string, Program>({ most: PROGRAMS });

const programOf = (compiled: CompiledTemplate): Program => {
  const known = programs.get(compiled.digest);
  if (known) return known;
  const program = parseProgram(compiled);
  programs.set(compiled.digest, program);
  return program;
};

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

const renderBody = ({ body }: Program, context: TemplateContext, omitsBlank: boolean): JsonTreeObject | string =>
  'json' in body
    ? renderJsonTemplate(body.json, context, { omitsBlank })
    : renderLiquid(body.parsed, context, body.escaping);

/** Message of a channel whose messages are JSON. */
const jsonMessage = (
  { channelType }: CompiledTemplate,
  program: Program,
  context: TemplateContext,
  cutter: Cutter,
): JsonTreeObject => {
  const isData = channelType === 'webhook';
  const body = renderBody(program, context, !isData);
  const tree = (wrap: (text: string) => JsonTreeObject) => (typeof body === 'string' ? wrap(body.trim()) : body);
  switch (channelType) {
    case 'slack':
      return fitSlack(tree(slackText), cutter);
    case 'teams':
      return fitTeams(tree(textCard), cutter);
    case 'pagerduty':
      return fitPagerduty(
        tree((summary) => ({ payload: { summary } })),
        cutter,
      );
    default:
      return fitWebhook(
        tree((text) => ({ text })),
        context,
        cutter,
      );
  }
};

const subjectOf = ({ subject }: Program, context: TemplateContext, cutter: Cutter): string => {
  const text = subject ? cleanHeader(renderLiquid(subject.parsed, context, subject.escaping)) : '';
  const line = text === '' ? cleanHeader(context.event.kind) : text;
  const cut = cutBytes(line, SUBJECT_BYTES, cutter.marker);
  if (cut !== line) cutter.hasCut = true;
  return cut;
};

/**
 * Renders the exact message of a channel. A message that is too large for its channel is shortened and says so; what
 * lacks a required value is rendered without it and named in `missing`.
 * @throws Fault VAL_INVALID_VALUE, details `{reason: 'template_limit' | 'template_failed'}`
 */
export const renderTemplate = (compiled: CompiledTemplate, context: TemplateContext): RenderedMessage => {
  const program = programOf(compiled);
  const cutter = createCutter(compiled.locale, compiled.channelType === 'slack');
  const missing = compiled.required.filter((path) => isMissing(valueAt(context, path)));
  if (compiled.channelType !== 'email') {
    const body = JSON.stringify(jsonMessage(compiled, program, context, cutter));
    return { body, contentType: 'application/json', truncated: cutter.hasCut, missing };
  }
  const subject = subjectOf(program, context, cutter);
  const rendered = renderBody(program, context, false);
  const body = typeof rendered === 'string' ? rendered : JSON.stringify(rendered);
  const common = { subject, truncated: cutter.hasCut, missing };
  if (!program.text) return { ...common, body: tidyText(body), contentType: 'text/plain; charset=utf-8' };
  const text = tidyText(renderLiquid(program.text.parsed, context, program.text.escaping));
  return { ...common, body, text, contentType: 'text/html; charset=utf-8' };
};

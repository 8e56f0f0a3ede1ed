import type { ChannelType } from './document.ts';
import type { Escaping } from './escape.ts';
import { compileJsonTemplate, type JsonTemplate, jsonVariables } from './json-template.ts';
import { type Parsed, parseLiquid, variablesOf } from './liquid.ts';

/** Part of a compiled template that is parsed. */
export interface ProgramSource {
  readonly channelType: ChannelType;
  readonly kind: 'json' | 'html' | 'text';
  readonly body: string;
  readonly text?: string;
  readonly subject?: string;
}

interface LiquidPart {
  readonly parsed: Parsed;
  readonly escaping: Escaping;
}

/** Parsed form of a template. */
export interface Program {
  readonly body: LiquidPart | { readonly json: JsonTemplate };
  readonly text?: LiquidPart;
  readonly subject?: LiquidPart;
}

/** Escaping of values inside the texts of each channel's messages. */
const TEXT_ESCAPING: Readonly<Record<ChannelType, Escaping>> = {
  slack: 'mrkdwn',
  teams: 'card',
  email: 'text',
  webhook: 'verbatim',
  pagerduty: 'text',
};

/** Channels whose message is data: a leaf may be a value with its structure, and empty texts stay. */
const DATA_CHANNELS: ReadonlySet<ChannelType> = new Set(['webhook', 'pagerduty']);

const part = (text: string, escaping: Escaping): LiquidPart => ({ parsed: parseLiquid(text, escaping), escaping });

/**
 * Parses a template.
 * @throws LiquidSyntaxError, JsonTemplateError
 */
export const parseProgram = ({ channelType, kind, body, text, subject }: ProgramSource): Program => {
  const escaping = TEXT_ESCAPING[channelType];
  const takesValues = DATA_CHANNELS.has(channelType);
  return {
    body:
      kind === 'json'
        ? { json: compileJsonTemplate(body, { escaping, takesValues }) }
        : part(body, kind === 'html' ? 'html' : escaping),
    ...(text === undefined ? {} : { text: part(text, 'text') }),
    ...(subject === undefined ? {} : { subject: part(subject, 'header') }),
  };
};

/** Paths of the context that a template reads, each once. */
export const programVariables = ({ body, text, subject }: Program): readonly string[] => [
  ...new Set([
    ...('json' in body ? jsonVariables(body.json) : variablesOf(body.parsed)),
    ...[text, subject].flatMap((each) => (each ? variablesOf(each.parsed) : [])),
  ]),
];

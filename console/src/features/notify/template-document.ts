import type { NotificationChannelType } from '../../generated/operations.ts';
import { fieldsOf, parseJson } from '../../lib/json.ts';

/** Render modes that fit each channel, the one to begin with first. */
export const MODES = {
  SLACK: ['markdown', 'json', 'plainText'],
  TEAMS: ['markdown', 'adaptiveCard', 'plainText'],
  EMAIL: ['plainText', 'html', 'markdown'],
  WEBHOOK: ['json'],
  PAGERDUTY: ['json'],
} as const satisfies Readonly<Record<NotificationChannelType, readonly string[]>>;

/** Parts of a template that are written in the studio. */
type TemplateParts = {
  readonly renderMode: string;
  readonly subject: string;
  readonly body: string;
  /** Declared values in JSON. */
  readonly placeholders: string;
};

/** Template that a document is of, and the tenant that writes it. */
export type TemplateName = {
  readonly tenant: string;
  readonly key: string;
  readonly channelType: NotificationChannelType;
  readonly locale: string;
};

const FIRST_BODY: Readonly<Record<string, string>> = {
  json: '{\n  "text": "{{ event.kind }}"\n}',
  html: '<mjml>\n  <mj-body>\n    <mj-section><mj-column><mj-text>{{ event.kind }}</mj-text></mj-column></mj-section>\n  </mj-body>\n</mjml>',
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const readable = (text: string): string => {
  const value = parseJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
};

/** Parts of a document, or those of an empty template for a channel. */
export function partsOf(document: string | undefined, channelType: NotificationChannelType): TemplateParts {
  if (document === undefined) {
    const [renderMode] = MODES[channelType];
    return {
      renderMode,
      subject: channelType === 'EMAIL' ? '{{ event.kind }}' : '',
      body: FIRST_BODY[renderMode] ?? '{{ event.kind }}',
      placeholders: '[]',
    };
  }
  const { renderMode, subject, body, placeholders } = fieldsOf(parseJson(document));
  return {
    renderMode: textOf(renderMode),
    subject: textOf(subject),
    body: readable(textOf(body)),
    placeholders: JSON.stringify(placeholders ?? [], null, 2),
  };
}

/** Document in the form of the graph. What the studio does not write is kept from `base`. */
export function documentOf(
  base: string | undefined,
  { tenant, key, channelType, locale }: TemplateName,
  { renderMode, subject, body, placeholders }: TemplateParts,
  now: Date,
): string {
  const { subject: _subject, placeholders: _placeholders, ...rest } = fieldsOf(parseJson(base ?? '{}'));
  const channel = channelType.toLowerCase();
  const own = rest.tenantId === tenant && rest.locale === locale ? textOf(rest.templateId) : '';
  return JSON.stringify({
    schemaVersion: 'notify.template.event@1',
    createdAt: now.toISOString(),
    ...rest,
    format: rest.format ?? channel,
    templateId: own || `${key.replaceAll(/[._]/g, '-')}-${channel}-${locale.toLowerCase()}`,
    tenantId: tenant,
    channelType: channel,
    key,
    locale,
    renderMode,
    ...(subject !== '' && { subject }),
    body,
    // Text that is no JSON is sent as it is, so that its refusal names the field.
    placeholders: parseJson(placeholders) ?? placeholders,
    updatedAt: now.toISOString(),
  });
}

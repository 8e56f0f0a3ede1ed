import { isJsonObject, parseJson } from '@landfall/kernel/core/json';
import type { NotificationEvent } from '../events/event.ts';
import { type CompiledTemplate, compileTemplate } from './compile.ts';
import { createContext, type Notification } from './context.ts';
import type { Placeholder, TemplateDocument } from './document.ts';
import { isTreeObject } from './json-template.ts';
import { type RenderedMessage, renderTemplate, SUBJECT_BYTES } from './render.ts';
import { type LimitUsage, limitUsage } from './usage.ts';

/** Rendered sample of a template; missing placeholders and truncation are those of its message. */
interface Preview {
  readonly message: RenderedMessage;
  readonly limits: readonly LimitUsage[];
}

/** Facts of the sample that a caller may replace. */
type PreviewFacts = Partial<Omit<Notification, 'template'>>;

/** Limits of a rendered message and the part of each that it takes. */
const limitsOf = ({ channelType }: CompiledTemplate, { body, subject }: RenderedMessage): readonly LimitUsage[] => {
  if (subject !== undefined)
    return [{ name: 'bytes of the subject', used: Buffer.byteLength(subject), most: SUBJECT_BYTES }];
  const tree = parseJson(body);
  return isTreeObject(tree) ? limitUsage(channelType, tree) : [];
};

/** Copy of an object with a text at a path; absent steps become objects. */
const withText = (
  target: Readonly<Record<string, unknown>>,
  [step = '', ...rest]: readonly string[],
  text: string,
): Readonly<Record<string, unknown>> => {
  const member = Object.hasOwn(target, step) ? target[step] : undefined;
  return { ...target, [step]: rest.length === 0 ? text : withText(isJsonObject(member) ? member : {}, rest, text) };
};

const examplesBelow = (placeholders: readonly Placeholder[], root: string) =>
  placeholders.flatMap(({ name, example }) =>
    example !== undefined && name.startsWith(`${root}.`) ? [{ path: name.slice(root.length + 1), example }] : [],
  );

/** Event that has the examples of a template's placeholders. */
const sampleEvent = ({ key, placeholders = [] }: TemplateDocument): NotificationEvent => ({
  eventId: '01JDZ0000000000000000SAMPLE',
  producer: 'platform',
  kind: key,
  at: new Date('2026-01-15T09:30:00Z'),
  actor: 'Alex Example',
  severity: 'warning',
  status: 'firing',
  attributes: Object.fromEntries(
    examplesBelow(placeholders, 'event.attributes').map(({ path, example }) => [path, example]),
  ),
  payload: examplesBelow(placeholders, 'event.payload').reduce(
    (payload, { path, example }) => withText(payload, path.split('.'), example),
    {},
  ),
  correlationId: '01JDZ0000000000000000SAMPLE',
});

/**
 * Renders a document, as a delivery would, with the examples of its placeholders or with given facts.
 * @throws Fault VAL_* for a document that does not compile or comes to a limit
 */
export const previewTemplate = (document: TemplateDocument, facts: PreviewFacts = {}): Preview => {
  const compiled = compileTemplate(document);
  const context = createContext({
    event: sampleEvent(document),
    reason: 'test',
    links: { self: 'https://landfall.example/sample' },
    tenant: { id: document.tenantId, name: document.tenantId },
    ...facts,
    template: compiled,
  });
  const message = renderTemplate(compiled, context);
  return { message, limits: limitsOf(compiled, message) };
};

import { Fault } from '@landfall/kernel/core/fault';
import type { NotificationEvent } from '../events/event.ts';
import type { StoredEvent } from '../events/events.store.ts';
import type { Recipient } from '../people/recipients.ts';
import type { Action } from '../rules/rule.ts';
import { createContext, type Reason } from '../templates/context.ts';
import type { ChannelType } from '../templates/document.ts';
import { DEFAULT_LOCALE } from '../templates/locales.ts';
import { renderTemplate } from '../templates/render.ts';
import { resolveTemplate } from '../templates/resolve.ts';
import { type Addressee, addressed } from './channel-message.ts';
import type { TenantKnowledge } from './knowledge.ts';

/** Address of the console's page of an event, or the address that the producer gave. */
const linkOf = (baseUrl: string, { producer, attributes, payload }: NotificationEvent): string | undefined => {
  // The attributes of an alert are labels, in which `path` and `url` mean something else.
  if (producer === 'alertmanager') return typeof payload.generatorURL === 'string' ? payload.generatorURL : undefined;
  const { path, url } = attributes;
  if (path?.startsWith('/')) return `${baseUrl}${path}`;
  return url;
};

interface Wanted {
  readonly event: StoredEvent;
  /** Events that the message lists; the event alone if absent. */
  readonly members?: readonly StoredEvent[] | undefined;
  readonly addressee: Addressee;
  readonly channelType: ChannelType;
  readonly action: Pick<Action, 'templateKey' | 'locale'>;
  readonly reason: Reason;
  readonly baseUrl: string;
  /** Person who is told; undefined for a channel with an address of its own. */
  readonly recipient?: Pick<Recipient, 'name' | 'locale' | 'timeZone'> | undefined;
  /** Zone of the reader of a message to no person. */
  readonly zone?: string | undefined;
  /** Called with the duration of a rendering, in milliseconds. */
  readonly rendered?: (ms: number) => void;
}

/** Message of a channel, or why there is none. */
export type Message =
  | {
      readonly kind: 'message';
      readonly subject: string | null;
      readonly body: string;
      readonly text: string | null;
      readonly contentType: string;
      readonly conditionKey: string | null;
    }
  | { readonly kind: 'none'; readonly policy: 'template_missing' | 'template_failed'; readonly reason: string };

/** Renders the message of an event, or of several, for a channel of a type. */
export const messageOf = (
  { tenant, templates }: Pick<TenantKnowledge, 'tenant' | 'templates'>,
  { event, members, addressee, channelType, action, reason, baseUrl, recipient, zone, rendered }: Wanted,
): Message => {
  const key = action.templateKey;
  const candidate = resolveTemplate(templates, {
    tenantId: tenant,
    key,
    channelType,
    locale: action.locale ?? recipient?.locale ?? DEFAULT_LOCALE,
  });
  if (!candidate)
    return {
      kind: 'none',
      policy: 'template_missing',
      reason: `There is no published template ${key} for channels of type ${channelType}.`,
    };
  const compiled = candidate.compiled();
  const self = linkOf(baseUrl, event);
  const context = createContext({
    event,
    members,
    reason,
    recipient: recipient ?? (zone === undefined ? undefined : { timeZone: zone }),
    links: {
      ...(self !== undefined && { self }),
      ...(recipient && { preferences: `${baseUrl}/settings/notifications` }),
    },
    tenant: { id: tenant, name: tenant },
    template: compiled,
  });
  try {
    const started = performance.now();
    const { subject = null, body, text = null, contentType, missing } = renderTemplate(compiled, context);
    rendered?.(performance.now() - started);
    if (missing.length > 0)
      return {
        kind: 'none',
        policy: 'template_failed',
        reason: `The event has no ${missing.join(', ')}, which the template ${compiled.templateId} needs.`,
      };
    return { kind: 'message', subject, ...addressed(channelType, body, event, addressee), text, contentType };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: 'none', policy: 'template_failed', reason: `The template ${compiled.templateId}: ${error.message}` };
  }
};

import { Fault, type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import { parseJson } from '@landfall/kernel/core/json';
import { sql } from '@landfall/kernel/db/sql';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { oneOf } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { expectedVersion, refuseStale } from '../shared/expected-version.ts';
import { NOTIFY_ADMIN, NOTIFY_READ } from '../shared/scopes.ts';
import { checkTemplate } from './check.ts';
import { CHANNEL_TYPES, type TemplateDocument } from './document.ts';
import { SHIPPED_TEMPLATES } from './messages/shipped.ts';
import { previewTemplate } from './preview.ts';
import * as store from './templates.store.ts';

const record = eventsOf('NotificationTemplate');

/** Templates of a tenant, at most, and characters of a document. */
const MOST_TEMPLATES = 1_000;
const MOST_CHARACTERS = 300_000;

/** Template document in JSON (spec 2.3, or notify.template.event@1). */
const document = Type.String({ minLength: 2, maxLength: MOST_CHARACTERS });

const EXAMPLE = JSON.stringify({
  schemaVersion: 'notify.template.event@1',
  templateId: 'deployment-failed-webhook',
  tenantId: 'acme',
  channelType: 'webhook',
  key: 'deployment.failed',
  locale: 'en-US',
  body: '{"text": "{{ event.kind }}"}',
  renderMode: 'json',
  format: 'json',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
});

const refuse = (faults: readonly FieldFault[]): void => {
  const [first, ...rest] = faults;
  if (first) throw invalid([first, ...rest]);
};

/** Reads and checks a document. @throws Fault VAL_* naming its fields */
const checked = (text: string) => {
  const parsed = parseJson(text);
  if (parsed === undefined) throw invalid([{ field: 'document', message: 'is not JSON', code: 'VAL_INVALID_FORMAT' }]);
  const { document: found, compiled, errors, warnings } = checkTemplate(parsed);
  refuse(errors);
  if (!found || !compiled) throw new TypeError('a template without errors has no compiled form');
  return { document: found, compiled, warnings };
};

/** @throws Fault PERM_TENANT_MISMATCH */
const refuseForeign = (tenant: string, { tenantId }: TemplateDocument): void => {
  if (tenantId !== tenant)
    throw new Fault(
      'PERM_TENANT_MISMATCH',
      `The template names another tenant than the token. Enter ${tenant} as its tenantId.`,
      { field: 'tenantId' },
    );
};

const dataOf = ({ templateId, key, channelType, locale }: store.StoredTemplate) => ({
  templateId,
  key,
  channelType,
  locale,
});

/** Creates the operations on templates. A saved document is a draft until it is published. */
export const createTemplates = ({ operation, ids }: Pick<Deps, 'operation' | 'ids'>) => ({
  list: operation({
    name: 'notificationTemplate.list',
    kind: 'read',
    scope: NOTIFY_READ,
    input: Type.Object({}),
    run: ({ tenant }, _input, query) => store.list(query, tenant),
  }),

  get: operation({
    name: 'notificationTemplate.get',
    kind: 'read',
    scope: NOTIFY_READ,
    input: Type.Object({ id: idOf('NotificationTemplate') }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('NotificationTemplate') },
    run: ({ tenant }, { id }, query) => store.get(query, tenant, id),
  }),

  /** Saves a document as the draft of its templateId, which it creates where there is none. */
  save: operation({
    name: 'notificationTemplate.save',
    kind: 'write',
    scope: NOTIFY_ADMIN,
    input: Type.Object({ document, expectedVersion }),
    raises: ['RES_ALREADY_EXISTS', 'RES_CONFLICT', 'RES_VERSION_CONFLICT', 'PERM_TENANT_MISMATCH'],
    example: { document: EXAMPLE },
    async run(who, input, tx) {
      const { document: draft, warnings } = checked(input.document);
      refuseForeign(who.tenant, draft);
      const { templateId, key, channelType, locale } = draft;
      const known = await store.list(tx, who.tenant);
      const existing = known.find((each) => each.templateId === templateId);
      if (existing) refuseStale(`template ${templateId}`, existing, input.expectedVersion);
      const named = { templateId, key, channelType, locale, draft };
      const taken = known.find(
        (each) => each.key === key && each.channelType === channelType && each.locale === locale,
      );
      if (taken && taken.id !== existing?.id)
        throw new Fault(
          'RES_ALREADY_EXISTS',
          `${taken.templateId} is the template of this key, channel type and locale.`,
          {
            templateId: taken.templateId,
          },
        );
      if (!existing && known.length >= MOST_TEMPLATES)
        throw new Fault('RES_CONFLICT', `There are ${MOST_TEMPLATES} templates already. Remove one first.`);
      const template = existing
        ? await store.update(tx, who.tenant, existing.id, { ...named, updatedAt: sql`kernel.now()` })
        : await store.insertIfAbsent(tx, who.tenant, {
            id: toId(ids.uuid(), 'NotificationTemplate'),
            ...named,
            createdBy: who.subject,
          });
      if (!template)
        throw new Fault('RES_ALREADY_EXISTS', `There is a template ${templateId} already.`, { templateId });
      await record(tx, who, 'notificationTemplate.save', template, dataOf(template));
      return { template, warnings };
    },
  }),

  /** Puts the draft in force. */
  publish: operation({
    name: 'notificationTemplate.publish',
    kind: 'write',
    scope: NOTIFY_ADMIN,
    input: Type.Object({ id: idOf('NotificationTemplate'), expectedVersion }),
    raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT'],
    example: { id: exampleId('NotificationTemplate') },
    async run(who, { id, expectedVersion: expected }, tx) {
      const known = await store.getLocked(tx, who.tenant, id);
      refuseStale(`template ${known.templateId}`, known, expected);
      const { compiled } = checked(JSON.stringify(known.draft));
      const template = await store.update(tx, who.tenant, id, {
        published: known.draft,
        compiled,
        publishedAt: sql`kernel.now()`,
      });
      await record(tx, who, 'notificationTemplate.publish', template, dataOf(template));
      return template;
    },
  }),

  remove: operation({
    name: 'notificationTemplate.remove',
    kind: 'write',
    scope: NOTIFY_ADMIN,
    input: Type.Object({ id: idOf('NotificationTemplate') }),
    raises: ['RES_NOT_FOUND'],
    example: { id: exampleId('NotificationTemplate') },
    async run(who, { id }, tx) {
      await store.getLocked(tx, who.tenant, id);
      const template = await store.update(tx, who.tenant, id, { removedAt: sql`kernel.now()` });
      await record(tx, who, 'notificationTemplate.remove', template, dataOf(template));
      return template;
    },
  }),

  /** Documents that Landfall ships: what is sent where the tenant has none of its own, and where an own one begins. */
  shipped: operation({
    name: 'notificationTemplate.shipped',
    kind: 'read',
    scope: NOTIFY_READ,
    isDetached: true,
    cost: 0,
    input: Type.Object({
      key: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
      channelType: Type.Optional(oneOf(...CHANNEL_TYPES)),
    }),
    run: async (_who, { key, channelType }) =>
      SHIPPED_TEMPLATES.filter(
        (each) =>
          (key === undefined || each.key === key) && (channelType === undefined || each.channelType === channelType),
      ),
  }),

  /** Renders a document with the examples of its placeholders. */
  preview: operation({
    name: 'notificationTemplate.preview',
    kind: 'read',
    scope: NOTIFY_READ,
    isDetached: true,
    cost: 10,
    input: Type.Object({ document }),
    example: { document: EXAMPLE },
    async run(_who, input) {
      const { document: found, warnings } = checked(input.document);
      return { ...previewTemplate(found), warnings };
    },
  }),
});

export type Templates = ReturnType<typeof createTemplates>;

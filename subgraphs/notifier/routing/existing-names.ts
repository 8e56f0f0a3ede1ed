import * as channels from '../channels/channels.store.ts';
import * as policies from '../policies/policies.store.ts';
import type { createRules } from '../rules/rules.ts';
import type { ChannelType } from '../templates/document.ts';
import { loadPublished } from '../templates/published-templates.ts';

/** Things of a tenant that rules name. */
export const existing: Parameters<typeof createRules<ChannelType>>[0]['existing'] = {
  channels: async (tx, tenant, ids) =>
    new Map((await channels.listExisting(tx, tenant, ids)).map(({ id, type }) => [String(id), type])),
  timeIntervals: async (tx, tenant, ids) =>
    new Set((await policies.listIntervals(tx, tenant, ids)).map(({ id }) => String(id))),
  templates: loadPublished,
};
